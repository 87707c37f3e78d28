import type { human as english } from '../en/human.js';

export const human = {
  'reply.overBudget': '提问额度已用完。不要再问了 —— 把剩下的不确定项写进「未知与假设」那一段,按你自己的判断继续。',
  'reply.interrupted': '问题还没回答,对方先打断了这一轮。这既不是同意也不是拒绝;还需要就再问一次。',
  'reply.timeout':
    '无人应答。按你自己的判断继续,并把这个问题和你采用的假设写进「未知与假设」那一段。不要重复提问,也不要停在这里。',
  'reply.declined': '对方跳过了这个问题。按你自己的判断继续,并把假设写进「未知与假设」。',
  'reply.declineReason': '(对方说:{reason})',
  'reply.defaultHolds': '你给的默认值照用:{default}。它不是回答,记下用的是默认值。',
  'reply.emptyQuestion': '问题是空的。把问题写清楚再问。',
  'reply.noMail': '收件箱是空的。继续干活,不用理会。',
  'inbox.intro': '人在运行途中说了这些(按时间先后):',
  'inbox.amended': '这些话**已经追加进需求确认书**了,后面的步骤读得到。',
  'inbox.notAmended':
    '**注意:这些话没有落盘。** 如果它改变了需求或边界,你得想办法让它活过这一步 —— 否则下一步是全新 session,看不到它。',
  'mail.lateAnswer': '迟到的回答,问题是「{question}」:\n{words}',
  'amend.running': '运行中补充',
  'amend.wake': '唤醒时追加',
  'amend.fileTitle': '运行中的补充',
  'log.title': '需求问答记录',
  'log.note': '自动追加。这一份不进上下文,只作留档。',
  'log.options': '选项:',
  'log.mail': '人主动说',
} satisfies Record<keyof typeof english, string>;
