/** What flower says to a model outside the rule texts: prompts, resumes, heads of documents. */
export const prompts = {
  'brief.notes':
    'Frozen by the clarify step. To change the requirement, edit this file.\nTo clarify anew, delete it and run again.',
  'handoff.notes':
    'The context was nearly full; this was written for the session that takes over.\nRead it, edit it if you like: the successor reads exactly this.',
  'handoff.prompt': `Stop here. Your context is nearly full ({used} of {window}) and a new session takes over from you.

Hand over with \`mcp__flower__submit_handoff\`. Only if it cannot be called, write exactly these five sections as text, nothing before them and nothing after.

## What is being done now
A sentence or two: where it stands.

## Already decided
What is settled, **each with its why**. Without the why your successor opens it again.

## Dead ends
What was tried and excluded, and the reason. This section costs the most and is the easiest to leave out, because one writes down what worked. What is missing here your successor pays for a second time. If there is none, write (none yet); do not invent any.

## Next step
Concrete enough to start at once: "run X; if Y comes, change Z".

## Scene
**Paths** of the key files, products and branches.

Keep to this:
- It stands on its own. Your successor remembers nothing of this session.
- Pointers, not contents: no code, no logs, no output.
- Nothing about requirement and goal. They are frozen files and will be read.
- Begin no line of a section with one of the five titles; it would be read as a heading.`,
  'handoff.takeover':
    'You are taking over unfinished work. The session before you ran full and left the document below. You remember nothing of it: all you have is this text and the disk. Requirement and goal are frozen files in the notes folder; read them first.',
  'handoff.carryOn': 'Go on from the next step. Do not start over, and do not ask for background.',
  'handoff.degraded.doing':
    'The previous session ran full in step {step} and the handoff could not be written ({why}).',
  'handoff.degraded.next':
    'Look at the site first: notes, artifacts, `git status`, `git log`. Then go on from what you find. Do not assume that nothing was done.',
  'handoff.degraded.scene': 'The task of this step was:\n{prompt}',

  'verdict.feedback':
    'The last round did not reach the goal.\n\nReason of the judge: {reason}{failed}\n\nNow carry on from where you are and close these gaps only. Do not start over and do not widen the task.',
  'verdict.feedbackFailed': '\n\nNot passed:\n{items}',

  'clarify.resume':
    'Go on with the clarification that was not finished. It was cut off midway; why does not matter. This is not a fresh start: what was asked and answered stands above, do not ask again. See which of the four sections are still open, settle only those, then hand in the complete brief.',
  'clarify.incomplete':
    'The brief is not complete yet. Missing: {titles}. Hand in the whole brief, all four sections. Do not ask again what was answered; what stays open goes under "Unknowns and assumptions".',

  'goal.setPrompt': `Turn the brief below into a goal that can be decided, as "Setting the goal" says.

{platform}

{brief}`,
  'goal.incomplete':
    'The goal is not complete yet. Missing: {titles}. Hand in the whole goal: the statement and the checklist. Do not ask again what was answered.',
  'goal.verifyPrompt': `Judge whether this round is done, as "Judging a round" says, and hand the verdict in with \`mcp__flower__submit_verdict\`.

{goal}

The items count from 1, in the order of the list.

The brief that the goal was made from: {brief}
{platform}

---

What the worker says about this round:

{reply}

---

Go and look yourself, item by item. Do not rely on that reply: it may leave things out, and it tends to be optimistic. An item for which you have seen no evidence is not passed.`,
  'goal.verifyEdited':
    '{path} was changed after it was frozen, perhaps by a person, who may do that. Its present text counts.',
  'goal.verifyAmendments': 'What the person has added since the goal was set, word for word:\n\n{amendments}',
  'goal.verifyChanges': 'Files changed since the goal was set, tests first:\n\n{changes}',
  'goal.verifyLacking':
    'In the last verdict these items were not checked or had no evidence: {numbers}. Judge the whole list again and look at these first.',
  'goal.platform': 'You are on {system} {version}, {arch}, {container}.',
  'goal.inContainer': 'in a container',
  'goal.notInContainer': 'not in a container',
  'goal.noRuntime': 'no Runtime at hand, so the goal cannot be judged',
  'goal.judgeFailed': 'The session of the judge failed, so this round was not judged: {error}',
  'goal.humanChanged': 'A person changed the goal:\n{words}',
  'goal.humanDisagrees': 'A person says that the goal can be reached and the judge was mistaken:\n{words}',

  'work.prompt': 'Get this requirement done:\n\n{brief}',
  'work.goalPart': 'Whether it is done is decided by an independent judge, who checks this:\n\n{goal}',
  'work.resume': 'Carry on from where you stopped. First say in one sentence what you will touch.',
  'work.resumeAmended': 'Because of these words the checklist was set anew. From now on this one counts:\n\n{goal}',
  'work.resumeVerdict': 'Before the break the judge had ruled on your last round:\n\n{feedback}',
  'worker.description':
    'Writes code and tests. Everything that needs hands goes here: changing, running, trying out, looking up.',
  'worker.prompt': 'You implement. Verify after every change; do not save it up for the end.',

  'interrupt.head.words': 'A person interrupted you here and said:\n\n{words}\n\nAdjust to it and carry on.',
  'interrupt.head.silent': 'You were interrupted for a moment. Carry on.',
  'remark.head':
    'A person has made a remark:\n\n{words}\n\nIt is a remark and no evidence: judge the thing, not the remark.',
  'interrupt.note': `About the interrupt:
- The stop was made between two steps if such a point came in time, else in the middle of one. Tool calls that were running then come back as "interrupted" or as "the user does not want to take this action".
- That goes for your own calls of ask and inbox too, and for commands that a subagent was about to run. A worker that was running was stopped at its next step; its report is what it said last and is marked as cut short.
- Such a failure is a normal side effect of the interrupt. It is not an environment fault, and nobody has vetoed that operation.
- So do not look into it, do not change your strategy for it, adopt no defensive rules. If you need the result, try again.
- The work that was done and your context are still there. Carry on.`,
  'resilience.resumePrompt':
    'The last round was cut off midway and did not finish. See what is on disk in the workbench already and go on from the break; do not start over.',
  'resilience.historyCut':
    'The last steps are missing from the conversation above. Their effects may be there all the same: look before you repeat one.',

  'guard.whitelist':
    'flower: {role} has no {tool}. This is intended, not a misconfiguration. Put your conclusion into your reply; the framework takes it from there. Do not look for another way round.',
  'guard.delegate':
    'flower: the coordinator does not use {tool} itself. Dispatch a subagent with the Agent tool; put into the task what the goal is and how to tell that it is reached. Its long output goes to {artifacts} without your saying so; you get the path and the conclusion.',
  'guard.delegateBare':
    'flower: the coordinator does not use {tool} itself. Dispatch a subagent with the Agent tool; put into the task what the goal is and how to tell that it is reached. You get its conclusion.',

  'guard.dispatch':
    'flower: {role} does not dispatch {wanted}; it may dispatch: {allowed}. Do this part yourself, or leave it to whoever has dispatched you.',
  'guard.notGlance': 'Your own Bash is for a glance only, and this is more than that: {reason}.',
  'guard.failed':
    'flower: the call was blocked because a check of flower itself ({guard}) failed, not because a person refused it. You may try it once more. If it is blocked again, do without it and say so in your reply.',

  'bench.external':
    'It lies outside the repository on purpose, so that every agent reads and writes the same one, whichever working copy it is in. Use the absolute path {root}.',
  'bench.rules': `Three rules:
1. A script that will run twice (verify, reproduce, check) goes into \`{scripts}/\`. Its name says what it is for, its first line is \`# desc: one sentence\`. Next time run it.
2. Output over 2000 characters goes into \`{artifacts}/\`; the conversation gets the path and the conclusion only.
3. Key decisions go into \`{notes}/\` with their reasons, one file each.`,
  'bench.worker': `The workbench of this job is {root} ({place}).
- Before you write a script, look into {scripts}; one that will run twice goes there, first line \`# desc: one sentence\`.
- Output over 2000 characters goes into a file in {artifacts}; your report has its path and the conclusion only. Such a file is wanted here, even though your general instructions discourage report files.`,
  'bench.inside': 'inside the repository',
  'bench.outside': 'outside the repository, on purpose',

  'aside.prompt': `{question}

---

The latest events of the run, oldest first:

{events}

---

{bench}`,
  'aside.bench': 'The workbench is {root}. What lies in it:\n\n{index}',
  'bequest.prompt': `The run is over. Whoever goes on is probably a person with another coding tool, who knows nothing of it. Read the workbench and write the handoff for them: exactly the five sections below, as text. Create no files.

## What this is
One or two sentences.

## Acceptance: met and not met
The verdict on each criterion, those not met first, by weight.

## Generated files and their sources
Product, the script that makes it, the source to edit. This section is worth the most: a generated file that is edited by hand is lost when it is generated again.

## Dead ends
What was tried, and why it failed.

## Where the workbench is and how to read it
Paths, and what to read first.

The first and the last section must not be empty; the others may be. Invent nothing. A few dozen lines in all: the other tool loads this text in every session.`,
} as const;
