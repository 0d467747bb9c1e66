// The solution of a step: offered after some effort, fetched when it is asked for, and put into the session on request.

import { json } from "../store/api";
import { messageOf, plural } from "../store/format";
import type { Session } from "../store/session";
import { button } from "../widgets/dialogs";
import { announce, h, tell } from "../widgets/dom";
import type { LessonSolution, Settings } from "../wire";
import type { StepProgress } from "./progress";

// fresh is what settings have that do not say otherwise: a change to settings of a lesson takes all else back.
export const fresh: Settings = { steps: null, scripts: [], patches: [], schedules: [], disabled: [], required: [], config: {} };

// effort is how many checks fail before the solution is offered, unless all hints were read.
const effort = 2;

export class Solving {
  private readonly place: HTMLElement | null;
  private drawn = "";

  constructor(private readonly step: HTMLElement, private readonly path: string, private readonly hints: number, private readonly store: Session) {
    this.place = step.querySelector(".lesson-solution");
  }

  // draw offers the solution, or says when it will be.
  draw(p: StepProgress): void {
    if (!this.place) return;
    const left = effort - (p.tries ?? 0);
    const earned = p.done || left <= 0 || (this.hints > 0 && (p.hints ?? 0) >= this.hints);
    const now = earned ? "offer" : String(left);
    if (now === this.drawn && this.place.childElementCount > 0) return;
    this.drawn = now;
    const show = button("Show the solution", () => void this.show(), "quiet small");
    this.place.replaceChildren(earned ? show : h("span", { class: "quiet" }, `The solution is offered after ${left === effort ? plural(left, "check") : `${left} more`}${this.hints > 0 ? ", or all hints" : ""}.`));
  }

  private async show(): Promise<void> {
    try {
      const s = await json<LessonSolution>(this.path);
      // The server made HTML of the author's Markdown that holds no markup of the author's own (web/markdown).
      const text = h("div", { class: "lesson-text", tabindex: -1 }, ...new DOMParser().parseFromString(s.html, "text/html").body.childNodes);
      const put = button("Put it in", () => this.put(s), "small lesson-put");
      put.hidden = (!s.settings || !this.store.runs.mayEdit) && !s.answer;
      this.place!.replaceChildren(text, put);
      text.focus();
    } catch (err) {
      tell(messageOf(err));
    }
  }

  // put gives the answer and changes the settings to those of the solution; undo takes them back.
  private put(s: LessonSolution): void {
    if (s.answer) {
      for (const el of this.step.querySelectorAll<HTMLInputElement>('[name="answer"]')) {
        if (el.type === "radio") el.checked = el.value === s.answer;
        else el.value = s.answer;
      }
    }
    if (s.settings && this.store.runs.mayEdit) this.store.runs.change({ ...fresh, ...s.settings });
    announce("The solution is put in; check it");
    this.step.querySelector<HTMLElement>(".lesson-check")?.focus();
  }
}
