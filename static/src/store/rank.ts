// Which passes are meant by a few letters.

import type { PassInfo } from "../wire";

// rank returns the passes that a query finds, best first: by a part of the name, by letters of it in order ("fldcnst" finds
// FoldConstant), by words of the doc. An empty query finds all.
export function rank(passes: PassInfo[], query: string): PassInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = passes.map((pass, i) => ({ pass, i, score: words.reduce((sum, w) => sum + score(pass, w), 0) }));
  return scored.filter((x) => x.score < missing).sort((a, b) => a.score - b.score || a.i - b.i).map((x) => x.pass);
}

const missing = 1e6;

// score is low where a word fits well.
function score(p: PassInfo, word: string): number {
  const name = p.name.toLowerCase();
  const short = name.replace(/^(tir|user)\./, "");
  if (name === word || short === word) return 0;
  if (short.startsWith(word)) return 1 + short.length / 100;
  const at = name.indexOf(word);
  if (at >= 0) return 2 + at / 100;
  const gaps = spread(short, word);
  if (gaps < missing) return 10 + gaps;
  return p.doc.toLowerCase().includes(word) ? 100 : missing;
}

// spread counts the letters of text between those of a word that stand in it in order.
function spread(text: string, word: string): number {
  let best = missing;
  for (let start = text.indexOf(word[0]!); start >= 0; start = text.indexOf(word[0]!, start + 1)) {
    let at = start;
    let ok = true;
    for (const ch of word.slice(1)) {
      at = text.indexOf(ch, at + 1);
      if (at < 0) {
        ok = false;
        break;
      }
    }
    if (ok) best = Math.min(best, at - start + 1 - word.length + start / 10);
  }
  return best;
}
