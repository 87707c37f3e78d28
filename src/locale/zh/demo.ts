/** 演示里脚本模型说的、写的、问的。`{name}` 是工具的名字。 */
export const demo = {
  'demo.request': '做一个小命令行工具:列出一个文本文件里出现最多的词,带测试。',
  'demo.say.look': '先看看这里已经有什么。',
  'demo.ask.name': '这个工具叫什么名字?',
  'demo.brief.goal': '一个 Node 命令行工具 {name}.mjs,列出文本文件里出现最多的词。',
  'demo.brief.accept':
    '`node {name}.mjs sample.txt --top 3` 打印三行,每行是次数和词,多的在前\n只有大小写不同的词算同一个:"The" 和 "the" 是一个词\n`node --test` 通过',
  'demo.brief.bounds': '不加依赖,只用 Node 自带的东西。工具一个文件,测试一个文件。',
  'demo.brief.unknowns': '数字也算词。次数相同的按字母顺序排。',
  'demo.say.brief': '确认书交上去了。',
  'demo.say.goal': '目标定好了:三条,每条在这里跑一下就能核对。',
  'demo.say.dispatch': '派一个人做 {name}.mjs 和它的测试。',
  'demo.task.buildTitle': '做 {name}.mjs,带测试',
  'demo.task.build':
    '在工作目录里做 {name}.mjs、{name}.test.mjs 和一个 sample.txt。`node {name}.mjs FILE --top N` 打印次数和词,多的在前。`node --test` 通过就算完。',
  'demo.say.write': '工具、测试、一份样例。',
  'demo.bash.test': '跑测试',
  'demo.bash.run': '拿样例跑一下工具',
  'demo.report.built':
    '结论:{name}.mjs 能用。\n证据:`node --test`:3 个通过,0 个失败。\n产出:{name}.mjs、{name}.test.mjs、sample.txt\n未验证 / 风险:没看到。',
  'demo.say.built': '{name}.mjs 做好了,测试通过。文件:{name}.mjs、{name}.test.mjs、sample.txt。',
  'demo.say.judge': '不看报告怎么说,自己跑一遍 {name}.mjs 和测试。',
  'demo.evidence.output': '`node {name}.mjs sample.txt --top 3` 打印:{output}',
  'demo.evidence.apart': '"The" 和 "the" 被分开数了。`node {name}.mjs sample.txt --top 3` 打印:{output}',
  'demo.evidence.pass': '`node --test` 结尾是 fail 0',
  'demo.evidence.fail': '`node --test` 结尾不是 fail 0',
  'demo.reason.apart': '工具把 "The" 和 "the" 当成两个词,次数不对;也没有测试管这件事。',
  'demo.say.verdict': '判定交上去了。',
  'demo.say.dispatchRepair': '只补这一处:大小写。',
  'demo.task.repairTitle': '数词时不分大小写',
  'demo.task.repair':
    '{name}.mjs 把 "The" 和 "the" 分开数了。让它们算同一个词(先 toLowerCase 再拆),并在 {name}.test.mjs 里加一个没改就会失败的测试。`node --test` 通过就算完。',
  'demo.report.repaired':
    '结论:{name}.mjs 数词不分大小写了。\n证据:`node --test`:4 个通过,0 个失败;新测试在旧代码上会失败。\n产出:{name}.mjs、{name}.test.mjs\n未验证 / 风险:没有大小写的文字不受影响。',
  'demo.say.repaired': '补上了:{name}.mjs 不分大小写,有测试管着。',
} as const;
