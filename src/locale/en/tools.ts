/** Descriptions of the in-process tools and of their parameters, as the model reads them. */
export const tools = {
  'tool.ask.description':
    'Ask a person and wait for the answer, which is the result of this call. One question at a time. The person may be away; then a note comes back instead: decide yourself and go on.',
  'tool.ask.question': 'The question. One, and specific.',
  'tool.ask.options': 'Answers to choose from. Give them if you can: choosing is quicker than typing.',
  'tool.ask.default': 'What you will go by if nobody answers. It does not count as an answer.',
  'tool.inbox.description':
    'See whether the person has said anything: a new requirement, a correction. Never blocks. Check after every milestone.',

  'tool.submitBrief.description':
    'Hand in the finished brief, once, then end your turn. If something is missing you are told at once. No text reply is needed.',
  'tool.submitBrief.goal': 'Goal. One sentence: what, and for whom.',
  'tool.submitBrief.accept': 'Acceptance criteria. One per line, each decidable: "running x prints y".',
  'tool.submitBrief.bounds':
    'Boundaries. What is explicitly not done and what limits the work, one per line; "none" if there are none.',
  'tool.submitBrief.unknowns':
    'Unknowns and assumptions. Not asked, timed out or guessed, one per line; "none" if there are none.',

  'tool.submitGoal.description':
    'Hand in the finished goal, once, then end your turn. If something is missing you are told at once. No text reply is needed.',
  'tool.submitGoal.statement': 'Goal. One sentence: the sign by which one sees that it is done.',
  'tool.submitGoal.items': 'Checklist, in order. The items are numbered from 1.',
  'tool.submitGoal.text': 'One check: "run this, see that".',
  'tool.submitGoal.verifiable': 'False if it cannot be verified here.',
  'tool.submitGoal.why': 'Why it cannot be verified here. Needed only then.',

  'tool.submitVerdict.description':
    'Hand in the finished verdict, once, then end your turn. Every item of the checklist must be in it. If something is missing you are told at once. No text reply is needed.',
  'tool.submitVerdict.items': 'One entry for every item of the checklist.',
  'tool.submitVerdict.number': 'The number of the item, counted from 1 in the order of the checklist.',
  'tool.submitVerdict.state':
    'met: seen with your own eyes. failed: not so, or no evidence yet. unverifiable: cannot be verified here, in principle.',
  'tool.submitVerdict.evidence':
    'What you ran or looked at and what you saw. For failed: what is missing. For unverifiable: why.',
  'tool.submitVerdict.reason':
    'A sentence or two. What is missing, not how to do it. May be empty only if every item is met.',

  'tool.submitHandoff.description':
    'Hand over to a new session. Only when you are told that your context is nearly full; at other times it is refused. Then end your turn. No text reply is needed.',
  'tool.submitHandoff.doing': 'What is being done now. A sentence or two: where it stands.',
  'tool.submitHandoff.decided': 'Already decided. What is settled, each with its why.',
  'tool.submitHandoff.deadends': 'Dead ends. What was tried and excluded, and the reason.',
  'tool.submitHandoff.next': 'Next step. Concrete enough to start at once.',
  'tool.submitHandoff.scene': 'Scene. Paths of key files, products and branches.',
} as const;
