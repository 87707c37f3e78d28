import { readTokens, type Token } from './readTokens.js';
import { isDevice, readWord, type Word } from './readWord.js';
import { isRefusal, type Refusal, refuse } from './refusal.js';

/** A simple command and the operator after it; `''` at the end of the line. */
export interface Command {
  readonly words: readonly Word[];
  readonly followedBy: string;
}

const MAX_LENGTH = 8192;
/** Characters that mean something to the grammar. A line of thousands of them takes it seconds to give up on. */
const SPECIAL = /[|&;<>(){}[\]$`=~!]/g;
const MAX_SPECIALS = 300;
const OUTPUTS = ['>', '>>', '>|', '&>', '&>>'];
const DUPLICATES = ['>&', '<&'];
const CLOSERS = ['>&-', '<&-'];
/** After these a command has to follow. */
const OPEN = ['&&', '||', '|', '|&'];

/**
 * Splits a command line into its simple commands. Redirections that write nothing are taken out; all others, and whatever isn't
 * a flat row of simple commands, refuse the line.
 *
 * The grammar is lenient in places where Bash isn't. So the tree alone is not believed: every character must belong to a token
 * or to blanks between tokens, tokens must not touch where Bash would see one word, and each word is read again by Bash's
 * quoting rules.
 */
export function readCommandLine(source: string): Command[] | Refusal {
  if (source.trim() === '') return refuse('empty');
  if (source.length > MAX_LENGTH) return refuse('tooLong');
  if (/[^\P{Cc}\n\t]/u.test(source)) return refuse('control');
  if ((source.match(SPECIAL)?.length ?? 0) > MAX_SPECIALS) return refuse('syntax', source);
  const tokens = readTokens(source);
  if (isRefusal(tokens)) return tokens;
  const separated = withLineBreaks(tokens, source);
  return isRefusal(separated) ? separated : splitCommands(separated, source);
}

/** Checks what stands between the tokens, and puts line breaks (which the tree doesn't show) and the end of the line among them. */
function withLineBreaks(tokens: readonly Token[], source: string): Token[] | Refusal {
  const separated: Token[] = [];
  let previous: Token = { kind: 'separator', text: '', start: 0, end: 0 };
  for (const token of [...tokens, { kind: 'separator', text: '', start: source.length, end: source.length } as const]) {
    const gap = source.slice(previous.end, token.start).replaceAll('\\\n', '');
    if (!/^[ \t\n]*$/.test(gap) || isOneWord(previous, gap, token)) return refuse('syntax', source);
    if (gap.includes('\n')) separated.push({ kind: 'separator', text: '\n', start: previous.end, end: token.start });
    if (token.kind !== 'comment') separated.push(token);
    previous = token;
  }
  return separated;
}

/** True if Bash reads the two tokens as one word, or one token of the tree as two. */
function isOneWord(previous: Token, gap: string, token: Token): boolean {
  if (previous.kind === 'descriptor') return gap !== '' || token.kind !== 'redirect';
  if (gap !== '' || previous.kind === 'separator') return false;
  if (token.kind === 'descriptor' || token.kind === 'comment') return true;
  if (token.kind === 'redirect') return /^(?:\d+|\{\w+\})$/.test(previous.text);
  return token.kind === 'word' && (previous.kind === 'word' || CLOSERS.includes(previous.text));
}

function splitCommands(tokens: readonly Token[], source: string): Command[] | Refusal {
  const commands: Command[] = [];
  let words: Word[] = [];
  let redirected = false;
  let open = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token?.kind === 'word') {
      const word = readWord(token.text);
      if (isRefusal(word)) return word;
      words.push(word);
    } else if (token?.kind === 'redirect') {
      const refusal = judgeRedirect(token.text, tokens[i + 1]);
      if (refusal) return refusal;
      if (!CLOSERS.includes(token.text)) i += 1;
      redirected = true;
    } else if (token?.kind === 'separator') {
      // Blank lines, line breaks after an operator, and the end after a `;` separate nothing.
      const separatesNothing = !redirected && (token.text === '\n' || (token.text === '' && !open));
      if (words.length > 0) {
        commands.push({ words, followedBy: token.text });
        open = OPEN.includes(token.text);
      } else if (!separatesNothing) return refuse('syntax', source);
      words = [];
      redirected = false;
    }
  }
  return commands;
}

function judgeRedirect(operator: string, target: Token | undefined): Refusal | null {
  if (CLOSERS.includes(operator)) return null;
  const shown = `${operator}${target?.text ?? ''}`;
  if (target?.kind !== 'word') return refuse('redirect', shown);
  if (OUTPUTS.includes(operator)) return target.text === '/dev/null' ? null : refuse('redirect', shown);
  if (DUPLICATES.includes(operator)) return /^(?:\d+|-)$/.test(target.text) ? null : refuse('redirect', shown);
  const word = readWord(target.text);
  if (isRefusal(word)) return word;
  if (operator === '<<<') return null;
  const isPlain = !word.hasVariable && word.globAt === -1 && !word.expandsBraces;
  if (operator !== '<' || !isPlain || /^\/dev\/(?:tcp|udp)\//.test(word.value)) return refuse('redirect', shown);
  return isDevice(word.value) ? refuse('endless', shown) : null;
}
