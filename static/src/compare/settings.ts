// The settings of two runs beside each other: those that differ, and the command lines that do the same.

import { h } from "../widgets/dom";
import type { RunInfo } from "../wire";

export function drawSettings(host: HTMLElement, a: RunInfo, b: RunInfo): void {
  const rows = differing(a, b);
  host.replaceChildren(
    rows.length === 0
      ? h("p", { class: "legend" }, "Both runs have the same settings.")
      : h("table", { class: "table", "aria-label": "Settings that differ" },
          h("thead", {}, h("tr", {}, ...["Setting", "#1", "#2"].map((t) => h("th", { scope: "col" }, t)))),
          h("tbody", {}, ...rows.map(([name, x, y]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, h("code", {}, x)), h("td", {}, h("code", {}, y)))))),
    h("h3", {}, "Command lines"),
    h("pre", { tabindex: 0, role: "region", "aria-label": "Command line of #1" }, a.command),
    h("pre", { tabindex: 0, role: "region", "aria-label": "Command line of #2" }, b.command),
  );
}

// differing lists the names of settings that differ, with both values.
export function differing(a: Pick<RunInfo, "settings">, b: Pick<RunInfo, "settings">): [string, string, string][] {
  const left = a.settings as unknown as Record<string, unknown>;
  const right = b.settings as unknown as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
    .map((name): [string, string, string] => [name, print(left[name]), print(right[name])])
    .filter(([, x, y]) => x !== y);
}

function print(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
