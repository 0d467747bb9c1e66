// The lesson beside a session: one step at a time, answers that the server checks, hints one by one, the solution after some effort.
// What was done is kept in this browser (progress.ts). The text came with the page.

import "../shared";
import { json } from "../store/api";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";
import { announce, byId, setText, tell } from "../widgets/dom";
import type { LessonStart, Verdict } from "../wire";
import { follow } from "./places";
import { keepProgress, type Progress, progressOf, type StepProgress } from "./progress";
import { fresh, Solving } from "./solution";

export function open(store: Session): void {
  new LessonPane(store);
}

class LessonPane {
  private readonly root = byId("lesson");
  private readonly name = this.root.dataset.lesson!;
  private readonly steps = [...this.root.querySelectorAll<HTMLElement>(".lesson-step")];
  private readonly path: string;
  private progress: Progress;

  constructor(private readonly store: Session) {
    this.path = `/api/sessions/${store.id}/lessons/${this.name}`;
    const kept = progressOf(this.name);
    // Who opens the link of another session of the lesson begins anew there.
    this.progress = kept?.session === store.id ? kept : { session: store.id, at: 1, steps: {} };
    this.root.classList.add("is-live");
    for (const el of [byId("lesson-back"), byId("lesson-next"), byId("lesson-reset"), byId("to-passes"), byId("to-lesson"), ...this.root.querySelectorAll<HTMLElement>("[data-needs-js]")]) el.hidden = false;
    this.steps.forEach((el, i) => this.wire(el, i + 1));
    byId("lesson-back").addEventListener("click", () => this.open(this.progress.at - 1, true));
    byId("lesson-next").addEventListener("click", () => {
      if (!this.checked(this.progress.at)) this.note(this.progress.at, { done: true });
      this.open(this.progress.at + 1, true);
    });
    byId("lesson-reset").addEventListener("click", () => void this.reset());
    byId("to-passes").addEventListener("click", () => this.turn());
    byId("to-lesson").addEventListener("click", () => this.turn());
    this.root.addEventListener("click", (e) => {
      const link = (e.target as Element).closest<HTMLAnchorElement>('a[href^="?"]');
      if (!link || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
      e.preventDefault();
      follow(store, link.search);
    });
    // What a task is about may be a pass that changes nothing yet.
    store.onlyChanged = byId<HTMLInputElement>("only-changed").checked = false;
    if (!store.runs.mayEdit) byId("lesson-reset").hidden = true;
    this.go(this.progress.at);
    if (kept?.session !== store.id) void this.begin();
  }

  // turn shows the passes in the place of the lesson, or the lesson again, and moves the focus to the way back.
  private turn(): void {
    if (getComputedStyle(this.root).display !== "none" && getComputedStyle(byId("pipeline")).display === "none" && matchMedia("(max-width: 899px), (max-height: 559px)").matches) {
      byId("show-passes").click();
      return;
    }
    const passes = byId("app").classList.toggle("passes-front");
    byId(passes ? "to-lesson" : "to-passes").focus();
  }

  private checked(n: number): boolean {
    return this.steps[n - 1]?.dataset.checked === "true";
  }

  // step is what was done about a step.
  private step(n: number): StepProgress {
    return this.progress.steps[n] ?? {};
  }

  // note keeps what was done about a step, and tells whoever listens.
  private note(n: number, change: StepProgress): void {
    this.progress = { ...this.progress, steps: { ...this.progress.steps, [n]: { ...this.step(n), ...change } } };
    this.kept();
  }

  private kept(): void {
    keepProgress(this.name, this.progress);
    this.draw();
    document.dispatchEvent(new CustomEvent("lesson", { detail: { lesson: this.name, ...this.progress } }));
  }

  // open shows a step, and beside it the place that its text links first, where the window has room for both.
  private open(n: number, focus = false): void {
    this.go(n, focus);
    const link = this.steps[this.progress.at - 1]?.querySelector<HTMLAnchorElement>('.lesson-body > .lesson-text a[href^="?"]');
    if (link && !matchMedia("(max-width: 599px)").matches) follow(this.store, link.search);
  }

  // begin opens the first step as soon as there is a run to look at, unless the reader has gone elsewhere.
  private async begin(): Promise<void> {
    while (!this.store.model.finished) await new Promise((done) => setTimeout(done, 50));
    if (!this.store.chosen && this.progress.at === 1) this.open(1);
  }

  // go shows a step; with focus it goes on from there by keyboard.
  private go(n: number, focus = false): void {
    const at = Math.max(1, Math.min(this.steps.length, n));
    this.progress = { ...this.progress, at };
    this.kept();
    const el = this.steps[at - 1];
    if (!focus || !el) return;
    el.querySelector<HTMLElement>(".lesson-go")!.focus({ preventScroll: true });
    el.scrollIntoView({ block: "nearest" });
  }

  private draw(): void {
    const { at } = this.progress;
    this.steps.forEach((el, i) => {
      const { done } = this.step(i + 1);
      el.classList.toggle("is-now", i + 1 === at);
      el.classList.toggle("is-done", Boolean(done));
      el.querySelector(".lesson-go")!.setAttribute("aria-expanded", String(i + 1 === at));
      setText(el.querySelector(".lesson-done")!, done ? ", done" : "");
    });
    const last = at === this.steps.length;
    const done = this.steps.filter((_, i) => this.step(i + 1).done).length;
    setText(byId("lesson-at"), done === this.steps.length ? "Solved" : `${at} of ${this.steps.length}`);
    byId<HTMLButtonElement>("lesson-back").disabled = at === 1;
    const next = byId<HTMLButtonElement>("lesson-next");
    setText(next, last ? "Done" : "Next");
    next.hidden = last && (this.checked(at) || Boolean(this.step(at).done));
    const filled = !this.checked(at) || Boolean(this.step(at).done);
    next.classList.toggle("primary", filled);
    this.steps[at - 1]?.querySelector(".lesson-check")?.classList.toggle("primary", !filled);
    this.root.classList.toggle("is-last", last);
    byId("lesson-on").querySelector(".btn")?.classList.toggle("primary", done === this.steps.length);
  }

  // wire makes the parts of a step work.
  private wire(el: HTMLElement, n: number): void {
    el.querySelector(".lesson-go")!.addEventListener("click", () => this.open(n));
    const hints = [...el.querySelectorAll<HTMLDetailsElement>(".lesson-hint")];
    const solving = new Solving(el, `${this.path}/steps/${n}/solution`, hints.length, this.store);
    const reveal = (): void => {
      hints.forEach((hint, i) => (hint.hidden = i > (this.step(n).hints ?? 0)));
      solving.draw(this.step(n));
    };
    hints.forEach((hint, i) => hint.addEventListener("toggle", () => {
      if (hint.open && i >= (this.step(n).hints ?? 0)) this.note(n, { hints: i + 1 });
      reveal();
    }));
    reveal();
    const form = el.querySelector<HTMLFormElement>(".lesson-answer");
    form?.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.check(el, form, n).then(reveal);
    });
  }

  // check has the server judge the run that is shown, once it is over, and the answer.
  private async check(el: HTMLElement, form: HTMLFormElement, n: number): Promise<void> {
    const out = el.querySelector<HTMLElement>(".lesson-verdict")!;
    const button = form.querySelector<HTMLButtonElement>(".lesson-check")!;
    const say = (kind: string, text: string): void => {
      out.hidden = false;
      out.className = `lesson-verdict ${kind}`;
      setText(out, text);
    };
    const answer = String(new FormData(form).get("answer") ?? "");
    const asked = form.querySelector('[name="answer"]');
    if (asked && answer.trim() === "") return say("", "Give an answer first.");
    button.disabled = true;
    try {
      say("is-waiting", "Waiting for the run…");
      await this.over();
      say("is-waiting", "Checking…");
      const body = JSON.stringify({ run: this.store.runs.current, answer });
      const v = await json<Verdict>(`${this.path}/steps/${n}/check`, { method: "POST", body, headers: { "Content-Type": "application/json", Accept: "application/json" } });
      if (v.ok) {
        this.note(n, { done: true });
        say("is-right", v.says || (n === this.steps.length ? "Right. That was the last step." : "Right."));
      } else {
        this.note(n, { tries: (this.step(n).tries ?? 0) + 1 });
        say("", v.says || "Not yet.");
      }
    } catch (err) {
      say("", messageOf(err));
    } finally {
      button.disabled = false;
    }
  }

  // over resolves when the settings have been run and the run is over.
  private async over(): Promise<void> {
    const { runs } = this.store;
    while (runs.unrun || runs.starting || runs.active) {
      if (runs.problem) throw new Error(runs.problem);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  // reset runs the module as it was at first, and forgets what was solved.
  private async reset(): Promise<void> {
    try {
      const { settings } = await json<LessonStart>(this.path);
      this.store.runs.change({ ...fresh, ...settings });
    } catch (err) {
      return tell(messageOf(err));
    }
    this.progress = { session: this.store.id, at: 1, steps: {} };
    for (const el of this.steps) {
      for (const hint of el.querySelectorAll<HTMLDetailsElement>(".lesson-hint")) {
        hint.open = false;
        hint.hidden = hint !== el.querySelector(".lesson-hint");
      }
      el.querySelector<HTMLElement>(".lesson-verdict")?.setAttribute("hidden", "");
      el.querySelector<HTMLElement>(".lesson-solution")?.replaceChildren();
      el.querySelector<HTMLFormElement>(".lesson-answer")?.reset();
    }
    this.go(1, true);
    announce("The lesson begins anew");
  }
}
