import type { tools as english } from '../en/tools.js';

export const tools = {
  'tool.ask.description':
    '问人一个问题,等到回答为止;回答就是这次调用的结果。一次只问一个。人可能不在,那时会收到一句说明:自己定,接着做。',
  'tool.ask.question': '问题。只问一个,问具体。',
  'tool.ask.options': '供选择的回答。能给就给:选比打字快。',
  'tool.ask.default': '没人回答时你打算按什么来。它不算回答。',
  'tool.inbox.description': '看看人有没有说什么:新的需求,或者纠正。不会卡住。每到一个节点就看一眼。',

  'handin.tool.brief':
    '确认书写全了在这里交,一次就够,然后结束这一轮。缺什么会马上告诉你,补全了再交。不用再写文字回复。',
  'handin.tool.goal':
    '目标和判定清单写全了在这里交,一次就够,然后结束这一轮。缺什么会马上告诉你,补全了再交。不用再写文字回复。',
  'handin.tool.verdict':
    '判完了在这里交,一次就够,然后结束这一轮。清单里的每一条都要有。缺什么会马上告诉你,补全了再交。不用再写文字回复。',
  'handin.tool.handoff': '交接给新会话。告诉你上下文快满了的时候才用,之前不收。交完就结束这一轮,不用再写文字回复。',
  'handin.param.text': '一个能当场验的检查项:「跑这个,看到那个」。',
  'handin.param.verifiable': '在这里验不了就填 false。',
  'handin.param.why': '为什么在这里验不了;验得了就空着。',
  'handin.param.number': '编号,从 1 数起,按清单的顺序。',
  'handin.param.state': 'met:亲眼看到达成了。failed:没达成,或者还没有证据。unverifiable:在这里原则上就验不了。',
  'handin.param.evidence': '跑了什么、看了什么,看到什么。failed 写缺什么,unverifiable 写为什么。',
  'handin.param.reason': '一两句话,说缺什么,不说怎么做。条条都达成时可以空着。',
} satisfies Record<keyof typeof english, string>;
