/** Git worktrees of isolated workers: what is checked before, what is told to them, what is left behind. */
export const worktrees = {
  'worktree.clean': 'clean and merged',
  'worktree.missing': 'the folder is gone, no commit is lost',
  'worktree.unmerged': '{n} commits not merged',
  'worktree.unsaved': 'uncommitted: {names}',
  'worktree.busy': 'in use: {names}',
  'worktree.unknown': 'git cannot tell, so it counts as holding work',
  'worktree.locked': 'locked ({reason})',
  'worktree.process': 'process {pid}',
  'isolate.noGit': 'isolation needs git, and git does not run. Install it, or leave isolation off.',
  'isolate.bare': '{path} is a bare repository without a working tree. Use a checkout, or leave isolation off.',
  'isolate.noCommits':
    '{path} has no commit yet, so there is nothing to base a worktree on. Commit once, or leave isolation off.',
  'isolate.unreadable': 'git cannot read {path}: {why}',
  'isolate.detached': "HEAD is on no branch: the workers' branches have to be merged by hand.",
  'isolate.subfolder': '{path} is a folder inside the repository {root}; workers start at the root of the repository.',
  'isolate.uncommitted': "{n} uncommitted changes are not in the workers' copies.",
  'isolate.submodules':
    "submodules are empty in the workers' copies: {names}. Where they are needed, `git submodule update --init` fills them.",
  'isolate.filters': 'these git filters are not set up, so files stay as stored (LFS pointers, for example): {names}',
  'isolate.ignored': "ignored files are not in the workers' copies: {names}",
  'isolate.branchElsewhere': 'branch {branch} is checked out at {path} as well',
  'isolate.note': 'You are in a git worktree of your own, on a branch of your own. Not in it: {names}',
} as const;
