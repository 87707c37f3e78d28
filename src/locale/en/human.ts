export const human = {
  'reply.overBudget':
    'No questions are left. Do not ask again; write what stays unclear under "Unknowns and assumptions" and go on by your own judgement.',
  'reply.interrupted':
    'A person has stopped this turn before the question was answered. That is neither a yes nor a no. Ask again if it is still open.',
  'reply.timeout':
    'Nobody answered. Go on by your own judgement and record the question and your assumption under "Unknowns and assumptions". Do not repeat the question and do not stop here.',
  'reply.declined':
    'The person skipped this question. Go on by your own judgement and record the assumption under "Unknowns and assumptions".',
  'reply.declineReason': ' (They said: {reason})',
  'reply.defaultHolds': 'Your default holds: {default}. It is no answer; record that the default was used.',
  'reply.emptyQuestion': 'The question is empty. Write it out and ask again.',
  'reply.noMail': 'The inbox is empty. Carry on.',
  'inbox.intro': 'The person said this during the run, oldest first:',
  'inbox.amended': 'These words **have been added to the brief**; later steps will read them.',
  'inbox.notAmended':
    '**Note: these words are not stored anywhere.** If they change the requirement or its boundaries, see to it that they outlive this step: the next one is a new session and will not see them.',
  'mail.lateAnswer': 'A late answer to the question "{question}":\n{words}',
  'amend.running': 'Added during the run',
  'amend.wake': 'Added on waking',
  'amend.fileTitle': 'Additions made during the run',
  'log.title': 'Questions and answers',
  'log.note': 'Appended automatically. Never part of a context; kept for the record.',
  'log.options': 'Options:',
  'log.mail': 'said unasked',
} as const;
