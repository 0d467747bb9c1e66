// The life of a value in a sentence, from its history.

import type { Entry, History, Verb } from "../wire";

const words: Record<Verb, string> = {
  born: "born", rewritten: "rewritten", fused: "fused", split: "split", lowered: "lowered", dropped: "cut down", folded: "folded into constants", died: "gone", same: "left alone",
};

// telling are the verbs that say most, the first most of all.
const telling: Verb[] = ["died", "born", "fused", "folded", "lowered", "split", "dropped", "rewritten"];

// mostPasses is how many passes in a row are named, mostParts how many events.
const mostPasses = 2;
const mostParts = 5;

interface Part {
  verb: Verb;
  passes: string[];
  at: number;
}

// biography says where a value comes from and what became of it: "Born in LegalizeOps from Conv conv1, fused in FuseOps, gone in FuseTIR."
// Of a long life it names the first event, the last, and those between that say most.
export function biography(h: History): string {
  const parts = merged(h.entries.filter((e) => e.verb !== "same"));
  if (parts.length === 0) return h.roots.length > 0 ? `It comes${origin(h)}; no pass has changed it.` : "Nothing is known of where it comes from.";
  const last = parts.at(-1)!;
  const between = parts.slice(1, -1).sort((a, b) => telling.indexOf(a.verb) - telling.indexOf(b.verb) || a.at - b.at).slice(0, mostParts - 2);
  const shown = parts.filter((p) => p.at === 0 || p === last || between.includes(p));
  const left = parts.filter((p) => !shown.includes(p)).reduce((n, p) => n + p.passes.length, 0);
  const text = shown.map((p) => `${words[p.verb]} in ${named(p.passes)}${p.at === 0 ? origin(h) : ""}`).join(", ");
  const rest = left > 0 ? `; ${left} more ${left === 1 ? "pass" : "passes"} changed it` : "";
  return `${text[0]!.toUpperCase()}${text.slice(1)}${rest}${last.verb !== "died" && !h.sealed ? ", so far" : ""}.`;
}

// merged makes one part of events of one kind in a row.
function merged(events: Entry[]): Part[] {
  const out: Part[] = [];
  for (const e of events) {
    const pass = e.pass === "import" ? "the import" : e.pass === "code" ? "code generation" : e.pass;
    const last = out.at(-1);
    if (last?.verb === e.verb) last.passes.push(pass);
    else out.push({ verb: e.verb, passes: [pass], at: out.length });
  }
  return out;
}

// origin names what a value comes from.
function origin(h: History): string {
  const [first] = h.roots;
  if (!first) return "";
  const more = h.roots.length - 1 + (h.more ?? 0);
  const name = first.line && first.op === "line" ? `line ${first.line} of the source` : `${first.op} ${first.name}`.trim();
  return ` from ${name}${more > 0 ? ` and ${more} more` : ""}`;
}

function named(passes: string[]): string {
  const names = passes.length > mostPasses + 1 ? [...passes.slice(0, mostPasses), `${passes.length - mostPasses} more passes`] : passes;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
