import type { tools as english } from '../en/tools.js';

export const tools = {
  'tool.ask.description':
    '问人一个问题,等到回答为止;回答就是这次调用的结果。一次只问一个。人可能不在,那时会收到一句说明:自己定,接着做。',
  'tool.ask.question': '问题。只问一个,问具体。',
  'tool.ask.options': '供选择的回答。能给就给:选比打字快。',
  'tool.ask.default': '没人回答时你打算按什么来。它不算回答。',
  'tool.inbox.description': '看看人有没有说什么:新的需求,或者纠正。不会卡住。每到一个节点就看一眼。',

  'tool.submitBrief.description':
    '把写好的确认书交到这里,一次就够,然后结束这一轮。缺什么会马上告诉你。不用再写文字回复。',
  'tool.submitBrief.goal': '目标。一句话:做什么,给谁用。',
  'tool.submitBrief.accept': '验收标准。一行一条,条条判得了:「运行 x 输出 y」。',
  'tool.submitBrief.bounds': '边界。明确不做什么、对做法的限制,一行一条;没有就写「无」。',
  'tool.submitBrief.unknowns': '未知与假设。没问的、超时的、猜的,一行一条;没有就写「无」。',

  'tool.submitGoal.description': '把写好的目标交到这里,一次就够,然后结束这一轮。缺什么会马上告诉你。不用再写文字回复。',
  'tool.submitGoal.statement': '目标。一句话:看到什么就算完成。',
  'tool.submitGoal.items': '判定清单,按顺序,从 1 编号。',
  'tool.submitGoal.text': '一个检查项:「跑这个,看到那个」。',
  'tool.submitGoal.verifiable': '在这里验不了就填 false。',
  'tool.submitGoal.why': '为什么在这里验不了。只有验不了时才要填。',

  'tool.submitVerdict.description':
    '把写好的判定交到这里,一次就够,然后结束这一轮。清单里的每一条都要有。缺什么会马上告诉你。不用再写文字回复。',
  'tool.submitVerdict.items': '清单里的每一条,各写一项。',
  'tool.submitVerdict.number': '条目编号,从 1 数起,按清单的顺序。',
  'tool.submitVerdict.state': 'met:亲眼看到达成了。failed:没达成,或者还没有证据。unverifiable:在这里原则上就验不了。',
  'tool.submitVerdict.evidence': '跑了什么、看了什么,看到什么。failed 写缺什么,unverifiable 写为什么。',
  'tool.submitVerdict.reason': '一两句话。说缺什么,不说怎么做。只有条条都达成时才可以空着。',

  'tool.submitHandoff.description':
    '交接给新会话。只有在告诉你上下文快满了的时候才用,别的时候不收。交完就结束这一轮,不用再写文字回复。',
  'tool.submitHandoff.doing': '现在在做什么。一两句话,说清做到哪了。',
  'tool.submitHandoff.decided': '已经定下的。敲定了的事,每条带上为什么。',
  'tool.submitHandoff.deadends': '走不通的路。试过、排除了的,以及原因。',
  'tool.submitHandoff.next': '下一步。具体到马上能动手。',
  'tool.submitHandoff.scene': '现场。关键文件、产出、分支的路径。',
} satisfies Record<keyof typeof english, string>;
