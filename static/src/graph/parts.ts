// The controls around a graph.

import { h } from "../widgets/dom";

export type Parts = ReturnType<typeof make>;

function make() {
  return {
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
    zoom: button("100%", "Actual size (1)", "graph-zoom", true),
    zoomIn: button("+", "Larger (key +)", "graph-larger"),
    fit: button("Fit", "Fit the whole graph (0)", "graph-fit", true),
    memory: h("input", { type: "checkbox", id: "graph-hide-memory" }),
    constants: h("input", { type: "checkbox", id: "graph-hide-constants" }),
    groups: h("div", { class: "g-set g-groups", role: "group", "aria-label": "Groups", hidden: true }),
    fold: button("Fold", "Fold all groups", "graph-fold", true),
    unfold: button("Open", "Open all groups", "graph-open", true),
    nearby: h("div", { class: "g-set g-nearby", role: "group", "aria-label": "Neighborhood" }),
    around: button("Neighborhood", "Show only what is near this node (N)", "graph-around", true),
    fewer: button("−", "One step less (<)", "graph-fewer"),
    steps: h("span", { class: "num g-steps", id: "graph-steps", role: "status" }),
    more: button("+", "One step more (>)", "graph-more"),
    whole: button("Whole graph", "Show the whole graph (Escape)", "graph-whole", true),
    heat: button("Heat", "Color nodes by their share of the time of a run (h)", "graph-heat", true),
    scale: h("div", { id: "graph-scale", hidden: true }),
    svg: button("SVG", "Save the drawing as SVG", "graph-svg", true),
    png: button("PNG", "Save the drawing as PNG", "graph-png", true),
    counts: h("span", { class: "g-counts num", id: "graph-counts", role: "status" }),
    about: h("div", { class: "g-about", id: "graph-about", role: "status" }),
  };
}

export function parts(): Parts & { root: HTMLElement } {
  const p = make();
  p.groups.append(h("span", {}, "Groups"), p.fold, p.unfold);
  p.nearby.append(p.around, p.fewer, p.steps, p.more, p.whole);
  const root = h("div", { class: "g-view" },
    h("div", { class: "g-tools", role: "group", "aria-label": "Graph" },
      h("div", { class: "g-set g-search" }, p.search, p.found, p.previous, p.next),
      h("div", { class: "g-set", role: "group", "aria-label": "Size" }, p.zoomOut, p.zoom, p.zoomIn, p.fit),
      h("div", { class: "g-set g-hide", role: "group", "aria-label": "Hide" },
        h("span", {}, "Hide"), h("label", {}, p.memory, " memory"), h("label", {}, p.constants, " constants")),
      p.groups, p.nearby,
      h("div", { class: "g-set" }, p.heat),
      h("div", { class: "g-set", role: "group", "aria-label": "Save" }, h("span", {}, "Save"), p.svg, p.png)),
    h("div", { class: "g-room" }, p.stage, p.map, p.legend),
    h("div", { class: "g-foot" }, p.scale, p.about, p.counts));
  return { root, ...p };
}

// button makes a button. Where its text says what it does, the title only explains.
function button(text: string, title: string, id: string, named = false): HTMLButtonElement {
  return h("button", { type: "button", class: "btn small quiet", id, title, "aria-label": named ? null : title }, text);
}
