// The rows of the tree of passes: a step, a function of the selected step, and what stands for functions that are not listed.

import { delta } from "../widgets/delta";
import { h } from "../widgets/dom";
import { glyphs } from "../widgets/glyphs";
import { icon } from "../widgets/icons";
import { plural } from "../store/format";
import { numberOf, type Step, whySkipped } from "../store/model";
import { tailOfPass } from "../store/names";
import { editPrefix, schedulePrefix, userPrefix } from "../store/steps";
import { took } from "../store/took";
import type { Entry } from "../views/view";

export interface TreeState {
  selected: string;
  disabled: Set<string>;
  onlyChanged: boolean;
  filter: string;
  mayEdit: boolean;
  // reason says why nothing may be changed; empty where it may.
  reason: string;
  // notes counts the notes of each step.
  notes: Map<string, number>;
  // edits tells that passes can be moved, added and removed here.
  edits: boolean;
  // warnings says by path where the order breaks a constraint, options by number which options are not the default.
  warnings: Map<string, string[]>;
  options: Map<string, string>;
  // page tells whether the server has a page on a pass.
  page(name: string): boolean;
  // stale tells that the settings have changed and a new run is about to start.
  stale: boolean;
}

// Place is what a row says of where it stands.
export interface Place {
  i: number;
  // depth is that of the row, 0 for the outermost ones.
  depth: number;
  posinset: number;
  setsize: number;
  // open tells whether what is below the row is shown; null where there is nothing.
  open: boolean | null;
}

// stepRow makes the row of a step; share is its time as a share of the longest.
export function stepRow(step: Step, at: Place, st: TreeState, imported: boolean, share: number): HTMLElement {
  const group = step.kind === "sequential";
  // A sequential within another is filtered by name as any pass; the outermost one holds the pipeline.
  const tickable = step.parent !== "" && !step.line; // a primitive of a schedule is a line of it
  const on = !st.disabled.has(step.name);
  const row = h(
    "div",
    {
      class: `row is-${step.status}${group ? " group" : ""}${imported ? " imported" : ""}${step.role === "lowering" ? " lowering" : ""}${tickable && !on ? " off" : ""}`,
      id: `row-${at.i}`,
      role: "treeitem",
      "data-i": at.i,
      "data-step": step.path,
      "aria-level": at.depth + 1,
      "aria-posinset": at.posinset,
      "aria-setsize": at.setsize,
      "aria-selected": String(step.path === st.selected),
      "aria-checked": tickable ? String(on) : null,
      "aria-expanded": at.open === null ? null : String(at.open),
    },
    twisty(at.open),
    h("span", { class: "glyph", "aria-hidden": "true" }, imported ? "↓" : glyphs[step.status]),
    imported ? null : h("span", { class: "vh" }, `${step.status} `),
    passName(step),
    mark(step),
    step.role === "lowering" && !group ? h("span", { class: "vh" }, " (lowering pass) ") : null,
    optionMark(st.options.get(numberOf(step))),
    step.diagnostics.some((d) => d.severity !== "note") ? h("span", { class: "warned", title: step.diagnostics[0]!.message }, "⚠", h("span", { class: "vh" }, " has a warning")) : null,
    step.diagnostics.some((d) => d.code === "print") ? h("span", { class: "by-user", title: "A script printed something; see the inspector" }, "…", h("span", { class: "vh" }, " with printed lines ")) : null,
    noted(st.notes.get(step.path) ?? 0),
    !tickable ? null : h("span", { class: `tick${on ? " on" : ""}${st.mayEdit ? "" : " fixed"}`, title: st.reason || tickTitle(step, on) }),
    st.mayEdit && tickable ? h("button", { type: "button", class: "tool row-more", tabindex: -1, "data-more": true, "aria-label": `What can be done with ${step.name}`, title: "More" }, icon("more")) : null,
    ...figures(step, st),
  );
  row.style.setProperty("--depth", String(at.depth));
  if (!group && share >= 0.1) row.style.setProperty("--share", share.toFixed(3));
  return row;
}

function twisty(open: boolean | null): HTMLElement {
  return h("span", { class: `twisty${open === false ? " closed" : ""}`, "aria-hidden": "true" }, open === null ? null : icon("chevron"));
}

// passName writes the name of a pass. Inside of the sequence of the same name its prefix is heard and not seen.
function passName(step: Step): HTMLElement {
  // A primitive of a schedule is called as on its line.
  if (step.line && step.title) return name(step.title.replace(/^.*?\bsch\.(?=\w+\()/, ""), "", "", " mono", `Line ${step.line}: ${step.title}`);
  const prefix = step.name.startsWith("tir.") && step.depth > 1 ? "tir." : "";
  const rest = step.name.slice(prefix.length);
  return name(rest, tailOfPass(rest), prefix);
}

// name writes a name that may lose its middle. The style sheet shows its head and its tail; what is heard and searched is one word.
function name(text: string, tail: string, prefix = "", cls = "", title = prefix + text): HTMLElement {
  return h("span", { class: `name${cls}`, title, "data-head": text.slice(0, text.length - tail.length), "data-tail": tail || null }, h("span", { class: "vh" }, prefix + text));
}

function mark(step: Step): HTMLElement | null {
  if (step.name.startsWith(schedulePrefix)) return h("span", { class: "by-user", title: "Scheduled by a user" }, "✎", h("span", { class: "vh" }, " scheduled by a user "));
  if (step.name.startsWith(editPrefix)) return h("span", { class: "by-user", title: "IR edited by hand" }, "✎", h("span", { class: "vh" }, " edited IR "));
  return step.name.startsWith(userPrefix) ? h("span", { class: "by-user", title: "Written by a user" }, "✎", h("span", { class: "vh" }, " written by a user ")) : null;
}

function figures(step: Step, st: TreeState): HTMLElement[] {
  const order = st.warnings.get(step.path);
  if (order && step.status !== "failed") return [h("span", { class: "reason order", title: order.join("\n") }, `⚠ ${order[0]!.replace(`${step.name} `, "")}`)];
  if (step.status === "skipped") return [h("span", { class: "reason", title: whySkipped(step) }, reason(step))];
  if (step.status === "failed") return [h("span", { class: "reason failed" }, "failed")];
  const out: HTMLElement[] = [];
  const f = step.finished;
  if (step.fault) out.push(h("span", { class: "reason failed" }, "wrong"));
  if (step.why) out.push(h("span", { class: "reason why", title: step.why }, step.why));
  if (f && step.kind !== "sequential" && f.added + f.removed > 0) out.push(delta(f));
  const [row, words] = took(step);
  if (row) out.push(h("span", { class: `time${words ? " reused" : ""}`, title: words || null }, row, words ? h("span", { class: "vh" }, ` ${words}`) : null));
  return out;
}

// functionRow makes the row of a function.
export function functionRow(x: Entry, at: Place, selected: boolean, tail: string): HTMLElement {
  const row = h(
    "div",
    { class: "fn", id: `row-${at.i}`, role: "treeitem", "data-i": at.i, "data-key": x.key, "aria-level": at.depth + 1, "aria-current": selected ? "true" : null, "aria-posinset": at.posinset, "aria-setsize": at.setsize },
    h("span", { class: "vh" }, `${x.badgeTitle} `),
    name(x.name, tail, "", " mono"),
    x.lines ? delta(x.lines) : null,
    x.note ? h("span", { class: "fn-note" }, x.note) : null,
  );
  row.style.setProperty("--depth", String(at.depth));
  return row;
}

// moreRow stands for functions that are not listed; it lists them where it can.
export function moreRow(text: string, at: Place): HTMLElement {
  const row = h("div", { class: "fn more", id: `row-${at.i}`, role: "treeitem", "data-i": at.i, "aria-level": at.depth + 1, "aria-posinset": at.posinset, "aria-setsize": at.setsize }, h("span", { class: "name" }, text));
  row.style.setProperty("--depth", String(at.depth));
  return row;
}

function optionMark(set: string | undefined): HTMLElement | null {
  if (!set) return null;
  return h("span", { class: "optioned", title: set }, h("span", { "aria-hidden": "true" }, "{…}"), h("span", { class: "vh" }, ` with ${set} `));
}

function noted(n: number): HTMLElement | null {
  if (n === 0) return null;
  return h("span", { class: "noted-step", title: plural(n, "note") }, h("span", { "aria-hidden": "true" }, "◆"), String(n), h("span", { class: "vh" }, n === 1 ? " note " : " notes "));
}

// reason is the short form of why a step was skipped; the whole sentence stands in its title and in the inspector.
function reason(step: Step): string {
  if (step.reason === "disabled") return "off";
  return step.reason === "opt_level" ? `from O${step.level}` : step.text;
}

function tickTitle(step: Step, on: boolean): string {
  const what = step.role === "lowering" ? "Lowering pass: code generation needs it. " : "";
  return `${what}${on ? "Turn off" : "Turn on"} ${step.name}  x`;
}
