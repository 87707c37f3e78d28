import type { prompts as english } from '../en/prompts.js';

export const prompts = {
  'brief.notes': '这份由「确认需求」这一步冻结。要改需求,直接改这个文件。\n要从头再问一遍,删掉它重跑。',
  'handoff.notes': '上下文快满了,这是写给接手的新会话的。\n可以看,也可以改:接手的人读到的就是这一份。',
  'handoff.prompt': `先停下。你的上下文快满了({used}/{window}),接下来由一个新会话接手。

用 \`mcp__flower__submit_handoff\` 交接。只有在调不了它的时候,才直接写出下面这五段,前后都不要有别的。

## 现在在做什么
一两句话,说清做到哪了。

## 已经定下的
已经敲定的事,**每条都带上为什么**。没有为什么,接手的人会把它翻出来重新讨论。

## 走不通的路
试过、排除了的,以及原因。这一段最值钱,也最容易漏,因为人总是只记成功的。这里漏一条,接手的人就得再花一次钱去撞。还没有就写(暂无),别编。

## 下一步
具体到马上能动手:「跑 X,如果出现 Y 就改 Z」。

## 现场
关键文件、产出、分支的**路径**。

几条规矩:
- 自成一体。接手的人对这个会话没有任何记忆。
- 写指针,不写内容:不贴代码、日志、输出。
- 不重复需求和目标,那是冻结的文件,他会去读。
- 正文里任何一行都别用这五个标题开头,会被当成标题。`,
  'handoff.takeover':
    '你在接手一段还没干完的活。上一个会话上下文满了,留下了下面这份交接书。它的经过你一概不记得,手上只有这段文字和磁盘。需求和目标是 notes 目录里冻结的文件,先去读。',
  'handoff.carryOn': '从「下一步」接着做。别从头来,也别问背景。',
  'handoff.degraded.doing': '上一个会话在步骤 {step} 里上下文满了,交接没能写成({why})。',
  'handoff.degraded.next':
    '先看现场:notes、artifacts、`git status`、`git log`。看清楚做到哪了再接着做,别当成什么都还没做。',
  'handoff.degraded.scene': '这一步的任务原文是:\n{prompt}',

  'verdict.feedback':
    '上一轮没有达到目标。\n\n判定者的理由:{reason}{failed}\n\n在现有基础上接着做,只补这些缺口。不要推倒重来,也不要扩大范围。',
  'verdict.feedbackFailed': '\n\n没通过的:\n{items}',

  'clarify.resume':
    '把没问完的需求接着问完。上次是中途断掉的,原因不重要。这不是重新开始:问过的、答过的都在上面,别再问一遍。看看四段里还有哪几段没定,只补那几段,然后交出完整的确认书。',
  'clarify.incomplete':
    '确认书还不完整,缺:{titles}。把完整的一份交上来,四段都要有。答过的别再问;还没定的写进「未知与假设」。',

  'goal.setPrompt': `按「设定目标」那一节,把下面这份确认书变成一个判得了的目标。

{platform}

{brief}`,
  'goal.incomplete': '目标还不完整,缺:{titles}。把完整的一份交上来:目标和判定清单都要有。答过的别再问。',
  'goal.verifyPrompt': `按「判定一轮」那一节,判这一轮做完了没有,用 \`mcp__flower__submit_verdict\` 交上来。

{goal}

条目从 1 数起,按清单的顺序。

目标出自这份确认书:{brief}
{platform}

---

干活的人这一轮的回话:

{reply}

---

自己去看,一条一条看。别拿那段回话当依据:它会漏,也偏乐观。没亲眼看到证据的,就是没通过。`,
  'goal.verifyEdited': '{path} 定稿之后被改过,可能是人改的(人可以改)。以现在的内容为准。',
  'goal.verifyAmendments': '定下目标之后,人又补充了这些(原话):\n\n{amendments}',
  'goal.verifyChanges': '定下目标之后改过的文件,测试在前:\n\n{changes}',
  'goal.verifyLacking': '上一次判定里,这几条没有核对,或者没有证据:{numbers}。整份清单重新判一遍,先看这几条。',
  'goal.platform': '你在 {system} {version},{arch},{container}。',
  'goal.inContainer': '在容器里',
  'goal.notInContainer': '不在容器里',
  'goal.noRuntime': '拿不到 Runtime,无法判定目标',
  'goal.judgeFailed': '判定者的会话失败了,这一轮没有判:{error}',
  'goal.humanChanged': '人修改了目标:\n{words}',
  'goal.humanDisagrees': '人说目标做得到,是判定者判断错了:\n{words}',

  'work.prompt': '把这份需求做出来:\n\n{brief}',
  'work.goalPart': '做没做完,由独立的判定者按下面这些来核对:\n\n{goal}',
  'work.resume': '从上次停下的地方接着做。动手之前先用一句话说要动什么。',
  'work.resumeAmended': '因为这些话,判定清单重新定过了。以这一份为准:\n\n{goal}',
  'work.resumeVerdict': '上次中断之前,判定者对你那一轮的结论是:\n\n{feedback}',
  'worker.description': '写代码和测试。凡是要动手的都派给它:改、跑、试、查。',
  'worker.prompt': '你负责实现。每改一处就跑一次验证,别攒到最后。',

  'interrupt.head.words': '人在这里打断了你,说:\n\n{words}\n\n照着调整,接着做。',
  'interrupt.head.silent': '刚才打断了一下,接着做。',
  'remark.head': '人说了一句:\n\n{words}\n\n这只是一句意见,不是证据:判的是东西,不是这句话。',
  'interrupt.note': `关于刚才的打断:
- 能等到两步之间就停在那里,等不到就停在半途。停下那一刻还在跑的工具调用,回来的结果会写「被打断」,或者「用户不想执行这个操作」。
- 你自己的 ask、inbox 调用也在内,subagent 正要跑的命令也在内。正在干活的 subagent 停在它的下一步,报告就是它最后说的话,会标明没做完。
- 这些失败是打断的正常副作用,不是环境故障,也不是谁否决了那个操作。
- 所以不要去排查,不要因此换思路,不要立什么防御性的规矩。需要那个结果,直接重试。
- 做完的活和上下文都还在,接着做。`,
  'resilience.resumePrompt':
    '上一轮在中途被打断,没有跑完。检查一下工作台里已经落盘的东西,从中断处接着做,不要重头来过。',
  'resilience.historyCut': '上面的对话缺了最后几步,但那几步可能已经生效:要重做先看一眼。',

  'guard.whitelist':
    'flower:{role} 没有 {tool}。这是有意的,不是配错了。把结论写进回复就行,框架会从那里接过去。别想办法绕过去。',
  'guard.delegate':
    'flower:协调者自己不用 {tool}。用 Agent 工具派一个 subagent,任务里写清目标和怎样算完成。它的长输出会自己放进 {artifacts},不用你交代;你拿到的是路径和结论。',
  'guard.delegateBare':
    'flower:协调者自己不用 {tool}。用 Agent 工具派一个 subagent,任务里写清目标和怎样算完成。你拿到的是结论。',

  'guard.dispatch': 'flower:{role} 不能派 {wanted};它能派的是:{allowed}。这部分自己做,或者留给派你来的人。',
  'guard.notGlance': '你自己的 Bash 只用来看一眼,这条不止是看:{reason}。',
  'guard.failed':
    'flower:这个调用被拦下,是因为 flower 自己的检查({guard})出了故障,不是人拒绝了你。可以再试一次;还是被拦,就不用它,并在回复里说明。',

  'bench.external': '它特意放在仓库外面,这样不管在哪份工作副本里,大家读写的都是同一份。用绝对路径 {root}。',
  'bench.rules': `三条规矩:
1. 会跑第二次的脚本(验证、复现、检查)放进 \`{scripts}/\`。名字说明用途,首行写 \`# desc: 一句话\`。下次直接跑它。
2. 超过 2000 字符的输出放进 \`{artifacts}/\`,对话里只留路径和结论。
3. 关键决策连同理由写进 \`{notes}/\`,一件事一个文件。`,
  'bench.worker': `这次的工作台在 {root}({place})。
- 写脚本之前先看 {scripts};会跑第二次的脚本放进去,首行写 \`# desc: 一句话\`。
- 超过 2000 字符的输出写成文件放进 {artifacts},报告里只写路径和结论。通用说明里不鼓励写报告文件,但这种文件就是要写。`,
  'bench.inside': '在仓库里',
  'bench.outside': '特意放在仓库外',

  'aside.prompt': `{question}

---

这次运行最近的事件,旧的在前:

{events}

---

{bench}`,
  'aside.bench': '工作台在 {root}。里面有:\n\n{index}',
  'bequest.prompt': `这次运行结束了。接着做的多半是一个人,带着另一个编程工具,对这里一无所知。读一遍工作台,给他写一份交接:就下面五段,直接写成文字,不要建文件。

## 这是什么
一两句话。

## 验收:达成与未达成
逐条写结论,没达成的放前面,重要的在先。

## 哪些文件是生成的、由什么生成
产物、生成它的脚本、该改的源头。这一段最值钱:生成的文件被手改了,下次一生成就没了。

## 走不通的路
试过什么,为什么不行。

## 工作台在哪、怎么读
路径,先读哪个。

第一段和最后一段不能空,别的可以空。不要编。总共几十行:另一个工具每次开会话都要读它。`,
} satisfies Record<keyof typeof english, string>;
