// Search in an exported page: for text, names and the steps in which a name came up or went. A server answers more questions.

import type { RunModel, Step } from "../store/model";
import { importPath } from "../store/model";
import type { Unpacker } from "./unpack";

// Found is a line, as the server's search describes it.
interface Found {
  step: string;
  pass: string;
  function: string;
  kind: string;
  side: "before" | "after";
  text: string;
  line: number;
  excerpt: string;
  from: number;
  matches: [number, number][];
  link: string;
}

interface Answer {
  results: Found[];
  notes: string[];
  more: boolean;
  next?: string;
  sealed: boolean;
}

// Place is a text that a step made, or replaced.
interface Place {
  step: string;
  pass: string;
  fn: string;
  kind: string;
  side: "before" | "after";
  text: string;
}

// excerptLength is the number of characters of a line that a result shows, lead what it shows before what was found.
const excerptLength = 200;
const lead = 60;

// search answers a query with results from a number on.
export function search(model: RunModel, texts: Unpacker, query: string, kind: string, from: number, count: number): Answer {
  const q = parse(query);
  const notes: string[] = [];
  if (q.unknown.length > 0) notes.push(`An exported page does not search with ${q.unknown.join(", ")}; open its session on a server for that`);
  const places = q.question ? answer(model, texts, q.question, kind, notes) : made(model, kind);
  const patterns = q.question ? [q.question.word] : q.words;
  const results: Found[] = [];
  let seen = 0;
  if (patterns.length > 0 && q.unknown.length === 0) {
    const known = new Map<number, [number, number][] | null>();
    for (const p of places) {
      if (!q.pass(p.pass) || !q.fn(p.fn)) continue;
      for (const [line, cell] of (texts.lines(p.text, "exact") ?? []).entries()) {
        let matches = known.get(cell);
        if (matches === undefined) {
          matches = find(texts.printed(cell), patterns);
          known.set(cell, matches);
        }
        if (!matches || seen++ < from) continue;
        if (results.length === count) return { results, notes, more: true, next: String(from + count), sealed: true };
        results.push(found(p, line + 1, texts.printed(cell), matches));
      }
    }
  }
  return { results, notes, more: false, sealed: true };
}

// parse reads a query: words, text in quotes, name:, gone:, born:, pass: and fn:.
function parse(query: string): { words: RegExp[]; question: { gone: boolean; word: RegExp } | null; pass(name: string): boolean; fn(name: string): boolean; unknown: string[] } {
  const out = { words: [] as RegExp[], question: null as { gone: boolean; word: RegExp } | null, pass: (_: string): boolean => true, fn: (_: string): boolean => true, unknown: [] as string[] };
  for (const [term, field, quoted, plain] of query.matchAll(/(?:(\w+):)?(?:"((?:\\.|[^"])*)"|(\S+))/g)) {
    const text = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "";
    if (!field && quoted === undefined && text.startsWith("/")) out.unknown.push(term);
    else if (!field) out.words.push(new RegExp(escape(text), /[A-Z]/.test(text) ? "gd" : "gid"));
    else if (field === "name") out.words.push(whole(text));
    else if (field === "gone" || field === "born") out.question = { gone: field === "gone", word: whole(text) };
    else if (field === "pass" || field === "fn") out[field] = glob(text);
    else out.unknown.push(`${field}:`);
  }
  return out;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function whole(text: string): RegExp {
  return new RegExp(`(?<!\\w)${escape(text)}(?!\\w)`, "gd");
}

function glob(text: string): (name: string) => boolean {
  const re = new RegExp(`^${escape(text).replaceAll("\\*", ".*").replaceAll("\\?", ".")}$`, /[A-Z]/.test(text) ? "" : "i");
  return (name) => re.test(name);
}

// find returns the columns of what each pattern finds in a line; null where one finds nothing.
function find(line: string, patterns: RegExp[]): [number, number][] | null {
  const all: [number, number][] = [];
  for (const p of patterns) {
    const hits = [...line.matchAll(p)].filter((m) => m[0] !== "").map((m): [number, number] => [m.index, m.index + m[0].length]);
    if (hits.length === 0) return null;
    all.push(...hits);
  }
  return all.sort((a, b) => a[0] - b[0]).filter((m, i, list) => i === 0 || m[0] >= list[i - 1]![1]).slice(0, 20);
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;

function found(p: Place, line: number, text: string, matches: [number, number][]): Found {
  const start = text.length <= excerptLength ? 0 : Math.max(0, matches[0]![0] - lead);
  const column = (i: number): number => bytes(text.slice(0, i)) + 1;
  const query = new URLSearchParams({ run: "1", pass: p.step, function: p.fn, view: p.kind === "code" ? "code" : "unified", line: String(line) });
  return {
    step: p.step, pass: p.pass, function: p.fn, kind: p.kind, side: p.side, text: p.text, line, excerpt: text.slice(start, start + excerptLength), from: column(start),
    matches: matches.map(([a, b]): [number, number] => [column(a), column(b)]), link: `?${query.toString()}`,
  };
}

const passes = (model: RunModel): Step[] => model.all().filter((s) => s.kind !== "sequential" && s.finished);

// made lists the texts that the steps of a run made, in their order.
function made(model: RunModel, kind: string): Place[] {
  const out: Place[] = [];
  const add = (step: string, pass: string, fn: string, of: string, text: string | undefined): void => {
    if (text && (kind === "" || kind === of)) out.push({ step, pass, fn, kind: of, side: "after", text });
  };
  for (const f of model.started?.functions ?? []) add(importPath, "import", f.name, f.kind, f.text);
  for (const s of passes(model)) for (const f of s.finished!.functions) add(s.path, s.name, f.name, f.kind, f.after);
  for (const k of model.code?.kernels ?? []) add("code", "code", k.name, "code", k.text);
  return out;
}

// answer finds the texts of the first step after which a word is gone, or there.
function answer(model: RunModel, texts: Unpacker, { gone, word }: { gone: boolean; word: RegExp }, kind: string, notes: string[]): Place[] {
  const has = (text: string | undefined): boolean => text !== undefined && (texts.lines(text, "exact") ?? []).some((c) => find(texts.printed(c), [word]) !== null);
  const there = new Set<string>();
  const of = (k: string): boolean => kind === "" || kind === k;
  for (const f of model.started?.functions ?? []) if (of(f.kind) && has(f.text)) there.add(f.name);
  if (!gone && there.size > 0) return made(model, kind).filter((p) => p.step === importPath);
  for (const s of passes(model)) {
    const before = there.size;
    const changed = s.finished!.functions.filter((f) => of(f.kind));
    for (const f of changed) {
      if (has(f.after)) there.add(f.name);
      else there.delete(f.name);
    }
    if (gone ? before === 0 || there.size > 0 : there.size === 0) continue;
    const side = gone ? "before" : "after";
    return changed.flatMap((f): Place[] => (f[side] ? [{ step: s.path, pass: s.name, fn: f.name, kind: f.kind, side, text: f[side] }] : []));
  }
  notes.push(gone && there.size > 0 ? "It is there to the end" : "It is in no step");
  return [];
}
