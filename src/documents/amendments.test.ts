import { describe, expect, it } from 'vitest';
import { amendmentsOf, splitAmendments } from './amendments.js';

describe('amendments', () => {
  const tail = '## 运行中补充(09:15:00)\n再快一点\n ## 边界\n\n## Added on waking (10:00:00)\n\n```\nopen';

  it('splits a text at the first amendment', () => {
    expect(splitAmendments(`## Goal\r\nA\r\n\r\n${tail}\r\n\r\n`)).toEqual({
      body: '## Goal\nA\n\n',
      amendments: tail,
    });
    expect(splitAmendments('## Goal\nA')).toEqual({ body: '## Goal\nA', amendments: '' });
  });

  it('lists them with the words of the person', () => {
    expect(amendmentsOf(`A\n\n${tail}`)).toEqual([
      { heading: '## 运行中补充(09:15:00)', words: '再快一点\n ## 边界' },
      { heading: '## Added on waking (10:00:00)', words: '```\nopen' },
    ]);
    expect(amendmentsOf('A')).toEqual([]);
  });

  it.each([
    '## Added during the run',
    ' ## Added during the run (09:15:00)',
    '## Added during the run (09:15:00) x',
    '# Added during the run (09:15:00)',
  ])('does not take %j for an amendment heading', (line) => {
    expect(splitAmendments(line).amendments).toBe('');
  });
});
