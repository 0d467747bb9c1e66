// The runs of the session at the top: which one is shown, what each came to, and a comparison of two.

import "../shared";
import { api } from "../store/api";
import { plural, time } from "../store/format";
import type { Session } from "../store/session";
import { byId, h, later, setText } from "../widgets/dom";
import { icon } from "../widgets/icons";
import type { ListedRun } from "../wire";
import type { Desk } from "../class/desk";
import type { Stage } from "../present/stage";
import type { Live } from "../wire";
import type { CodeView } from "../widgets/codeview";
import type { Keys } from "./keys";
import { follow } from "./live";

export class RunChips {
  private readonly host = byId("runs");
  private list: ListedRun[] = [];
  private asked = "";
  private drawn = "";
  // shown is the run that is shown, before the one that was.
  private shown = "";
  private before = "";

  // stage presents the session, and follows who does; null on a page without a server.
  private readonly stage: Promise<Stage> | null = null;
  // desk is a student's place in a class.
  private desk: Desk | null = null;

  // notes are the notes of the session, which others may change.
  constructor(private readonly store: Session, private readonly notes: { all: unknown[]; load(): Promise<void>; tour(dir: 1 | -1): void }, code: CodeView, keys: Keys) {
    if (document.body.dataset.page === "session") {
      this.stage = import("../present/stage").then((own) => new own.Stage(store, code, keys, (dir) => notes.tour(dir)));
      if (document.getElementById("app")?.dataset.class === "true") later(import("../class/desk"), (own) => (this.desk = new own.Desk(store)));
      if (document.getElementById("app")?.dataset.compiler === "true" && !("dump" in document.getElementById("app")!.dataset)) later(import("./dropfiles"), (own) => own.takeDrops(store, byId("app")));
      follow(store.id, (now, was) => this.told(now, was), (away) => this.reach(away));
    }
    this.host.addEventListener("click", (e) => {
      const run = (e.target as Element).closest<HTMLElement>("[data-run]")?.dataset.run;
      if (run) this.store.showRun(run);
    });
  }

  // reach says whether the server is away. What waits for it goes on when it is back.
  private reach(away: boolean): void {
    const { runs } = this.store;
    if (away === runs.away) return;
    runs.away = away;
    if (!away && runs.offline) void runs.start();
    this.store.changed();
  }

  // told takes over what the session shows now: what others have done in it, and what was done here. What the reader looks at stays.
  private told(now: Live, was: Live | null): void {
    const { store } = this;
    this.stage?.then((stage) => stage.told(now), () => undefined);
    if (now.title !== store.title) {
      store.title = now.title;
      byId("title").title = now.title;
      if (!document.getElementById("rename-field")) setText(document.getElementById("rename") ?? byId("title"), now.title);
      store.changed();
    }
    if (was ? now.notes_hash !== was.notes_hash : now.notes !== this.notes.all.length) void this.notes.load();
    const isNew = now.latest !== "" && now.latest !== store.runs.current;
    if (!isNew || (was?.latest === now.latest && was.ended === now.ended)) return; // of the run that is shown, update asks
    const listed = store.runs.session?.runs;
    if (listed && !listed.includes(now.latest)) listed.push(now.latest);
    this.ask(was !== null && was.latest !== now.latest ? now.latest : "");
  }

  // ask asks for the list of runs, and tells the reader of one that is new in it.
  private ask(fresh = ""): void {
    api.runs(this.store.id).then((list) => {
      this.list = list;
      if (this.store.runs.away) window.dispatchEvent(new Event("online")); // it answers: what waits for it need not go on waiting
      const run = list.find((r) => r.id === fresh);
      if (run) this.store.announce(`A new run: #${run.number} ${run.label}`);
      this.draw();
    }, () => undefined); // what is there stays; the page says that the server is away
  }

  // update draws what has changed, and asks for the list again where a run has begun or ended.
  update(): void {
    const { runs } = this.store;
    if (runs.current !== this.shown) {
      if (this.shown) this.before = this.shown;
      this.shown = runs.current;
    }
    const wanted = `${runs.current} ${runs.model.id === runs.current && runs.model.finished ? "ended" : ""}`;
    if (runs.current && wanted !== this.asked) {
      this.asked = wanted;
      this.ask();
      // It has no passes to look at: where one part of the page is shown at a time, that is the one that says what went wrong.
      if (runs.model.id === runs.current && runs.model.finished && !runs.model.started) this.store.bring("center");
    }
    this.stage?.then((stage) => stage.update(), () => undefined);
    this.desk?.update();
    this.draw();
  }

  // compare leads to the comparison of the run that is shown with the one shown before it, else with the one that ran before it.
  compare(): void {
    const to = this.comparison();
    if (to) location.assign(to);
    else this.others();
  }

  // others leads to a comparison with another session.
  private others(): void {
    later(import("./othersession"), (own) => own.compareWith(this.store), "The list of sessions");
  }

  private comparison(): string {
    const at = this.list.findIndex((r) => r.id === this.shown);
    const other = this.list.find((r) => r.id === this.before && r.id !== this.shown) ?? this.list[at - 1] ?? this.list[at + 1];
    if (at < 0 || !other) return "";
    const [a, b] = other.number < this.list[at]!.number ? [other.id, this.shown] : [this.shown, other.id];
    return `/compare/${a}/${b}?a=${this.store.id}&b=${this.store.id}`;
  }

  private draw(): void {
    const key = `${this.shown} ${this.before} ${this.list.map((r) => [r.id, r.state, r.latency, r.kernels].join()).join(" ")}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const at = this.list.findIndex((r) => r.id === this.shown);
    if (at < 0) return this.host.replaceChildren();
    const others = this.list.filter((r) => r.id !== this.shown).reverse();
    const near = others.find((r) => r.id === this.before) ?? others[0]; // stands beside the one that is shown where there is room
    const to = this.comparison();
    this.host.replaceChildren(
      ...this.list.filter((r) => r.id === this.shown || r === near).map((r) => this.chip(r)),
      ...(others.length > 0 ? [this.menu(others)] : []),
      ...(this.store.dump && this.stage ? [this.withOthers()] : []),
      ...(to ? [h("a", { class: "tool", id: "compare-runs", href: to, "aria-label": "Compare two runs", title: "Compare with the run shown before  =" }, h("span", { class: "compare-sign" }, "="), h("span", { class: "compare-word" }, "Compare"))] : []),
    );
  }

  // withOthers is a button of a dump, which is one of several runs of a compiler that nobody has started here.
  private withOthers(): HTMLElement {
    const b = h("button", { type: "button", class: "tool", id: "compare-others", "aria-label": "Compare with another session", title: "Compare with another session  =" }, "=");
    b.addEventListener("click", () => this.others());
    return b;
  }

  private chip(r: ListedRun): HTMLElement {
    const current = r.id === this.shown;
    return h("button", { type: "button", class: `run-chip ${current ? "" : "beside"}`, "data-run": r.id, "aria-current": current ? "true" : null, title: r.command }, ...parts(r));
  }

  private menu(rest: ListedRun[]): HTMLElement {
    return h("details", { class: "menu run-menu" },
      h("summary", { class: "tool", "aria-label": `${plural(rest.length, "other run")}`, title: `${plural(rest.length, "other run")} of this session` }, icon("chevron")),
      h("div", { class: "menu-body" }, ...rest.map((r) => h("button", { type: "button", class: "menu-item", "data-run": r.id }, h("span", { class: "run-parts" }, ...parts(r))))));
  }
}

// spelled is the state of a run as the page spells it: logs have "cancelled".
export function spelled({ state }: ListedRun): string {
  return state === "cancelled" ? "canceled" : state;
}

// parts say which run it is, with which settings, and what it came to.
function parts(r: ListedRun): HTMLElement[] {
  const out = [h("span", { class: "run-number" }, `#${r.number}`), h("span", { class: "run-label" }, r.label)];
  if (r.state !== "ok" && r.latency === undefined) return [...out, h("span", {}, spelled(r))];
  if (r.latency !== undefined) out.push(h("span", {}, time(r.latency)));
  if (r.kernels !== undefined) out.push(h("span", { class: "wide" }, plural(r.kernels, "kernel")));
  return out;
}
