/**
 * What readers accept beside the written form: section headings, items that say "none", and the bare words that choose an option of
 * the framework's own questions. Writers never use these lists.
 */
export const aliasTable = {
  'brief.goal': { zh: ['目标'], en: ['Goal', 'Goals', 'Objective'] },
  'brief.accept': {
    zh: ['验收标准', '验收条件', '验收'],
    en: ['Acceptance criteria', 'Acceptance criterion', 'Acceptance', 'Criteria'],
  },
  'brief.bounds': {
    zh: ['边界', '范围边界', '不做什么'],
    en: ['Boundaries', 'Boundary', 'Scope boundaries', 'Out of scope', 'Non-goals', 'Limits'],
  },
  'brief.unknowns': {
    zh: ['未知与假设', '未知项与假设', '未知项', '已知未知', '假设', '未知'],
    en: ['Unknowns and assumptions', 'Unknowns & assumptions', 'Known unknowns', 'Unknowns', 'Assumptions'],
  },
  'goal.statement': { zh: ['目标', '完成标志'], en: ['Goal', 'Objective', 'Definition of done', 'Done when'] },
  'goal.checks': {
    zh: ['判定清单', '判定条件', '验收清单', '检查项', '判定'],
    en: ['Checklist', 'Check list', 'Checks', 'Acceptance checklist'],
  },
  'verdict.state': { zh: ['结论', '判定'], en: ['Conclusion', 'Verdict', 'Judgement', 'Judgment'] },
  'verdict.reason': { zh: ['理由', '依据'], en: ['Reason', 'Reasons', 'Rationale'] },
  'verdict.failed': { zh: ['未通过'], en: ['Not passed', 'Failed items', 'Failed checks', 'Open items'] },
  'verdict.items': { zh: ['逐条核对', '逐项核对', '逐条'], en: ['Item by item', 'By item', 'Each item'] },
  'handoff.doing': {
    zh: ['现在在做什么', '现在在做', '当前进度', '进度'],
    en: ['What is being done now', 'Doing now', 'In progress', 'Progress'],
  },
  'handoff.decided': { zh: ['已经定下的', '已定的事', '决策'], en: ['Already decided', 'Decided', 'Decisions'] },
  'handoff.deadends': {
    zh: ['走不通的路', '试过不行的', '排除的路'],
    en: ['Dead ends', 'Dead-ends', 'Ruled out', 'Tried and excluded'],
  },
  'handoff.next': { zh: ['下一步'], en: ['Next step', 'Next steps', 'Next'] },
  'handoff.scene': { zh: ['现场', '文件'], en: ['Scene', 'Files', 'State on disk'] },

  'bequest.what': { zh: ['这是什么', '任务'], en: ['What this is', 'Task'] },
  'bequest.acceptance': {
    zh: ['验收:达成与未达成', '验收', '还差什么'],
    en: ['Acceptance: met and not met', 'Acceptance'],
  },
  'bequest.generated': {
    zh: ['哪些文件是生成的、由什么生成', '生成物与来源', '生成物'],
    en: ['Generated files and their sources', 'Generated files'],
  },
  'bequest.deadends': { zh: ['走不通的路', '试过不行的'], en: ['Dead ends'] },
  'bequest.workbench': {
    zh: ['工作台在哪、怎么读', '怎么读', '工作台'],
    en: ['Where the workbench is and how to read it', 'Workbench'],
  },

  none: { zh: ['无', '暂无', '空', '没有'], en: ['none', 'none yet', 'empty', 'nothing', 'n/a'] },

  'unreachable.accept': { zh: ['接受', '接受这个', '接受这个结果'], en: ['accept'] },
  'unreachable.change': { zh: ['修改'], en: ['change'] },
  'unreachable.misjudged': { zh: ['判断错了'], en: ['mistaken'] },
  'unverifiable.go': { zh: ['照样做', '继续'], en: ['go on', 'continue'] },
  'unverifiable.stop': { zh: ['停', '停下'], en: ['stop'] },
  'breaker.again': { zh: ['再做', '再来', '继续'], en: ['again', 'one more', 'continue'] },
  'breaker.stop': { zh: ['停', '停下'], en: ['stop'] },
  'unreadable.met': { zh: ['达成', '是'], en: ['met', 'yes'] },
  'unreadable.notMet': { zh: ['还没有', '没达成', '否'], en: ['not met', 'not yet', 'no'] },
} as const;

/** A list of accepted forms: a section heading, the items that say "none", or an option of a framework question. */
export type AliasGroup = keyof typeof aliasTable;
