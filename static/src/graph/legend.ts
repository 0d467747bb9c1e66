// What the shapes and marks of a graph mean. The samples are taken from the drawing, so that they look like it.

import { h, s } from "../widgets/dom";
import type { Drawing } from "./drawing";

const kinds: [string, string][] = [
  ["param", "parameter"], ["constant", "constant"], ["op", "operator"], ["kernel", "kernel call"], ["call", "function call"],
  ["packed", "runtime call"], ["shape", "shape computation"], ["memory", "memory"], ["tuple", "tuple"], ["control", "branch and its end"],
  ["return", "result"], ["function", "function"], ["loop", "loop"], ["block", "block"], ["store", "store"], ["alloc", "buffer"], ["let", "variable"],
  ["eval", "call for its side effect"], ["group", "nodes folded into one"],
];
const marks: [string, string][] = [
  ["added", "+ added: double line"], ["removed", "− removed: dashed"], ["changed", "● changed: thick line"],
];

export class Legend {
  private readonly body = h("div", { class: "g-legend-body", role: "group", "aria-label": "Legend", tabindex: 0 });

  constructor(host: HTMLDetailsElement) {
    host.replaceChildren(h("summary", {}, "Legend"), this.body);
  }

  show(nodes: SVGGElement[], d: Drawing): void {
    const rows: HTMLElement[] = [];
    for (const [kind, words] of kinds) {
      // A node without a mark shows the shape best.
      const of = nodes.filter((n) => n.dataset.kind === kind);
      const node = of.find((n) => !n.querySelector(".g-badge")) ?? of[0];
      if (node) rows.push(row(sample(node, `k-${kind}`), words));
    }
    if (d.diff) {
      for (const [mark, words] of marks) {
        const node = nodes.find((n) => n.dataset.mark === mark);
        if (node) rows.push(row(sample(node, `k-${node.dataset.kind} m-${mark}`), words));
      }
    }
    if (d.form === "dataflow") rows.push(h("p", {}, "A line leads from a value to its users. A dotted line only shows order; a thick one is cut short."));
    else rows.push(h("p", {}, "A box holds what runs in it. Loops directly in one another share a box: the outermost stands first."));
    if (d.folded || d.groups?.length) rows.push(h("p", {}, "A stack represents several nodes. A frame is a group by the names in the model: a click on it folds it, one on a stack opens it."));
    if (nodes.some((n) => n.querySelector(".g-pattern"))) rows.push(h("p", {}, "The label on a kernel is its op_pattern, by which FuseOps fuses."));
    this.body.replaceChildren(...rows);
  }
}

function row(picture: SVGSVGElement, words: string): HTMLElement {
  return h("div", { class: "g-legend-row" }, picture, h("span", {}, words));
}

// sample is the outline of a node without its text.
function sample(node: SVGGElement, classes: string): SVGSVGElement {
  const shapes = [...node.querySelectorAll<SVGPathElement>(".g-shape, .g-second")];
  const box = shapes[0]!.getBBox();
  const view = `${box.x - 3} ${box.y - 3} ${box.width + 6} ${box.height + 6}`;
  const out = s("svg", { class: "g-svg g-sample", width: 40, height: 22, viewBox: view, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
  const group = s("g", { class: `g-node ${classes}` });
  for (const shape of shapes) group.append(shape.cloneNode(true));
  out.append(group);
  return out;
}
