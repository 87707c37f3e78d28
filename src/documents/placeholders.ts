import { aliases, type LocaleKey } from '../locale/locale.js';

const unanswered = formsOf('placeholder.unfilled', 'placeholder.empty');
const placeholders = formsOf('placeholder.unfilled', 'placeholder.empty', 'placeholder.none', 'placeholder.noneYet');
const noneWords = new Set(aliases('none').map(bare));

/**
 * True if a section holds a placeholder of either language and nothing else.
 *
 * @param options `noneIsAnswer`: "(none)" is what the section says, not a gap
 */
export function isPlaceholder(body: string, options: { readonly noneIsAnswer?: boolean } = {}): boolean {
  return body.length < 40 && (options.noneIsAnswer ? unanswered : placeholders).has(halfWidth(body));
}

/** True if a list item says that there is none: the words of both languages, with or without brackets and final stop. */
export function saysNone(item: string): boolean {
  return item.length < 40 && (noneWords.has(bare(item)) || placeholders.has(halfWidth(item)));
}

function formsOf(...keys: readonly LocaleKey[]): ReadonlySet<string> {
  return new Set(keys.flatMap((key) => aliases(key)).map(halfWidth));
}

/** Without the marks and the final stop that models put round a placeholder; full-width brackets as half-width ones. */
function halfWidth(words: string): string {
  return words
    .trim()
    .replace(/^[*_`]+|[*_`.。]+$/g, '')
    .replace(/（/g, '(')
    .replace(/）/g, ')')
    .toLowerCase();
}

function bare(words: string): string {
  return halfWidth(words).replace(/^\(\s*|\s*[.。]?\s*\)$/g, '');
}
