/** What the person sees of an independent judge: that it looks, and what it found. */
export const judging = {
  'judging.looks': 'An independent judge looks at the work (verdict {n})',
  'judging.ruled': 'Verdict {n}: {state}',
  'judging.reason': 'Verdict {n}: {state}. {reason}',
  'judging.item': '  {number}. {state}: {evidence}',
} as const;
