/** 人看得到的判定:有人在核对,核对出了什么。 */
export const judging = {
  'judging.looks': '独立判定者在核对(第 {n} 次判定)',
  'judging.ruled': '第 {n} 次判定:{state}',
  'judging.reason': '第 {n} 次判定:{state}。{reason}',
  'judging.item': '  {number}. {state}:{evidence}',
} as const;
