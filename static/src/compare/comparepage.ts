// The page that lays two runs side by side: the steps of both, what differs after the chosen one, and what the runs came to.

import "../shared";
import { json } from "../store/api";
import { DiffSource } from "../store/diffsource";
import { messageOf, plural } from "../store/format";
import { preferredForm, setForm } from "../store/form";
import { setting } from "../store/prefs";
import { CodeView } from "../widgets/codeview";
import { copy } from "../widgets/dialogs";
import { announce, byId, h, press, setText } from "../widgets/dom";
import type { ComparedFunction, ComparedFunctions, RunComparison } from "../wire";
import { drawFigures } from "./figures";
import { drawMetrics } from "./metrics";
import { drawOutputs } from "./outputs";
import { nameOf, Rows } from "./rows";
import { drawSettings } from "./settings";
import { forms, other, parsePlace, type Place, printPlace, type Tab, tabs } from "./place";

// pollAfter is how long the page waits before it asks again for runs that go on, in milliseconds.
const pollAfter = 1500;
// narrow is the width below which the difference starts as one text.
const narrow = 1400;

export async function open(): Promise<void> {
  await new ComparePage().load();
}

class ComparePage {
  private readonly app = byId("app");
  private readonly path = `/api/compare/${this.app.dataset.a}/${this.app.dataset.b}`;
  private readonly rows = new Rows(byId("rows"), { row: (row) => this.go({ row, fn: "" }), fn: (fn) => this.go({ fn }) });
  private readonly code = new CodeView(byId("code"), {
    line: () => undefined,
    hunk: (k, n) => setText(byId("hunk-count"), n === 0 ? "" : k < 0 ? plural(n, "hunk") : `${k + 1} / ${n}`),
    error: (err) => this.fail(err),
  });
  private comparison: RunComparison | null = null;
  private place: Place = parsePlace(location.search, forms[window.innerWidth < narrow ? 0 : 1]);
  // chosen tells that the reader chose a row; else it is the one where the runs part as far as they have got.
  private chosen = this.place.row >= 0;
  private functions: ComparedFunction[] = [];
  private drawing = new AbortController();
  private readonly pages = new Set(byId("app").dataset.pages?.split(" "));

  // tabs are those that the page has: of dumps there are only differences.
  private readonly tabs = tabs.filter((tab) => document.getElementById(`tab-${tab}`));

  constructor() {
    // As on the page of a session, a narrow window breaks lines unless the reader has said something else.
    this.code.setWrap((setting("wrap") ?? (window.innerWidth < 600 ? "on" : "off")) === "on");
    for (const tab of this.tabs) byId(`tab-${tab}`).addEventListener("click", () => this.go({ tab }));
    for (const form of forms) byId(`form-${form}`).addEventListener("click", () => this.go({ form }));
    byId("copy-link").addEventListener("click", () => this.copyLink());
    document.getElementById("compact")?.addEventListener("click", () => this.turnForm());
    byId("prev-hunk").addEventListener("click", () => this.code.moveHunk(-1));
    byId("next-hunk").addEventListener("click", () => this.code.moveHunk(1));
    document.addEventListener("keydown", (e) => this.key(e));
    window.addEventListener("popstate", () => {
      this.place = parsePlace(location.search, this.place.form);
      this.chosen = this.place.row >= 0;
      void this.draw();
    });
  }

  // load asks for the comparison, and again while one of the runs goes on.
  async load(): Promise<void> {
    try {
      const c = await json<RunComparison>(this.path);
      const first = this.comparison === null;
      this.comparison = c;
      if (!this.chosen) this.place.row = c.first < 0 ? c.rows.length - 1 : c.first;
      drawFigures(byId("figures"), c);
      await this.draw();
      if (first) announce(c.first < 0 ? "Both runs have the same modules after every step" : `The runs part at ${nameOf(c.rows[c.first]!)}`);
      if (!c.sealed) setTimeout(() => void this.load(), pollAfter);
    } catch (err) {
      this.fail(err);
    }
  }

  private go(to: Partial<Place>): void {
    this.chosen ||= to.row !== undefined;
    this.place = { ...this.place, ...to };
    history.replaceState(null, "", printPlace(this.place, location.search));
    void this.draw();
  }

  private async draw(): Promise<void> {
    const c = this.comparison;
    if (!c) return;
    this.drawing.abort();
    const { signal } = (this.drawing = new AbortController());
    const { row, form } = this.place;
    const tab: Tab = this.tabs.includes(this.place.tab) ? this.place.tab : "difference";
    const at = c.rows[row];
    for (const t of this.tabs) press(byId(`tab-${t}`), t === tab);
    for (const f of forms) press(byId(`form-${f}`), f === form);
    byId("code-tools").hidden = tab !== "difference";
    byId("code").hidden = tab !== "difference";
    for (const t of this.tabs) if (t !== "difference") byId(t).hidden = tab !== t;
    const compact = document.getElementById("compact"); // lines of Relax, which dumps do not have
    if (compact) press(compact, preferredForm() === "compact");
    if (tab === "metrics") drawMetrics(byId("metrics"), c, row, (n) => this.go({ row: n, fn: "" }));
    if (tab === "outputs") drawOutputs(byId("outputs"), c.outputs);
    if (tab === "settings") drawSettings(byId("settings"), c.a, c.b);
    try {
      this.functions = at && at.differ > 0 ? (await json<ComparedFunctions>(`${this.path}/functions?row=${row}`, { signal })).functions : [];
      const fn = this.functions.find((f) => f.name === this.place.fn) ?? this.functions.find((f) => f.name === "main") ?? this.functions[0];
      this.rows.show(c, row, this.functions, fn?.name ?? "");
      this.title(fn);
      if (tab === "difference") await this.show(fn, signal);
    } catch (err) {
      if (!signal.aborted) this.fail(err);
    }
  }

  // turnForm shortens the lines of Relax functions, or shows them as they are printed.
  private turnForm(): void {
    setForm(preferredForm() === "compact" ? "exact" : "compact");
    announce(preferredForm() === "compact" ? "Short lines" : "Lines as printed");
    void this.draw();
  }

  // copyLink copies the address, which names what is shown. Where the browser does not allow that, the reader copies it.
  private copyLink(): void {
    const b = byId("copy-link");
    void copy(b, location.href, () => {
      const field = h("input", { type: "text", id: "link", readonly: true, value: location.href, "aria-label": "Link to this comparison" });
      b.after(field);
      field.addEventListener("blur", () => field.remove());
      field.select();
    }, "Copy link");
  }

  private title(fn: ComparedFunction | undefined): void {
    const at = this.comparison?.rows[this.place.row];
    const first = this.comparison?.first === this.place.row;
    const pass = at ? nameOf(at) : "";
    const parts = [first ? "First difference" : "", pass, fn?.name ?? ""].filter(Boolean);
    const title = byId("center-title");
    if (title.title === parts.join(" › ")) return;
    title.title = parts.join(" › ");
    const link = (name: string): Node | string => (name === pass && this.pages.has(name) ? h("a", { href: `/passes/${name}`, title: "What this pass is for, with an example" }, name) : name === parts[0] ? h("span", { class: "name-head" }, name) : name); // the first gives way
    title.replaceChildren(...parts.flatMap((name, i) => (i > 0 ? [" › ", link(name)] : [link(name)])));
  }

  private async show(fn: ComparedFunction | undefined, signal: AbortSignal): Promise<void> {
    const messages = byId("messages");
    messages.replaceChildren();
    this.code.scroller.hidden = !fn;
    if (!fn) {
      const at = this.comparison?.rows[this.place.row];
      setText(byId("hunk-count"), "");
      messages.append(h("div", { class: "empty" }, h("p", { class: "empty-title" }, "No difference"), h("p", {}, at ? `After ${nameOf(at)} both runs have the same ${at.a?.path === "code" ? "code" : "module"}.` : "There is no such step.")));
      return;
    }
    const source = await DiffSource.open({ before: fn.a ?? "", after: fn.b ?? "", view: this.place.form, form: preferredForm(), context: 3 }, signal);
    if (!signal.aborted) this.code.show(source, `${fn.name}: #1 and #2`);
  }

  private fail(err: unknown): void {
    byId("messages").replaceChildren(h("div", { class: "note error" }, messageOf(err)));
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).closest("input, textarea, select")) return;
    const actions: Record<string, () => void> = {
      j: () => this.rows.move(1), k: () => this.rows.move(-1), n: () => this.code.moveHunk(1), p: () => this.code.moveHunk(-1),
      u: () => this.go({ form: other(this.place.form) }), z: () => this.turnForm(),
    };
    const tab: Tab | undefined = this.tabs[Number(e.key) - 1];
    const act = actions[e.key] ?? (tab && (() => this.go({ tab })));
    if (!act) return;
    act();
    e.preventDefault();
  }
}
