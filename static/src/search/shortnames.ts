// The names of a query that the text on the page shows shorter than they are printed. The search reads what is printed.

import { cellsOf, wordsOf } from "../store/cells";
import type { Source } from "../store/source";

// mostRows is how many rows of the text are looked at.
const mostRows = 2000;

// Short is a word of a query, and the one name that it stands for in the text.
export interface Short {
  word: string;
  full: string;
}

// shortNames lists the words of a query that stand for a longer name in the rows that are there. One that stands for several tells nothing.
export function shortNames(query: string, source: Source | null): Short[] {
  const asked = new Map([...new Set(query.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [])].map((word) => [word, new Set<string>()]));
  for (let i = 0; source && i < Math.min(source.total, mostRows); i++) {
    const row = source.get(i);
    for (const cell of row ? cellsOf(row, source.split) : []) {
      if (!cell?.compact) continue;
      for (const { shown, full } of wordsOf(cell)) if (/^[\p{L}\p{N}_]+$/u.test(full)) asked.get(shown)?.add(full);
    }
  }
  return [...asked].flatMap(([word, names]) => {
    names.delete(word);
    const [full, ...others] = names;
    return full && others.length === 0 ? [{ word, full }] : [];
  });
}

// inFull is a query with a word in full.
export function inFull(query: string, { word, full }: Short): string {
  return query.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?![\\p{L}\\p{N}_])`, "gu"), full);
}
