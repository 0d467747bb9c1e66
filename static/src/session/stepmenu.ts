// The menu of what can be done with a step of the tree. It is loaded when it is opened.

import "../shared";
import { numberOf, type Step } from "../store/model";
import { type Item, popMenu } from "../widgets/popmenu";
import type { Action } from "../pipeline/pipelineeditor";
import type { TreeState } from "./treerows";

// stepMenu opens the menu at a place; the focus goes back to box.
export function stepMenu(step: Step, st: TreeState, tree: { act(action: Action, step: Step): void; toggle(step: Step): void }, at: Parameters<typeof popMenu>[2], box: HTMLElement): void {
  const act = (id: Action, text: string, keys: string, danger = false): Item => ({ id, text, keys, danger, run: () => tree.act(id, step) });
  popMenu(step.name, [
    { id: "toggle", text: st.disabled.has(step.name) ? "Turn on" : "Turn off", keys: "x", run: () => tree.toggle(step) },
    ...(st.edits ? [act("options", "Options", "o"), act("add", "Add a pass after it", "a")] : []),
    ...(st.edits && movable(step) ? [act("up", "Move up", "Alt ↑"), act("down", "Move down", "Alt ↓"), act("remove", "Remove", "Delete", true)] : []),
    ...(st.page(step.name) ? [{ id: "page", text: "About the pass", keys: "", run: () => location.assign(`/passes/${step.name}`) }] : []),
  ], at, box);
}

// movable tells whether a step stands in the pipeline by itself: it is no outermost one and none that another asked for.
function movable(step: Step): boolean {
  return step.parent !== "" && /^[\d.]+$/.test(numberOf(step));
}
