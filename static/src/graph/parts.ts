// The controls around a graph.

import { h } from "../widgets/dom";

export interface Parts {
  root: HTMLElement;
  stage: HTMLElement;
  map: HTMLElement;
  legend: HTMLDetailsElement;
  search: HTMLInputElement;
  found: HTMLElement;
  next: HTMLButtonElement;
  previous: HTMLButtonElement;
  zoomIn: HTMLButtonElement;
  zoomOut: HTMLButtonElement;
  zoom: HTMLButtonElement;
  fit: HTMLButtonElement;
  memory: HTMLInputElement;
  constants: HTMLInputElement;
  counts: HTMLElement;
  folded: HTMLElement;
}

export function parts(): Parts {
  const p = {
    stage: h("div", { class: "g-stage", id: "graph-stage", tabindex: 0, role: "region", "aria-label": "Graph" }),
    map: h("div", { class: "g-map", "aria-hidden": "true", hidden: true }),
    legend: h("details", { class: "g-legend", id: "graph-legend" }),
    search: h("input", {
      class: "field", id: "graph-search", type: "search", placeholder: "Find a node", "aria-label": "Find in the graph", autocomplete: "off", spellcheck: "false",
    }),
    found: h("span", { class: "num g-found", id: "graph-found", role: "status" }),
    previous: button("↑", "Previous match", "graph-previous"),
    next: button("↓", "Next match", "graph-next"),
    zoomOut: button("−", "Smaller (key -)", "graph-smaller"),
    zoom: button("100%", "Actual size (1)", "graph-zoom"),
    zoomIn: button("+", "Larger (key +)", "graph-larger"),
    fit: button("Fit", "Fit the whole graph (0)", "graph-fit"),
    memory: h("input", { type: "checkbox", id: "graph-hide-memory" }),
    constants: h("input", { type: "checkbox", id: "graph-hide-constants" }),
    counts: h("span", { class: "g-counts num", id: "graph-counts", role: "status" }),
    folded: h("span", { class: "g-folded", role: "status" }),
  };
  p.zoom.removeAttribute("aria-label"); // its text says how large the graph is
  p.fit.removeAttribute("aria-label");
  const root = h("div", { class: "g-view" },
    h("div", { class: "g-tools", role: "group", "aria-label": "Graph" },
      h("div", { class: "g-set g-search" }, p.search, p.previous, p.found, p.next),
      h("div", { class: "g-set", role: "group", "aria-label": "Size" }, p.zoomOut, p.zoom, p.zoomIn, p.fit),
      h("div", { class: "g-set g-hide", role: "group", "aria-label": "Hide" },
        h("span", {}, "Hide"), h("label", {}, p.memory, " memory"), h("label", {}, p.constants, " constants")),
      h("span", { class: "grow" }), p.folded, p.counts),
    h("div", { class: "g-room" }, p.stage, p.map, p.legend));
  return { root, ...p };
}

function button(text: string, title: string, id: string): HTMLButtonElement {
  return h("button", { type: "button", class: "btn small quiet", id, title, "aria-label": title }, text);
}
