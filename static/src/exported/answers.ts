// The answers of an exported page to the requests of the page of a session: everything comes out of the file.

import { type Known } from "../store/api";
import { RunModel } from "../store/model";
import type { Form, LoopTree, WireEvent } from "../wire";
import { search } from "./search";
import { type Packed, Unpacker } from "./unpack";

// Exported is what lies in the file, see web/export/page.go.
export interface Exported {
  run: string;
  events: WireEvent[];
  // answers are those that are the same for everybody, by address.
  answers: Record<string, unknown>;
  packed: Packed;
  cells: string[];
}

// missing is what the reader is told about what is not in the file.
const missing = "this is not in the exported page; open its session on a server, or the archive";

// answersOf answers every request, or throws.
export function answersOf(file: Exported): Known {
  const texts = new Unpacker(file.packed, file.cells);
  let model: RunModel | null = null;
  const rest: [RegExp, (m: string[], q: URLSearchParams) => unknown][] = [
    [/^(?:\/api)?\/diff\/(.+)\/(.+)$/, ([, a, b], q) => {
      const context = q.get("context") ?? "3";
      return texts.diff(a!, b!, q.get("view") === "split" ? "split" : "unified", form(q), context === "all" ? context : Number(context), Number(q.get("from")), Number(q.get("count")));
    }],
    [/^(?:\/api)?\/ir\/(.+)$/, ([, name], q) => (q.has("raw") ? JSON.parse(file.packed.raw[name!] ?? "null") : texts.text(name!, form(q), Number(q.get("from")), Number(q.get("count"))))],
    [/^\/loops\/(.*)$/, ([, name]) => loops(file.packed, name!)],
    [/^\/api\/runs\/1\/search$/, (_, q) => {
      if (!model) (model = new RunModel(file.run)).apply(file.events);
      return search(model, texts, q.get("q") ?? "", q.get("kind") ?? "", Number(q.get("cursor")), Number(q.get("count")));
    }],
  ];
  return (address) => {
    const known = file.answers[address];
    if (known !== undefined) return known;
    const [path = "", query = ""] = address.split("?");
    for (const [pattern, answer] of rest) {
      const m = pattern.exec(path);
      const given = m && answer(m, new URLSearchParams(query));
      if (given) return given;
    }
    throw new Error(missing);
  };
}

function form(q: URLSearchParams): Form {
  return q.get("form") === "compact" ? "compact" : "exact";
}

// loops returns the loops of a text; without a name, whether there are any.
function loops({ loops: all }: Packed, name: string): LoopTree | boolean | undefined {
  if (!name) return all !== undefined;
  const tree = all?.trees[name];
  let line = 0;
  return tree && { name: tree.name, rows: tree.rows.map((n, i) => ({ ...all!.rows[n]!, line: (line += tree.lines[i]!) })), omitted: tree.omitted ?? 0 };
}
