/** 只有命令行才说的话:用法,以及为什么没能开始。 */
export const cli = {
  'usage.wantInteger': '要一个不小于 {least} 的整数',
  'usage.wantSeconds': '秒数(不小于 0),或者 `forever`',
  'error.endpointUnreachable':
    '连不上 {host}:{port}({why})。什么都没开始。检查网络、代理和 ANTHROPIC_BASE_URL,再跑一次同样的命令。',
  'error.internal': 'flower 自己出了错:{why}。已经做完的都存了盘。加 -v 再跑一次能看到细节。',
} as const;
