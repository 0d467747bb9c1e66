// What the inspector says of a step that applies an edit of the IR.

import { h } from "../widgets/dom";
import type { Step } from "../store/model";
import type { Session } from "../store/session";
import { editPrefix } from "../store/steps";

// aboutEdit describes the step of an edit; null for any other step. again opens the edit after a step.
export function aboutEdit(store: Session, again: (after: string) => void, step: Step): HTMLElement | null {
  if (!step.name.startsWith(editPrefix)) return null;
  const { runs, model } = store;
  const after = step.name.slice(editPrefix.length);
  const patch = (runs.info?.id === model.id ? runs.info.settings?.patches : (runs.settings.patches ?? []))?.find((p) => p.after === after);
  const removed = patch?.removed ?? [];
  const names = Object.keys(patch?.before ?? {}).filter((name) => !removed.includes(name)).sort();
  const tool = (text: string, id: string, run: () => void): HTMLElement => {
    const b = h("button", { type: "button", class: "btn small", id }, text);
    b.addEventListener("click", run);
    return b;
  };
  const file = `${editPrefix}${after.replaceAll("#", "-")}.py`;
  return h(
    "div",
    { class: "written" },
    h("p", {}, "IR edited by hand after ", h("code", {}, after), ": ", names.length > 0 ? h("code", {}, names.join(", ")) : "no function",
      names.length > 0 ? (names.length > 1 ? " replace what was there" : " replaces what was there") : "",
      removed.length > 0 ? h("span", {}, ", removed: ", h("code", {}, removed.join(", "))) : null, ". Later passes continue from it."),
    runs.mayEdit ? h("p", { class: "written-tools" }, tool("Edit again", "edit-again", () => again(after)), " ", tool("Remove", "edit-remove", () => store.removeEdit(after))) : null,
    h("p", { class: "quiet" }, "The command line above reads the edit from ", h("a", { href: `/runs/${model.id}/edits/${file}`, download: file }, file), "."),
  );
}
