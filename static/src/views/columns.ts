// One function after two to four passes, side by side. What arranges the columns is loaded when they are opened.

import type { ColumnsView } from "../columns/columnsview";
import { wholeModule } from "../store/model";
import { TextSource } from "../store/textsource";
import { plainCode } from "../widgets/codeview";
import { part } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";
import { allFunctions, mainFirst } from "./functions";
import type { Make, Panel } from "./view";

export const columns: Make = (on) => {
  const view = part("the script of the columns", () => Promise.all([import("../columns/columnsview"), lateStyle()]), ([own], host: HTMLElement) => new own.ColumnsView(host, {
    keep: (paths) => on.go({ columns: paths }),
    select: (step) => on.select(step),
    code: plainCode,
    text: (f, form, signal) => TextSource.open([{ title: f.name, hash: f.text, lines: f.lines }], form, signal),
  }));
  let shown: ColumnsView | null = null;
  const panel: Panel = {
    async show(host, at, reveal) {
      reveal();
      shown = await view(host);
      shown.show(at);
    },
    focus: () => shown?.focus(),
  };
  return {
    name: "columns",
    label: "Diff",
    layout: { doc: "Columns: the function after two to four passes  v", icon: "columns" },
    key: { key: "v", doc: "columns: the function after two to four passes, side by side" },
    follows: true,
    tools: ["form"],
    panel: true,
    list: (at) => {
      const all = allFunctions(at);
      return { ...all, entries: all.entries.filter((e) => e.key !== wholeModule) };
    },
    first: mainFirst,
    title: ({ fn }) => `Columns${fn ? ` › ${fn}` : ""}`,
    content: () => ({ panel }),
  };
};
