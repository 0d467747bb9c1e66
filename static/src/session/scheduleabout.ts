// What the inspector says of a step that applies a user's schedule, and of the primitives in it.

import { h } from "../widgets/dom";
import type { Step } from "../store/model";
import type { Session } from "../store/session";
import { schedulePrefix } from "../store/steps";

// aboutSchedule describes the step of a schedule or of a primitive of one; null for any other step. open opens the schedule of a kernel at a line.
export function aboutSchedule(store: Session, open: (kernel: string, line: number) => void, step: Step): HTMLElement | null {
  const { runs, model } = store;
  const tool = (text: string, id: string, run: () => void): HTMLElement => {
    const b = h("button", { type: "button", class: "btn small", id }, text);
    b.addEventListener("click", run);
    return b;
  };
  const above = model.steps.get(step.parent);
  if (step.line && above?.name.startsWith(schedulePrefix)) {
    const kernel = above.name.slice(schedulePrefix.length);
    return h("div", { class: "written" },
      h("p", {}, `Line ${step.line} of the schedule of `, h("code", {}, kernel), ":"),
      h("pre", { class: "written-source", tabindex: 0, "aria-label": "Call of the primitive" }, step.title ?? ""),
      h("p", { class: "written-tools" }, tool(runs.mayEdit ? "Edit the schedule" : "See the schedule", "schedule-again", () => open(kernel, step.line!))));
  }
  if (!step.name.startsWith(schedulePrefix)) return null;
  const kernel = step.name.slice(schedulePrefix.length);
  const file = `${step.name}.py`;
  return h("div", { class: "written" },
    h("p", {}, "Schedule of ", h("code", {}, kernel), " by a user, in place of the default one. The primitives are the steps below it."),
    runs.mayEdit ? h("p", { class: "written-tools" }, tool("Edit", "schedule-again", () => open(kernel, 0)), " ", tool("Remove", "schedule-remove", () => store.removeSchedule(kernel))) : null,
    document.getElementById("share") ? h("p", { class: "quiet" }, "The command line above reads the schedule from ", h("a", { href: `/runs/${model.id}/schedules/${encodeURIComponent(file)}`, download: file }, file), ".") : null);
}
