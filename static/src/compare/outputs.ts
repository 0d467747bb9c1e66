// The outputs of two runs beside each other, as far as logs hold them: type, shape, range, mean, and the first elements.

import { number } from "../store/format";
import { h } from "../widgets/dom";
import type { ComparedOutput, WireTensor } from "../wire";

export function drawOutputs(host: HTMLElement, outputs: ComparedOutput[]): void {
  if (outputs.length === 0) {
    host.replaceChildren(h("div", { class: "empty" }, h("p", { class: "empty-title" }, "No outputs"), h("p", {}, "Neither run has been executed.")));
    return;
  }
  host.replaceChildren(
    h("table", { class: "table", "aria-label": "Outputs of both runs" },
      h("thead", {}, h("tr", {}, ...["Output", "Run", "Type", "Minimum", "Mean", "Maximum", "NaN", "First elements"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...outputs.flatMap((o) => [line(o, "#1", o.a), line(o, "#2", o.b)]))),
    h("p", { class: "legend" }, "Logs hold the first 16 elements of a tensor; whether the others agree is not known. Close are numbers that differ by no more than rounding may, as in a check of every pass."),
  );
}

function agreement(o: ComparedOutput): string {
  const by = Number(o.max_abs) > 0 ? `, by up to ${number(o.max_abs)}` : "";
  return o.same ? "equal" : (o.close ? "close" : "not equal") + by;
}

function line(o: ComparedOutput, run: string, t: WireTensor | undefined): HTMLElement {
  const cells = t
    ? [`${t.dtype}[${t.shape.join(",")}]`, number(t.min), number(t.mean), number(t.max), String(t.nans ?? 0), t.first.slice(0, 6).map(number).join("  ")]
    : ["none", "", "", "", "", ""];
  const name = run === "#1" ? h("th", { scope: "row" }, o.name, h("small", {}, ` ${agreement(o)}`)) : h("th", { scope: "row" }, h("span", { class: "vh" }, o.name));
  return h("tr", { class: o.same || o.close ? "" : "differs" }, name, h("td", {}, run), ...cells.map((text, i) => h("td", { class: i > 0 && i < 5 ? "num" : "" }, text)));
}
