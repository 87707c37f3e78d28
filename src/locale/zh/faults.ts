import type { faults as english } from '../en/faults.js';

export const faults = {
  'database.corrupt':
    '{path} 坏了,读不出来({why}),所以没有开始。先把它拷一份留着,再用 `flower doctor` 看还能救回什么,或者换一个运行目录(-r)。',
  'database.locked':
    '{path} 被另一个程序锁着,一直没等到,所以什么都没写。看看是谁开着它(备份、同步、sqlite3 命令行),关掉再来。',
  'database.readonly':
    '{path} 写不进去(只读:{why})。再跑下去就没有记录,所以停在这里。放开这个文件和所在目录的写权限,或者换一个运行目录(-r)。',
  'database.full': '{path} 所在的盘满了,记录写不进去,所以停在这里。腾出地方就能接着来,已经写下的都还在。',
  'database.unavailable':
    '{path} 打不开({why}),没有地方存记录,所以停在这里。看看目录在不在、能不能写,或者换一个运行目录(-r)。',
  'database.noLocks': '{path} 所在的文件系统没有数据库要用的锁({why}),记录存不安全。把运行目录(-r)放到本地磁盘上。',
  'books.viewFailed': '{path} 写不出来:{why}。它只是账本的一份可读副本,运行不受影响,下次会再写。',
  'books.waiting': '账本暂时写不进去:{why}。运行照常继续;做了什么、花了多少先留在内存里,恢复后补记。',
  'books.setAside': '{path} 读不懂,没有导入;原样移到了 {aside},不会被覆盖。',

  'certificate.untrusted':
    '{host}:{port} 的证书不是这台电脑信任的机构签的:多半是会拆看流量的代理、自建机构签名的网关,或者某个网络的登录页。如果它出现在这里是对的,把环境变量 NODE_EXTRA_CA_CERTS 设为那个机构的证书文件(PEM)。',
  'certificate.expired': '{host}:{port} 的证书已过期。要由管它的人换新;如果是这台电脑的时钟不准,就校准时钟。',
  'certificate.early': '{host}:{port} 的证书还没到生效时间。多半是这台电脑的时钟不准:校准它。现在显示的是 {now}。',
  'certificate.host':
    '{host}:{port} 的证书写的是别的名字。看看 ANTHROPIC_BASE_URL 对不对,是不是有代理或网络登录页在替它应答。',
  'certificate.refused':
    '{host}:{port} 的证书没被接受。要由管它的人处理;如果只是这台电脑不认识那个机构,把环境变量 NODE_EXTRA_CA_CERTS 设为它的证书文件(PEM)。',
  'certificate.kept': '什么都没发出去,再试也没用,所以这一步到此为止。会话还在:再启动一次就接着走。',
  'books.emptied':
    '{path} 是空的,旁边的 {view} 却记着几次运行:它被截断了,可能是盘满或同步造成的。有备份就放回来;没有的话,下一次会开新会话,做过什么、花了多少从 {view} 里接过来。',
  'lock.damaged': '{path} 不是 flower 的锁文件({why})。没有人占着它,里面也没有要紧的东西:删掉它再跑一次。',
  'document.unreadable': '{path} 不是 flower 读得了的文档:{why}。没有动它。把它挪走,或者把文档放回来,再跑一次。',
  'document.noFile': '那里不是一个普通文件',
  'document.tooLarge': '有 {megabytes} MB,最多只读 4 MB',
  'runDir.noFolder': '{path} 存不了运行记录,那里是一个文件。把它挪走,或者用 -r 换一个目录。',

  'attempt.noResult': '引擎没给结果就退出了',

  'cfg.withheld':
    '网关地址来自 {a},所以不用从 {b} 借来的 token(不该由 flower 替你发给 {host})。要用就 `flower setup` 存一份',
  'source.process': '进程环境',
} satisfies Record<keyof typeof english, string>;
