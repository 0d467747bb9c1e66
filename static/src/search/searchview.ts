// The search over the history of a run: the field, the hints, and the results grouped by pass.

import "../shared";
import { json, RequestError } from "../store/api";
import { debounce } from "../store/timers";
import type { CodeView } from "../widgets/codeview";
import { announce, h, setAttr, setText } from "../widgets/dom";
import { plural } from "../store/format";
import { hints, wrongPlace } from "./hints";
import { type Answer, list, type Result } from "./results";
import { inFull, shortNames } from "./shortnames";
import type { Session } from "../store/session";

// atOnce is how many results one answer brings, most how many the list holds: what has more is to be asked more narrowly.
const atOnce = 100;
const most = 2000;
// again is after how long results of a run that goes on are asked for again, in milliseconds.
const again = 1000;

const kinds: [string, string][] = [["", "everywhere"], ["relax", "Relax functions"], ["prim_func", "PrimFuncs"], ["code", "generated code"]];

export class SearchView {
  private readonly field = h("input", {
    class: "field mono", id: "search-field", type: "search", role: "combobox", "aria-label": "Search the history", "aria-expanded": "false",
    "aria-controls": "search-results", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", maxlength: 1000,
    placeholder: "text, gone:conv2d, touches:lv12, …",
  });
  private readonly kind = h("select", { class: "field", id: "search-kind", "aria-label": "Where to search" }, ...kinds.map(([value, name]) => h("option", { value }, name)));
  private readonly count = h("span", { class: "search-count", id: "search-count", role: "status" });
  private readonly said = h("div", { class: "search-said", id: "search-said" });
  private readonly results = h("div", { class: "search-results", id: "search-results", role: "listbox", "aria-label": "Results" });
  private readonly more = h("button", { type: "button", class: "btn small", id: "search-more", hidden: true }, "Show more");
  private found: Result[] = [];
  private active = -1;
  // lit is the text in which a result is highlighted; empty for none.
  private lit = "";
  // asked is what the results answer: run, kind and query.
  private asked = "";
  // known is the query of the page's state as it was seen or set last; what is typed gets there when typing pauses.
  private known = "";
  private next = "";
  private pending: AbortController | null = null;
  private timer = 0;
  private version = 0;
  private readonly soon = debounce(150, () => this.search());

  constructor(private readonly host: HTMLElement, private readonly store: Session, private readonly code: CodeView) {
    const close = h("button", { type: "button", class: "btn quiet small", id: "search-close", "aria-label": "Close the search" }, "✕");
    close.addEventListener("click", () => this.close());
    host.replaceChildren(
      h("div", { class: "search-bar" }, this.field, this.kind, this.count, close),
      this.said, h("div", { class: "search-body" }, this.results, this.more),
    );
    this.field.addEventListener("input", () => this.typed());
    this.kind.addEventListener("change", () => this.search());
    this.field.addEventListener("keydown", (e) => this.key(e));
    this.results.addEventListener("click", (e) => this.click(e));
    this.more.addEventListener("click", () => void this.ask(true));
    host.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented) return;
      e.preventDefault();
      this.close();
    });
    this.known = store.state.search;
    this.field.value = this.known;
  }

  open(): void {
    this.show();
    this.field.focus();
    this.field.select();
  }

  // update takes the query from the state of the page where that has changed, and asks again as the run goes on.
  update(): void {
    const { search } = this.store.state;
    if (this.lit && this.lit !== this.place()) this.light(null);
    if (search !== this.known) {
      // Not from here: the reader went back in the history of the browser.
      this.known = search;
      this.field.value = search;
    }
    if (search && this.host.hidden) this.show();
    if (this.host.hidden || !this.query) return;
    if (this.asked !== this.key0()) return this.search();
    if (this.version !== this.store.model.version && !this.pending && !this.timer) {
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        void this.ask(false);
      }, again);
    }
  }

  // place is the text that the page shows.
  private place(): string {
    const { state, fn } = this.store;
    return [state.run, state.pass, fn].join(" ");
  }

  // light highlights what a result found in its line, as long as the page shows that text.
  private light(r: Result | null): void {
    this.lit = r ? this.place() : "";
    this.code.light(r && { line: r.line, side: r.side === "before" ? "before" : "after", matches: r.matches });
  }

  private get query(): string {
    return this.field.value.trim();
  }

  private show(): void {
    this.host.hidden = false;
    this.search();
  }

  private close(): void {
    this.stop();
    this.host.hidden = true;
    this.asked = "";
    this.known = "";
    this.store.go({ search: "" });
    this.store.bring("center");
    this.light(null);
    const { scroller } = this.code;
    if (scroller.checkVisibility()) scroller.focus({ preventScroll: true });
    else document.getElementById("search-button")!.focus();
  }

  // stop drops what is under way: no answer to what was asked before comes after this.
  private stop(): void {
    this.pending?.abort();
    this.pending = null;
    window.clearTimeout(this.timer);
    this.timer = 0;
  }

  private typed(): void {
    this.stop();
    this.asked = "";
    this.soon();
  }

  private key0(): string {
    return JSON.stringify([this.store.model.id, this.kind.value, this.query]);
  }

  // search asks anew, or shows what can be asked.
  private search(): void {
    if (this.host.hidden) return;
    const query = this.query;
    this.known = query;
    if (query !== this.store.state.search) this.store.go({ search: query });
    if (this.asked === this.key0()) return;
    this.stop();
    this.asked = this.key0();
    if (query) return void this.ask(false);
    this.put([], "");
    this.say(hints(this.store.model, (text) => this.fill(text)));
    setText(this.count, "");
  }

  // fill puts a question into the field and asks it.
  private fill(text: string): void {
    this.field.value = text;
    this.field.focus();
    this.search();
  }

  // longer offers to ask for the names that words of the query stand for in the text beside it.
  private longer(): HTMLElement[] {
    return shortNames(this.query, this.code.shown).map((short) => {
      const b = h("button", { type: "button", class: "link mono" }, short.full);
      b.addEventListener("click", () => this.fill(inFull(this.query, short)));
      return h("p", { class: "search-note search-short" }, h("code", {}, short.word), " is short for ", b, " here; the search reads names in full.");
    });
  }

  // ask fetches results: those behind the ones there are, or all anew.
  private async ask(more: boolean): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.pending = abort;
    const { model } = this.store;
    this.version = model.version;
    if (!model.id) return setText(this.count, "no run yet");
    const q = new URLSearchParams({ q: this.query, kind: this.kind.value, count: String(more ? atOnce : Math.min(1000, Math.max(atOnce, this.found.length))) });
    if (more) q.set("cursor", this.next);
    setAttr(this.host, "aria-busy", "true");
    try {
      const answer = await json<Answer>(`/api/runs/${model.id}/search?${q.toString()}`, { signal: abort.signal });
      if (!abort.signal.aborted) this.take(answer, more);
    } catch (err) {
      if (!abort.signal.aborted) this.failed(err);
    }
    if (this.pending !== abort) return;
    this.pending = null;
    setAttr(this.host, "aria-busy", null);
  }

  private take(answer: Answer, more: boolean): void {
    const found = more ? [...this.found, ...answer.results] : answer.results;
    this.next = answer.more && found.length < most ? (answer.next ?? "") : "";
    const passes = new Set(found.map((r) => r.step)).size;
    const cut = answer.more ? (found.length >= most ? `, cut at ${most.toLocaleString("en")}: narrow the search` : ", there are more") : "";
    const going = answer.sealed ? "" : " so far; the run is still in progress";
    const nothing = answer.more ? "nothing yet, but the search is not complete: show more" : "nothing found";
    setText(this.count, found.length === 0 ? `${nothing}${going}` : `${plural(found.length, "line")} in ${passes === 1 ? "1 pass" : `${passes} passes`}${cut}${going}`);
    this.say(...answer.notes.map((note) => h("p", { class: "search-note" }, note)), ...this.longer());
    this.put(found, more ? String(this.active) : "");
    // The last event may come before the log is closed.
    if (!answer.sealed && this.store.model.finished && !this.timer) {
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        void this.ask(false);
      }, again);
    }
  }

  private failed(err: unknown): void {
    const error = err instanceof RequestError ? err : null;
    if (error && (error.status === 503 || error.status === 429) && error.retryAfter > 0 && error.retryAfter <= 10) {
      setText(this.count, "the server is busy; retrying");
      this.timer = window.setTimeout(() => void this.ask(false), 1000 * error.retryAfter);
      return;
    }
    this.put([], "");
    setText(this.count, "");
    const message = err instanceof Error ? err.message : String(err);
    const place = error?.diagnostics[0]?.span?.column;
    const note = h("div", { class: "note error", id: "search-error", role: "alert" }, h("p", {}, message));
    if (place) note.append(wrongPlace(this.query, place));
    this.say(note);
    setAttr(this.field, "aria-invalid", "true");
  }

  private say(...what: HTMLElement[]): void {
    setAttr(this.field, "aria-invalid", null);
    this.said.replaceChildren(...what);
  }

  // put shows results; the one that was chosen stays so where it is still there.
  private put(found: Result[], active: string): void {
    const link = this.found[this.active]?.link;
    this.found = found;
    this.results.replaceChildren(...list(found, location.pathname));
    this.more.hidden = !this.next;
    const kept = active || link === undefined ? Number(active || -1) : found.findIndex((r) => r.link === link);
    this.choose(kept, false);
    setAttr(this.field, "aria-expanded", String(found.length > 0));
  }

  private choose(i: number, scroll = true): void {
    const option = (k: number): HTMLElement | null => document.getElementById(`found-${k}`);
    option(this.active)?.setAttribute("aria-selected", "false");
    this.active = i >= 0 && i < this.found.length ? i : -1;
    option(this.active)?.setAttribute("aria-selected", "true");
    if (scroll) option(this.active)?.scrollIntoView({ block: "nearest" });
    setAttr(this.field, "aria-activedescendant", this.active < 0 ? null : `found-${this.active}`);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const last = this.found.length - 1;
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + 10, PageUp: this.active - 10 }[e.key];
    if (e.key === "Enter") {
      e.preventDefault();
      if (this.asked !== this.key0()) this.search();
      else if (last >= 0) this.visit(Math.max(0, this.active));
    } else if (to !== undefined) {
      e.preventDefault();
      if (to > last && this.next) this.more.focus();
      this.choose(Math.max(0, Math.min(last, to)));
    }
  }

  private click(e: MouseEvent): void {
    const row = (e.target as HTMLElement).closest<HTMLElement>("[data-found]");
    if (!row || e.ctrlKey || e.metaKey || e.shiftKey) return; // the browser opens the link
    e.preventDefault();
    this.visit(Number(row.dataset.found));
  }

  // visit shows the line of a result; the search stays open for the next one, on a phone behind its tab.
  private visit(i: number): void {
    const r = this.found[i];
    if (!r) return;
    this.choose(i);
    const q = new URLSearchParams(r.link);
    this.store.visit(
      { pass: q.get("pass") ?? "", fn: q.get("function") ?? "", line: Number(q.get("line") ?? 0), view: this.store.viewOf(q.get("view") ?? "") },
      r.side === "before" ? r.line : 0,
    );
    this.store.bring("center");
    this.light(r);
    announce(`${r.pass}, ${r.function}, line ${r.line}`);
  }
}
