// The signs that the page's own icon set holds, for what a script makes. The template lists their names.

import { s } from "./dom";

export function icon(name: string): SVGElement {
  return s("svg", { class: "ico", "aria-hidden": "true" }, s("use", { href: `#icon-${name}` }));
}
