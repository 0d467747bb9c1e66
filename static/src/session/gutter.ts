// The gutter of the text: a sign at the line under the pointer that adds a note there. With the keyboard c does it, at the chosen line.

import type { Session } from "../store/session";
import { byId, h } from "../widgets/dom";

// addInGutter offers add at the line under the pointer, where the reader may add a note to it, and open at a line that has one.
export function addInGutter(store: Session, on: { add(): void; open(line: number): boolean }): void {
  const box = byId("code");
  const plus = h("button", { type: "button", class: "gutter-add", tabindex: -1 }, "+");
  plus.addEventListener("click", () => {
    // The click goes on to the number, which chooses the line.
    setTimeout(() => {
      plus.remove();
      on.add();
    });
  });
  box.addEventListener("pointerover", (e) => {
    if (e.pointerType !== "mouse" || !store.runs.mayEdit) return;
    const row = (e.target as Element).closest(".code-row");
    const number = [...(row?.querySelectorAll<HTMLElement>(".ln[data-line]") ?? [])].at(-1);
    if (!number || store.here().function === "" || number.classList.contains("noted")) return plus.remove();
    if (plus.parentElement === number) return;
    const name = `Add a note on line ${number.dataset.line}`;
    plus.title = `${name}  c`;
    plus.setAttribute("aria-label", name);
    number.append(plus);
  });
  box.addEventListener("pointerleave", () => plus.remove());
  box.addEventListener("click", (e) => {
    const noted = (e.target as Element).closest<HTMLElement>(".ln.noted");
    if (noted?.dataset.line) on.open(Number(noted.dataset.line));
  });
}
