// The page of a document, a pass, or an operator: the list of all beside it shows where it stands among them.

import "../shared";

export function open(): void {
  const here = document.querySelector<HTMLElement>(".doc-nav [aria-current]");
  const list = here?.closest(".doc-nav");
  if (list) list.scrollTop = here!.offsetTop - list.clientHeight / 2;
}
