// What happened, step by step, in words: each pass and each place is a link.

import { h } from "../widgets/dom";
import { plural } from "../store/format";
import { type Entry, type History, kinds, type LifePlace, type Root, signs, words } from "./wire";
import type { RunModel } from "../store/model";

export interface Links {
  pass(entry: Entry): void;
  place(entry: Entry, place: LifePlace): void;
  root(root: Root): void;
}

// shownPlaces is how many places of a step are listed; a kernel has hundreds of loops and stores.
const shownPlaces = 4;

export function list(model: RunModel, a: History, on: Links): HTMLElement {
  const events = a.entries.filter((e) => e.verb !== "same");
  const items = events.map((e) => item(model, e, on));
  const same = a.entries.length - events.length;
  const tail: string[] = [];
  if (same > 0) tail.push(`${same} ${same === 1 ? "pass" : "passes"} changed a function that contains it and left it unchanged.`);
  if (a.cut?.length) tail.push(`${plural(a.cut.length, "step")} changed too much to be recorded and ${a.cut.length === 1 ? "is" : "are"} left out: ${a.cut.join(", ")}.`);
  if (!a.sealed) tail.push("The run is still in progress; this is its history so far.");
  return h("div", { class: "h-list", role: "region", "aria-label": "Events", tabindex: 0 },
    events.length > 0 ? h("ol", { class: "h-events" }, ...items) : h("p", { class: "quiet" }, "Nothing in this run came from it."),
    ...tail.map((text) => h("p", { class: "h-tail" }, text)));
}

function item(model: RunModel, e: Entry, on: Links): HTMLElement {
  const pass = link(e.pass === "import" ? "Import" : e.pass === "code" ? "Code generation" : e.pass, "h-pass", () => on.pass(e));
  const li = h("li", { class: "h-event" },
    h("span", { class: `h-sign v-${e.verb}`, "aria-hidden": "true" }, signs[e.verb]),
    h("span", { class: "h-text" }, pass, " ", h("span", { class: "h-verb" }, words[e.verb]), ...detail(model, e, on)));
  return li;
}

function detail(model: RunModel, e: Entry, on: Links): (Node | string)[] {
  const out: (Node | string)[] = [];
  if (e.with?.length) out.push(" with ", ...joined(e.with.map((r) => link(r.name, "mono", () => on.root(r)))));
  const to = outline(e.to ?? []);
  const from = outline(e.from ?? []);
  if (from.length > 0 && e.verb !== "born") out.push(", ", h("span", { class: "h-was" }, "was "), names(from));
  if (to.length > 0) {
    out.push(from.length > 0 && e.verb !== "born" ? ", now " : ": ");
    out.push(...joined(to.slice(0, shownPlaces).map((p) => place(model, e, p, on))));
  }
  const more = Math.max(0, to.length - shownPlaces) + (e.more ?? 0);
  if (more > 0) out.push(` and ${more.toLocaleString("en")} more`);
  if (e.unknown) out.push(h("span", { class: "h-unknown" }, ` ${plural(e.unknown, "value")} that replaced it ${e.unknown === 1 ? "has" : "have"} no recorded origin and may be derived from it.`));
  return out;
}

// outline lists the values, kernels and code where there are any; else what is inside of kernels.
function outline(all: LifePlace[]): LifePlace[] {
  const main = all.filter((p) => "fbkg".includes(p.kind));
  return main.length > 0 ? main : all;
}

function names(all: LifePlace[]): HTMLElement {
  const text = [...new Set(all.map(label))];
  return h("span", { class: "mono" }, text.slice(0, 3).join(", ") + (text.length > 3 ? `, … (${text.length})` : ""));
}

// label is the name of a place with what computes it.
function label(p: LifePlace): string {
  const op = p.op ? ` = ${p.op.replace(/^relax\./, "").replace(/^@/, "")}` : "";
  if (p.kind === "b") return `${p.name}${op}`;
  return p.kind === "c" ? `constant in ${p.name}` : p.name || kinds[p.kind] || "";
}

function place(model: RunModel, e: Entry, p: LifePlace, on: Links): HTMLElement {
  const code = p.kind === "g";
  const text = code && p.name === "main" ? "the virtual machine's code" : label(p);
  const where = code ? "" : p.kind === "k" || p.kind === "f" ? ` ${kinds[p.kind]}` : ` ${p.function}:${p.line}`;
  const b = link(text, "mono", () => on.place(e, p));
  b.title = `${kinds[p.kind] ?? ""} ${p.name} in ${p.function}, line ${p.line}, after ${e.pass}`;
  return h("span", { class: "h-place" }, b, h("span", { class: "h-where" }, where));
}

export function link(text: string, cls: string, run: () => void): HTMLButtonElement {
  const b = h("button", { type: "button", class: `link ${cls}` }, text);
  b.addEventListener("click", run);
  return b;
}

export function joined(all: Node[]): (Node | string)[] {
  return all.flatMap((n, i) => (i > 0 ? [", ", n] : [n]));
}
