// The list of lessons, with how far this browser is in each.

import "../shared";
import { h, setText } from "../widgets/dom";
import { progressOf, solved } from "./progress";

export function open(): void {
  for (const card of document.querySelectorAll<HTMLElement>("[data-lesson]")) {
    const p = progressOf(card.dataset.lesson!);
    const count = card.querySelector(".lesson-count");
    if (!p || !count) continue;
    const [n, of] = [solved(p), Number(card.dataset.steps)];
    setText(count, n >= of ? "solved" : `${n} of ${of}`);
    card.classList.toggle("is-solved", n >= of);
    card.append(h("a", { class: "lesson-go-on", href: `/s/${encodeURIComponent(p.session)}` }, n >= of ? "Look again" : "Continue"));
  }
}
