/**
 * Descriptions of the in-process tools and of their parameters, as the model reads them. They are part of every request, so what the
 * rule texts say already is not said here again.
 */
export const tools = {
  'tool.ask.description':
    'Ask a person and wait for the answer, which is the result of this call. One question at a time. The person may be away; then a note comes back instead: decide yourself and go on.',
  'tool.ask.question': 'The question. One, and specific.',
  'tool.ask.options': 'Answers to choose from. Give them if you can: choosing is quicker than typing.',
  'tool.ask.default': 'What you will go by if nobody answers. It does not count as an answer.',
  'tool.inbox.description':
    'See whether the person has said anything: a new requirement, a correction. Never blocks. Check after every milestone.',

  'handin.tool.brief':
    'Hand the finished brief in here, once, then end your turn. What is missing comes back at once; complete it and hand it in again. A text reply is not needed.',
  'handin.tool.goal':
    'Hand the finished goal and its checklist in here, once, then end your turn. What is missing comes back at once; complete it and hand it in again. A text reply is not needed.',
  'handin.tool.verdict':
    'Hand the verdict in here, once, then end your turn. It must cover every item of the checklist. What is missing comes back at once; complete it and hand it in again. A text reply is not needed.',
  'handin.tool.handoff':
    'Hand over to a new session, once you are told that your context is nearly full; before that it is refused. Then end your turn. A text reply is not needed.',
  'handin.param.text': 'One check that can be made on the spot: "run this, see that".',
  'handin.param.verifiable': 'False if it cannot be verified here.',
  'handin.param.why': 'Why it cannot be verified here; empty otherwise.',
  'handin.param.number': 'Its number, counted from 1 in the order of the checklist.',
  'handin.param.state':
    'met: you saw it. failed: it is not so, or you have no evidence yet. unverifiable: it cannot be verified here in principle.',
  'handin.param.evidence':
    'What you ran or looked at, and what you saw. For failed: what is missing. For unverifiable: why.',
  'handin.param.reason': 'A sentence or two: what is missing, not how to do it. May be empty if every item is met.',
} as const;
