/** What the scripted model of the demo says, writes and asks. `{name}` is the tool's name. */
export const demo = {
  'demo.request': 'Build me a small command-line tool that shows the most frequent words of a text file, with tests.',
  'demo.say.look': 'First a look at what is here already.',
  'demo.ask.name': 'What shall the tool be called?',
  'demo.brief.goal': 'A command-line tool {name}.mjs for Node that shows the most frequent words of a text file.',
  'demo.brief.accept':
    '`node {name}.mjs sample.txt --top 3` prints three lines, count and word, the most frequent first\nWords that differ only in case count as one word: "The" and "the" are the same\n`node --test` passes',
  'demo.brief.bounds': 'No dependencies; plain Node. One file for the tool, one for its tests.',
  'demo.brief.unknowns': 'Digits count as words. Words with equal counts stand in alphabetical order.',
  'demo.say.brief': 'The brief is handed in.',
  'demo.say.goal': 'The goal is set: three items, each can be checked here by running something.',
  'demo.say.dispatch': 'One worker builds {name}.mjs and its tests.',
  'demo.task.buildTitle': 'build {name}.mjs with tests',
  'demo.task.build':
    'Build {name}.mjs, {name}.test.mjs and a sample.txt in the workspace. `node {name}.mjs FILE --top N` prints count and word, the most frequent first. Done when `node --test` passes.',
  'demo.say.write': 'Tool, tests and a sample.',
  'demo.bash.test': 'Run the tests',
  'demo.bash.run': 'Run the tool on the sample',
  'demo.report.built':
    'Conclusion: {name}.mjs works.\nEvidence: `node --test`: 3 pass, 0 fail.\nOutput: {name}.mjs, {name}.test.mjs, sample.txt\nUnverified / risks: none seen.',
  'demo.say.built': '{name}.mjs is built, its tests pass. Files: {name}.mjs, {name}.test.mjs, sample.txt.',
  'demo.say.judge': 'I do not go by the report. I run {name}.mjs and the tests myself.',
  'demo.evidence.output': '`node {name}.mjs sample.txt --top 3` printed: {output}',
  'demo.evidence.apart': '"The" and "the" are counted apart. `node {name}.mjs sample.txt --top 3` printed: {output}',
  'demo.evidence.pass': '`node --test` ended with fail 0',
  'demo.evidence.fail': '`node --test` did not end with fail 0',
  'demo.reason.apart': 'The tool tells "The" from "the", so the counts are wrong; no test covers it.',
  'demo.say.verdict': 'The verdict is handed in.',
  'demo.say.dispatchRepair': 'Only this gap: upper and lower case.',
  'demo.task.repairTitle': 'count words regardless of case',
  'demo.task.repair':
    '{name}.mjs counts "The" and "the" apart. Make it count them as one (toLowerCase before splitting), and add a test to {name}.test.mjs that fails without it. Done when `node --test` passes.',
  'demo.report.repaired':
    'Conclusion: {name}.mjs counts words regardless of case.\nEvidence: `node --test`: 4 pass, 0 fail; the new test fails on the old code.\nOutput: {name}.mjs, {name}.test.mjs\nUnverified / risks: letters of scripts without case are untouched.',
  'demo.say.repaired': 'The gap is closed: {name}.mjs counts regardless of case, and a test holds it.',
} as const;
