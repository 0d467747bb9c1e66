// Which names are meant by letters of them.

// fuzzy tells whether the letters of pattern stand in text in that order: "fo" finds FuseOps.
export function fuzzy(text: string, pattern: string): boolean {
  let at = 0;
  for (const ch of pattern) {
    if (ch === " ") continue;
    at = text.indexOf(ch, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
