import type { worktrees as english } from '../en/worktrees.js';

/** 隔离 worker 的 git worktree:开工前查什么、告诉他们什么、留下了什么。 */
export const worktrees = {
  'worktree.clean': '干净,都合并了',
  'worktree.missing': '文件夹已经不在,没有丢提交',
  'worktree.unmerged': '{n} 个提交还没合并',
  'worktree.unsaved': '有没提交的东西:{names}',
  'worktree.busy': '正在用:{names}',
  'worktree.unknown': 'git 说不清,当作有东西',
  'worktree.locked': '被锁住({reason})',
  'worktree.process': '进程 {pid}',
  'isolate.noGit': '隔离要用 git,但跑不起来 git。装上它,或者不用隔离。',
  'isolate.bare': '{path} 是 bare 仓库,没有工作树。换一个检出的目录,或者不用隔离。',
  'isolate.noCommits': '{path} 里还没有提交,worktree 没有可依据的版本。先提交一次,或者不用隔离。',
  'isolate.unreadable': 'git 读不了 {path}:{why}',
  'isolate.detached': 'HEAD 不在任何分支上:worker 的分支要自己合并回来。',
  'isolate.subfolder': '{path} 是仓库 {root} 的子目录;worker 从仓库根目录开始。',
  'isolate.uncommitted': '有 {n} 处没提交的改动,worker 的工作副本里看不到它们。',
  'isolate.submodules':
    'submodule 在 worker 的工作副本里是空的:{names}。需要的话让它先跑 `git submodule update --init`。',
  'isolate.filters': '这些 git 过滤器没有配置,文件会是原样(比如 LFS 指针):{names}',
  'isolate.ignored': '被忽略的文件不在 worker 的工作副本里:{names}',
  'isolate.branchElsewhere': '分支 {branch} 同时检出在 {path}',
  'isolate.note': '你在自己的 git worktree 里,分支是你的。这里没有:{names}',
} satisfies Record<keyof typeof english, string>;
