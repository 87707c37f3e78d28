import type { bench as english } from '../en/bench.js';

export const bench = {
  'index.title': '工作台索引',
  'index.note': '自动生成,勿手改。scripts 首行写 `# desc: 一句话` 会出现在这里。',
  'index.scripts': '可复用脚本',
  'index.artifacts': '产出',
  'index.notes': '决策记录',
  'index.heading': '{title}({n})',
  'index.noDesc': '(无说明)',
  'bench.title': '工作台',
  'bench.useFirst': '已经存在的东西,**先用,不要重写**:',
  'bench.scripts': '脚本',
  'bench.artifacts': '产出',
  'bench.notes': '笔记',
  'bench.more': '…另有 {n} 个,`ls {dir}/` 查看',
  'bench.emptyAll': '(目前为空)',
  'bench.new': '你上次停下之后,工作台里变了这些:',
} satisfies Record<keyof typeof english, string>;
