import type { shell as english } from '../en/shell.js';

export const shell = {
  'shell.empty': '没有命令',
  'shell.tooLong': '超过了 8192 字符',
  'shell.control': '里面有控制字符',
  'shell.syntax': '按 Bash 的语法读不到底:`{what}`',
  'shell.construct': '`{what}` 不在判断范围里;只看的命令行只由简单命令、管道、`&&`、`||`、`;` 组成',
  'shell.substitution': '`{what}` 会另外运行一条命令',
  'shell.background': '放到后台会比这一轮活得更久',
  'shell.noSandbox': '它要求关掉沙箱',
  'shell.redirect': '`{what}` 会写文件或打开连接;输出只能丢给 /dev/null',
  'shell.assignment': '赋值会改变后面跑的是什么:`{what}`',
  'shell.spelling': '命令名要原样写出来,不带引号、路径和变量:`{what}`',
  'shell.unlisted': '`{what}` 不在只看不动的命令里',
  'shell.lonelyCd': '`{what}` 只换目录;后面要跟一条看的命令(`cd 目录 && ls`)',
  'shell.variable': '`{what}` 里的变量可能变成任何选项;把值直接写出来',
  'shell.expands': '`{what}` 展开后可能变成选项;在前面加 `--` 或 `./`',
  'shell.writes': '`{what}` 会写文件或删文件',
  'shell.starts': '`{what}` 会启动别的程序',
  'shell.changes': '`{what}` 会改变状态',
  'shell.endless': '`{what}` 自己不会结束',
  'shell.unknown': '不知道 `{what}` 是不是只看不动',
} satisfies Record<keyof typeof english, string>;
