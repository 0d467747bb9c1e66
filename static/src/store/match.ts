// How well a few letters fit the name of something, and where. No pass, function or command is meant in particular.

// Fit is lower the better a query fits; at holds the places in the name that it matched.
export interface Fit {
  score: number;
  at: number[];
}

// fit finds the words of a query in a name, each as a part of it or as letters in order ("fops" fits FuseOps), or as a part of what is said
// beside the name. It is null where a word is in neither. A place where a word of the name begins counts more than one within.
export function fit(name: string, beside: string, query: string): Fit | null {
  const at = new Set<number>();
  let score = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const one = inName(name, word) ?? (beside.toLowerCase().includes(word) ? { score: 40, at: [] } : null);
    if (!one) return null;
    score += one.score;
    for (const i of one.at) at.add(i);
  }
  return { score: score + name.length / 1000, at: [...at].sort((a, b) => a - b) };
}

function inName(name: string, word: string): Fit | null {
  const lower = name.toLowerCase();
  const whole = (from: number, score: number): Fit => ({ score, at: Array.from({ length: word.length }, (_, i) => from + i) });
  if (lower === word) return whole(0, 0);
  let inside = -1;
  for (let i = lower.indexOf(word); i >= 0; i = lower.indexOf(word, i + 1)) {
    if (begins(name, i)) return whole(i, i === 0 ? 1 : 2 + i / 100);
    if (inside < 0) inside = i;
  }
  if (inside >= 0) return whole(inside, 4 + inside / 100);
  return letters(name, lower, word);
}

// letters matches the letters of a word in order. Where the next one begins a word of the name further on, it is taken from there: "fo"
// takes the O of FuseOps, not another. Initials alone fit nearly as well as the name.
function letters(name: string, lower: string, word: string): Fit | null {
  const at: number[] = [];
  let from = 0;
  let score = 0;
  let initials = true;
  for (const ch of word) {
    let i = lower.indexOf(ch, from);
    if (i < 0) return null;
    if (i !== from || at.length === 0) {
      let k = i;
      while (k >= 0 && !begins(name, k)) k = lower.indexOf(ch, k + 1);
      if (k >= 0 && lower.slice(k + 1).length >= word.length - at.length - 1 && follows(lower, k + 1, word.slice(at.length + 1))) i = k;
    }
    const begun = begins(name, i);
    initials &&= begun;
    score += begun ? 0.2 : Math.min(2, i - from) + 0.5;
    at.push(i);
    from = i + 1;
  }
  return { score: (initials ? 3 : 10) + score, at };
}

// follows tells whether the letters of a word are in a text in order, from a place on.
function follows(text: string, from: number, word: string): boolean {
  for (const ch of word) {
    from = text.indexOf(ch, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

// begins tells whether a word of a name begins at a place: a capital after a small letter, or what follows a sign.
function begins(name: string, i: number): boolean {
  if (i === 0) return true;
  const [before, here] = [name[i - 1]!, name[i]!];
  return !/[\p{L}\p{N}]/u.test(before) || (/\p{Lu}/u.test(here) && !/\p{Lu}/u.test(before));
}
