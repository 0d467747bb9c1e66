// Generated code and the lines of the function that it was made of. Each line of code ends in "; 12", or ";; 12" in the text of
// WebAssembly, the number of its line.

import { api } from "./api";
import { plural } from "./format";
import type { RunModel, Step } from "./model";
import type { State } from "./state";
import type { Row } from "./source";

// Origin is what belongs to a line of the one text in the other.
export interface Origin {
  // where says which line it is, text is that line.
  where: string;
  text: string;
  line: number;
}

// Origins finds it.
export interface Origins {
  // key is a number that rows have in common which belong to one origin; 0 for a row that belongs to none.
  key(row: Row): number;
  find(key: number): Promise<Origin | null>;
  // go shows a line of the other text.
  go(line: number): void;
}

// FindOrigins chooses what finds the origins of a text; undefined where none are known.
export type FindOrigins = (by: { inFunction: typeof inFunction; inCode: typeof inCode }) => Origins | undefined;

// lineOf is the number at the end of an instruction, 0 where there is none.
export function lineOf(text: string): number {
  return Number(/ ;;? (\d+)$/.exec(text)?.[1] ?? 0);
}

// Instructions are those that belong to one line: how many, and the first.
interface Instructions {
  count: number;
  first: number;
  text: string;
}

// byLine lists the instructions of a text by the line that they belong to.
export function byLine(lines: readonly string[]): Map<number, Instructions> {
  const out = new Map<number, Instructions>();
  lines.forEach((text, i) => {
    const n = lineOf(text);
    const known = out.get(n);
    if (known) known.count++;
    else if (n > 0) out.set(n, { count: 1, first: i + 1, text: text.replace(/\s*;;? \d+$/, "").trim() });
  });
  return out;
}

export function textOf(row: Row): string {
  return row.kind === "head" ? "" : (row.text ?? []).map((span) => span[1]).join("");
}

// page is how many lines a request asks for, which the server allows.
const page = 2000;

async function wholeText(hash: string): Promise<string[]> {
  const out: string[] = [];
  for (;;) {
    const { rows, lines } = await api.text(hash, "exact", out.length + 1, page);
    out.push(...rows.map((spans) => spans.map((span) => span[1]).join("")));
    if (rows.length === 0 || out.length >= lines) return out;
  }
}

function codeOf(model: RunModel, fn: string): { text: string; language: string } | undefined {
  return model.code?.kernels.find((k) => k.name === fn && (k.language === "asm" || k.language === "wat"));
}

// lastStep is the step whose module the code was made of.
function lastStep(model: RunModel): Step | null {
  return model.roots.at(-1) ?? null;
}

// inFunction has the lines of a function for the instructions of its code; undefined where that names none.
export function inFunction(model: RunModel, fn: string, go: (to: Partial<State>) => void): Origins | undefined {
  const f = codeOf(model, fn) && model.functionsAt(lastStep(model)).find((x) => x.name === fn);
  if (!f) return undefined;
  return {
    key: (row) => lineOf(textOf(row)),
    async find(line) {
      const { rows } = await api.text(f.text, "exact", line, 1);
      return rows[0] ? { where: `Line ${line}`, text: rows[0].map((span) => span[1]).join("").trim(), line } : null;
    },
    go: (line) => go({ pass: lastStep(model)!.path, fn, view: "ir", line }),
  };
}

// inCode has the instructions for the lines of a function, as it is when the last step has ended; undefined where there are none.
export function inCode(model: RunModel, fn: string, text: string, go: (to: Partial<State>) => void): Origins | undefined {
  const code = codeOf(model, fn);
  if (!code || model.functionsAt(lastStep(model)).find((x) => x.name === fn)?.text !== text) return undefined;
  let all: Promise<Map<number, Instructions>> | undefined;
  return {
    key: (row) => row.after ?? 0,
    async find(key) {
      const found = (await (all ??= wholeText(code.text).then(byLine))).get(key);
      const unit = code.language === "asm" ? "instruction" : "code line"; // which may hold several
      return found ? { where: plural(found.count, unit), text: found.text, line: found.first } : null;
    },
    go: (line) => go({ fn, view: "code", line }),
  };
}
