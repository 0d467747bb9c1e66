// Files of tensors that are dropped anywhere on the page become inputs, or expected outputs by their names, and the view Result shows them.

import "../shared";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";
import { giveAll, roleOf } from "../store/tensors";
import { announce } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";

// takeDrops takes what is dropped on the page of a session with a compiler.
export function takeDrops(store: Session, app: HTMLElement): void {
  const over = (on: boolean): void => void app.classList.toggle("takes-files", on);
  const holdsFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (e) => {
    if (!holdsFiles(e)) return;
    e.preventDefault(); // else the browser opens the file in place of the page
    void lateStyle();
    over(!store.reason);
  });
  document.addEventListener("dragleave", (e) => {
    if (!e.relatedTarget) over(false); // the pointer has left the page
  });
  let before: Promise<void> = Promise.resolve();
  document.addEventListener("drop", (e) => {
    if (!holdsFiles(e)) return;
    e.preventDefault();
    over(false);
    const files = [...e.dataTransfer!.files];
    if (store.reason) tell(store, `The files were not taken: ${store.reason}`);
    else if (files.length > 0) before = before.then(() => take(store, files)); // one drop after the other: which inputs are left depends on those before
  });
}

async function take(store: Session, files: File[]): Promise<void> {
  tell(store, "");
  store.setView("result");
  try {
    const tensors = await giveAll(store.runs, files, roleOf);
    announce(`given: ${tensors.map((t) => t.name).join(", ")}`);
  } catch (err) {
    tell(store, messageOf(err));
  }
}

// tell shows a message above the view, "" for none.
function tell(store: Session, text: string): void {
  store.runs.problem = text;
  if (text) announce(text);
  store.changed();
}
