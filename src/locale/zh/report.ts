// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the $ before a parameter is money.
import type { report as english } from '../en/report.js';

export const report = {
  'report.result': '结果',
  'report.ended': '怎么结束的:{ended}',
  'report.ended.finished': '每一步都跑完了',
  'report.ended.failed': '有一步没通过',
  'report.ended.aborted': '停下了,要人来定',
  'report.ended.interrupted': '被打断',
  'report.ended.budget_exhausted': '预算用完了',
  'report.claimed': '干活的人怎么说:{claimed}',
  'report.claimed.yes': '做完了',
  'report.claimed.no': '没做完',
  'report.verified': '核对的结果:{verified}',
  'report.verified.achieved': '达成',
  'report.verified.not_yet': '没有达成',
  'report.verified.unreachable': '在这里做不到或验不了',
  'report.verified.accepted': '人接受了这个结果,没有核对为达成',
  'report.verified.not_judged': '没有人核对过结果',
  'report.reason': '理由:{reason}',
  'report.item': '{n}. {state}:{item}',
  'report.evidence': '证据:{evidence}',
  'report.costRow': '{step} · {role}:${cost}',
  'report.costTotal': '合计:${cost}',
  'report.costEstimated': '有一部分是估的',
  'report.nothing': '(没有)',

  'bequest.what': '这是什么',
  'bequest.acceptance': '验收:达成与未达成',
  'bequest.generated': '哪些文件是生成的、由什么生成',
  'bequest.deadends': '走不通的路',
  'bequest.workbench': '工作台在哪、怎么读',
} satisfies Record<keyof typeof english, string>;
