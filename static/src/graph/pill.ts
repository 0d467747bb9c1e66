// A label on the edge of a node.

import { s } from "../widgets/dom";

const letter = 6.1; // of the font of a pill, which graph.css gives it
const height = 15;

// pill makes a label that stands on the upper right corner of a node ("end"), or on the lower left one ("start").
export function pill(node: SVGGElement, text: string, side: "start" | "end", name: string): SVGGElement {
  const shape = node.querySelector<SVGPathElement>(".g-shape")!.getBBox();
  const width = Math.ceil(text.length * letter) + 10;
  const x = side === "end" ? Math.max(14, shape.width - width + 6) : 6;
  const y = side === "end" ? -height + 5 : shape.height - 6;
  return s("g", { class: `g-pill ${name}`, transform: `translate(${x} ${y})` },
    s("rect", { class: "g-pill-box", width, height, rx: 7 }), s("text", { class: "g-pill-text", x: width / 2, y: 11 }, text));
}
