export const stores = {
  'spill.pointer':
    '[output of {n} characters, stored in {path}; use Read for all of it, Grep to find something in it]\nFirst 400 characters: {head}',
  'trim.placeholder': '[tool result archived: {n} characters, all of it in {path}; use Read if needed]',
  'ephemeral.text':
    '[result of {cmd} is out of date ({age} looks ago) and the state may have changed; run it again if needed]',
  'prune.interrupt': '[interrupted here; this tool gave no result]',
  'prune.orphan': '[interrupted, no result; do it again if needed]',
  'prune.orphanUnknown':
    '[interrupted; the outcome is unknown: it may or may not have happened. Check before doing it again.]',
  'prune.cutWorker':
    '[The worker was cut off before it was done, so this is no finished report. What it changed is still there and may be half done. Dispatch a worker for what is left, and have it look at that first.]',
  'prune.lostCall': '[a tool result whose call is no longer in the record]',
  'trim.none': 'nothing trimmed',
  'trim.expiredOnly': '{n} results marked as out of date || 1 result marked as out of date',
  'store.waiting':
    'the session store cannot be written for now: {why}. Entries wait in memory and are written when it can.',
  'store.stillMissing':
    'entries of session {id} could not be taken from the local copy ({why}): a later resume goes on without them',
  'store.notMirrored':
    'session {id} has entries that did not reach the store; they are being taken from the local copy',
  'store.newer':
    '{path} was written by a newer flower (schema {found}, known here up to {known}); it was left alone. Install that one: npm install -g flower-agent',
  'trim.full':
    'trimmed {n} tool results (the latest {k} kept), saving ~{t} tokens || trimmed 1 tool result (the latest {k} kept), saving ~{t} tokens',
  'store.why.busy': 'another program keeps {path} locked',
  'store.why.full': 'the disk of {path} is full',
  'store.why.gone': '{path} is gone, or another file stands in its place',
  'store.overfull':
    'the session store cannot be written ({why}) and 64 MiB of entries wait in memory already; this batch could not be taken',
  'store.loadFailed':
    'session {key} in {path} cannot be read: {why}. It stops here, so that no old local copy is resumed instead. Check the file with `flower doctor`, or start over with --new.',
  'store.nothingReadable': 'none of its {n} entries can be read || its only entry cannot be read',
  'prune.lostStart': '[the beginning of this conversation is no longer in the record]',
  'store.closed': 'the session store is closed; this batch was not taken',
} as const;
