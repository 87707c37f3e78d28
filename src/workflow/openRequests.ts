import { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import type { Places } from './places.js';

/** What the person asked for, oldest first, where a clarifier was cut off and can go on; empty elsewhere. Writes nothing. */
export function openRequests(runDir: string, places: Places): readonly string[] {
  if (Lineage.open(runDir, places.workspace).steps.clarify === undefined) return [];
  const books = Books.peek(runDir, places.locale);
  try {
    return (books?.kept(nameOf(places)) as string[] | undefined) ?? [];
  } finally {
    books?.close();
  }
}

/** Adds words to the open requests; the first ones of a run begin anew. */
export function keepRequest(runDir: string, places: Places, words: string): void {
  const known = openRequests(runDir, places);
  if (words === '' || known.includes(words)) return;
  const books = Books.open(runDir, { locale: places.locale });
  books.keep(nameOf(places), [...known, words]);
  books.close();
}

function nameOf({ notes }: Places): string {
  return `request ${notes}`;
}
