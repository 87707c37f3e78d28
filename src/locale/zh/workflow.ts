import type { workflow as english } from '../en/workflow.js';

export const workflow = {
  'goal.noBrief': '(没有确认书)',
  'goal.none': '(没有目标)',
  'goal.noReply': '(这一轮没有回话)',
  'verdict.noReason': '(没给理由)',
  'verdict.vague': '判定者没给出明确结论,按未达成处理',
  'goal.unverifiableNotice':
    '目标里有 {bad}/{total} 条在这个环境里验不了 —— 判定时它们必然过不去,会停下来问你。现在改 {path} 还来得及:',
  'unreachable.question': '目标被判为**无法达成**:{reason}\n怎么办?',
  'unreachable.accept': '接受这个结果,就这样往下走',
  'unreachable.change': '修改目标',
  'unreachable.misjudged': '你判断错了,继续做',
  'unreachable.newGoal': '新的目标是什么?(一句话,会追加到原目标后面)',
  'unreachable.again': '「{answer}」不是这几个里的 —— 再选一次',
  'unverifiable.question': '上面这几条在这里验不了。怎么办?(可以先改 {path} 再选)',
  'unverifiable.go': '照样做,判定时再问我',
  'unverifiable.stop': '停下',
  'unverifiable.alone': '没人在,照样往下做;这 {k} 条会记成没能验证',
  'breaker.question': '连着 {n} 轮栽在同样的地方,工作区也没有变化:\n{items}\n怎么办?',
  'breaker.again': '再做一轮',
  'breaker.stop': '停下',
  'unreadable.question': '两个判定者都没给出能读的结论。后一个说:{text}\n目标达成了吗?',
  'unreadable.met': '达成了',
  'unreadable.notMet': '还没有',
  'frozen.edited': '{path} 在定稿之后被改过(人可以改);以现在的内容为准',
  'starter.needAsk': "要给一句诉求,例如 flower '帮我做一个 X'",
  'workflow.noSession': "步骤 '{step}' 要接着 '{from}' 的会话,但那一步没有会话",
  'starter.isolateNeedsGit':
    'isolate 要求 {path} 是 git 仓库,因为每个干活的人要分一份 worktree。先在那里 `git init`,或者不用 isolate。',
} satisfies Record<keyof typeof english, string>;
