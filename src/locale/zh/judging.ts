import type { judging as english } from '../en/judging.js';

/** 人看得到的判定,和判定者除任务外还被告知的东西。 */
export const judging = {
  'judging.looks': '独立判定者在核对(第 {n} 次判定)',
  'judging.ruled': '第 {n} 次判定:{state}',
  'judging.reason': '第 {n} 次判定:{state}。{reason}',
  'judging.item': '  {number}. {state}:{evidence}',
  'judging.noConclusion': '没有结论',
  'judging.marked': '其他条目都过了,但定目标时这几条标了在这里验不了:{items}',
  'judging.frozenGone': '{path} 不见了,或者里面已经没有目标;以定稿时的目标为准。',
  'judging.longList': '判定清单有 {n} 条。每一轮每一条都要花钱;会出错的地方少,条目就该少。可以在 {path} 里删短。',
  'goal.ownFolders':
    '目标不能就这样定:下面几条说的是 flower 自己的目录,干活时它们一定会变,也不是要交付的东西:\n{items}\n去掉它们,重新交一份完整的目标。',
  'goal.ownFolder': '有一条说的是 flower 自己的目录:{item}',
  'goal.verifyForeign':
    '里面还有一些话,标题写着是人后来补充的,但没有人通过 flower 说过,可能是某个 worker 自己写的。不能因为它们就降低目标的要求:\n\n{words}',
  'goal.verifyEditedLines': '和定稿相比,不一样的地方:\n\n{lines}',
  'goal.verifyCommands': '这一轮跑过的、不只是看一眼的命令。这是框架记下来的,不是干活的人说的:\n\n{commands}',
  'judging.commandOk': '- `{command}`:正常结束',
  'judging.commandFailed': '- `{command}`:失败({why})',
  'judging.noCommands': '(没有)',
  'judging.noChanges': '(没有文件变过)',
  'judging.moreFiles': '- 还有 {n} 个',
  'judging.file.new': '新增',
  'judging.file.changed': '改过',
  'judging.file.gone': '删掉了',
} satisfies Record<keyof typeof english, string>;
