import type { stores as english } from '../en/stores.js';

export const stores = {
  'spill.pointer':
    '[输出 {n} 字符,已落盘到 {path} —— 需要全文用 Read 读它,需要找东西用 Grep 搜它]\n开头 400 字符:{head}',
  'trim.placeholder': '[工具结果已归档:{n} 字符。完整内容在 {path},需要时用 Read 读取]',
  'ephemeral.text': '[{cmd} 的结果已过期(第 {age} 轮前),当前状态可能已变。需要请重新执行]',
  'prune.interrupt': '[上一轮在此处被中断,该工具结果未产生]',
  'prune.orphan': '[这一步被打断了,没有结果。需要的话重做。]',
  'prune.orphanUnknown': '[这一步被打断了,结果未知:可能已经做了,也可能没有。先查清楚再决定要不要重做。]',
  'prune.cutWorker':
    '[这个 subagent 没做完就被切断了,所以这不是完整的报告。它改过的东西还在,可能只做了一半。剩下的部分再派一个 subagent 去做,让它先看看已经做到哪里。]',
  'prune.lostCall': '[一个工具结果,对应的调用已不在记录里]',
  'trim.none': '未裁剪',
  'trim.expiredOnly': '{n} 个时效性结果标记为过期',
  'store.waiting': '会话库暂时写不进去:{why}。记录先留在内存里,恢复后补写。',
  'store.stillMissing': '会话 {id} 的记录没能从本地副本补回({why}):以后续跑时会缺这一段',
  'store.notMirrored': '会话 {id} 有记录没进会话库,正从本地副本补回',
  'store.newer':
    '{path} 是更新版本的 flower 写的(结构 {found},这里认得到 {known}),没有动它。装上新的:npm install -g flower-agent',
  'trim.full': '裁掉 {n} 个工具结果(保留最近 {k} 个),省下 ~{t} tokens',
  'store.why.busy': '另一个程序一直锁着 {path}',
  'store.why.full': '{path} 所在的盘满了',
  'store.why.gone': '{path} 已经不在,或者换成了别的文件',
  'store.overfull': '会话库写不进去({why}),内存里等着的记录已经到 64 MiB,这一批收不下了',
  'store.loadFailed':
    '{path} 里的会话 {key} 读不出来:{why}。停在这里,免得拿一份旧的本地副本接着跑。用 `flower doctor` 查这个文件,或者加 --new 从头来。',
  'store.nothingReadable': '它的 {n} 条记录没有一条读得懂',
  'prune.lostStart': '[这段对话的开头已不在记录里]',
  'store.closed': '会话库已经关闭,这一批没有收下',
} satisfies Record<keyof typeof english, string>;
