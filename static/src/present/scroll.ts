// How far the middle of the page is scrolled, in a form that holds for windows of other sizes: the first line in view of a text, and a
// share of the whole for a module, whose lines have no number of their own, and for everything that is no text.

import type { GraphWindow, Presented } from "../wire";
import type { CodeView } from "../widgets/codeview";
import { byId } from "../widgets/dom";

type Top = Pick<Presented, "line" | "before" | "scroll" | "window">;

// above is how many rows CodeView.goToLine leaves above the line.
const above = 3;

// shown tells whether an element is on the screen.
const shown = (el: HTMLElement): boolean => el.getClientRects().length > 0;

// panel is what scrolls where the middle shows no text.
function panel(): HTMLElement | undefined {
  const all = [...byId("code").parentElement!.children].filter((el): el is HTMLElement => el instanceof HTMLElement && el.id !== "code" && el.id !== "messages" && el.id !== "tour" && shown(el));
  const scrolls = (el: HTMLElement): boolean => el.scrollHeight > el.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(el).overflowY);
  return all.flatMap((el) => [el, ...el.querySelectorAll<HTMLElement>("*")]).find(scrolls);
}

// graph is the stage of the graph that is shown.
function graph(): HTMLElement | undefined {
  return [...byId("center").querySelectorAll<HTMLElement>("[data-window]")].find(shown);
}

// top says how far the middle is scrolled.
export function top(code: CodeView): Top {
  const { scroller } = code;
  if (!shown(scroller)) {
    const drawing = graph();
    if (drawing) return { window: JSON.parse(drawing.dataset.window!) as GraphWindow };
    const el = panel();
    return el ? { scroll: share(el.scrollTop, el.scrollHeight - el.clientHeight) } : {};
  }
  if (scroller.scrollTop < 1) return {};
  if (ofModule(code)) return { scroll: share(scroller.scrollTop, scroller.scrollHeight) };
  const rows = [...scroller.querySelectorAll<HTMLElement>(".code-row")].sort((a, b) => a.offsetTop - b.offsetTop);
  const first = rows.findIndex((el) => el.offsetTop + el.offsetHeight / 2 > scroller.scrollTop);
  for (const el of first < 0 ? [] : rows.slice(first + above)) {
    const row = code.shown?.get(Number(el.getAttribute("aria-rowindex")) - 1);
    // A fold is not named by a line: going to it would open it.
    if (!row || row.kind === "head" || row.kind === "fold") continue;
    if (row.after) return { line: row.after };
    if (row.before) return { line: row.before, before: true };
  }
  return {};
}

const share = (part: number, of: number): number => Math.min(1, Math.max(0, Math.round((1e6 * part) / of) / 1e6));

// ofModule tells whether the text is that of a whole module.
const ofModule = (code: CodeView): boolean => code.shown?.get(0)?.kind === "head";

// scrollTo scrolls the middle as far.
export async function scrollTo(code: CodeView, to: Top): Promise<void> {
  if (to.window) graph()?.dispatchEvent(new CustomEvent("look", { detail: to.window }));
  else if (!shown(code.scroller)) {
    const el = panel();
    if (el) el.scrollTop = (to.scroll ?? 0) * (el.scrollHeight - el.clientHeight);
  } else if (to.line) await code.goToLine(to.line, to.before ? "before" : "after", false);
  else code.scroller.scrollTop = ofModule(code) ? (to.scroll ?? 0) * code.scroller.scrollHeight : 0;
}

// onText calls run when another text is shown.
export function onText(code: CodeView, run: () => void): () => void {
  const seen = new MutationObserver(run);
  seen.observe(code.scroller, { attributes: true, attributeFilter: ["aria-label"] });
  return () => seen.disconnect();
}
