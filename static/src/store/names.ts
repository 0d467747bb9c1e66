// Long names, of which the middle can go: the end is what tells names of one kind apart.

// tailOfPass returns the last word of the name of a pass, or nothing where the name is short enough to be shown whole.
export function tailOfPass(name: string): string {
  if (name.length < 16) return "";
  const word = /(?:[A-Z]+[a-z0-9]*|[A-Z]?[a-z0-9]+)$/.exec(name)?.[0] ?? "";
  return word.length >= 3 && word.length <= 12 ? word : name.slice(-8);
}

const most = 22;

// tails returns for each name the end that tells it from all others, from the beginning of a word on: at least eight letters and at most
// twenty-two. A name that is short has none. It sorts the names by their ends, so that only neighbours have to be compared.
export function tails(names: readonly string[]): Map<string, string> {
  const reversed = names.map((name) => [...name].reverse().join("")).sort();
  const common = (a: string | undefined, b: string | undefined): number => {
    let n = 0;
    while (a && b && n < a.length && a[n] === b[n]) n++;
    return n;
  };
  const out = new Map<string, string>();
  reversed.forEach((r, i) => {
    const name = [...r].reverse().join("");
    if (name.length <= 20) return;
    const unique = Math.max(8, Math.max(common(r, reversed[i - 1]), common(r, reversed[i + 1])) + 1);
    const word = r.indexOf("_", unique - 1);
    const n = word >= 0 && word < most ? word : Math.min(unique, most);
    out.set(name, name.slice(-n));
  });
  return out;
}
