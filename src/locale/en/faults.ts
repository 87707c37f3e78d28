/** What went wrong, what it means for the run, and what to do. */
export const faults = {
  'database.corrupt':
    '{path} is damaged and cannot be read ({why}), so the run does not start. Keep a copy of it, see with `flower doctor` what can be saved, or take another run directory (-r).',
  'database.locked':
    '{path} is locked by another program and did not come free, so nothing was written. See who has it open (a backup, a sync, a sqlite3 shell), end that and try again.',
  'database.readonly':
    '{path} cannot be written (read-only: {why}). The run would go unrecorded, so it stops here. Allow writing to the file and its folder, or take another run directory (-r).',
  'database.full':
    'The disk of {path} is full, so the run cannot be recorded and stops here. Free some space and go on; what is written already is kept.',
  'database.unavailable':
    '{path} cannot be opened ({why}). The run has nowhere to keep its records, so it stops here. See that the folder exists and can be written, or take another run directory (-r).',
  'database.noLocks':
    'The file system of {path} lacks the locks that a database needs ({why}), so the run cannot be recorded safely. Put the run directory (-r) on a local disk.',
  'books.viewFailed':
    '{path} cannot be written: {why}. It is only a readable copy of the books; the run is not affected, and it is written again next time.',
  'books.waiting':
    'the books cannot be written for now: {why}. The run goes on; what it does and spends is kept in memory and booked when it can.',
  'books.setAside':
    '{path} could not be understood and was not imported. It was moved to {aside} as it is and will not be overwritten.',

  'certificate.untrusted':
    'The certificate of {host}:{port} is signed by nobody that this computer trusts: mostly a proxy that looks into the traffic, a gateway with an authority of its own, or the log-in page of a network. If it is right that it is there, set NODE_EXTRA_CA_CERTS in the environment to the file (PEM) of that authority.',
  'certificate.expired':
    'The certificate of {host}:{port} has expired. Whoever runs it must renew it; if the clock of this computer is wrong, set it.',
  'certificate.early':
    'The certificate of {host}:{port} is not valid yet. Mostly the clock of this computer is wrong: set it. It now shows {now}.',
  'certificate.host':
    'The certificate of {host}:{port} is for another name. See whether ANTHROPIC_BASE_URL is right, and whether a proxy or the log-in page of a network answers in its place.',
  'certificate.refused':
    'The certificate of {host}:{port} was refused. Whoever runs it must see to that; for an authority that only this computer does not know, set NODE_EXTRA_CA_CERTS in the environment to its file (PEM).',
  'certificate.kept':
    'Nothing was sent, and trying again would not help, so the step ends here. The session is kept: start again to go on.',
  'books.emptied':
    '{path} is empty, yet {view} beside it tells of runs: it was cut off, perhaps by a full disk or a sync. If there is a copy of it, put that back; else the next run begins new sessions, and takes over from {view} what was done and spent.',
  'lock.damaged':
    '{path} is not the lock that flower makes ({why}). Nobody holds it, and nothing of value is in it: remove it and run again.',
  'document.unreadable':
    '{path} is no document that flower can read: {why}. It was left alone. Move it away, or put the document back, and run again.',
  'document.noFile': 'something other than a file stands there',
  'document.tooLarge': 'it holds {megabytes} MB, and no more than 4 are read',
  'runDir.noFolder':
    '{path} cannot hold the records of runs, because a file stands there. Move it away, or name another folder with -r.',

  'attempt.noResult': 'the harness ended without a result',

  'cfg.withheld':
    "the gateway address comes from {a}, so the token borrowed from {b} is not used (it is not flower's to send to {host}). To use one there, store it with `flower setup`",
  'source.process': 'the process environment',
} as const;
