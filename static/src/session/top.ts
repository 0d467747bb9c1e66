// The top bar and the messages: which run is shown, how far it is, and what the reader should know.

import { diagnosticNote, errorNote, type Jump } from "../widgets/errors";
import { only } from "../store/counts";
import { byId, h, later, setText, withButton } from "../widgets/dom";
import { plural } from "../store/format";
import { reuse, summary, tabTitle } from "../store/summary";
import { failedStep, type Step } from "../store/model";
import type { Runs } from "../store/runs";
import type { State } from "../store/state";
import type { Diagnostic } from "../wire";
import type * as Lowering from "./lowering";

export function drawTop(runs: Runs, title: string): void {
  const state = byId("run-state-text");
  const [what, more] = summary(runs);
  if (state.dataset.said !== `${what}|${more}`) {
    state.dataset.said = `${what}|${more}`;
    state.replaceChildren(what, more ? h("span", { class: "run-more" }, ` ${more}`) : "");
  }
  state.title = runs.stale ? "" : [what, more, reuse(runs.model)].filter(Boolean).join(", ");
  byId("run-state").dataset.status = runs.connection || runs.offline ? "waiting" : (runs.model.finished?.status ?? "running");
  const tab = tabTitle(runs, title);
  if (document.title !== tab) document.title = tab;
  const run = byId<HTMLButtonElement>("run");
  const cancel = byId<HTMLButtonElement>("cancel");
  run.disabled = false; // where nothing may be changed it forks
  // One button: it cancels while a run goes on, and is filled only where there is something to run.
  const held = document.activeElement === run || document.activeElement === cancel;
  cancel.hidden = !runs.active || runs.loading || !runs.mayEdit;
  run.hidden = !cancel.hidden;
  if (held) (run.hidden ? cancel : run).focus();
  run.classList.toggle("primary", runs.mayEdit && (runs.unrun || (!runs.active && !runs.model.finished)));
  for (const radio of document.querySelectorAll<HTMLInputElement>("#run-form input[name=opt_level]")) {
    radio.checked = Number(radio.value) === (runs.settings.opt_level ?? 2);
    radio.disabled = !runs.mayEdit;
  }
  drawCommand(runs).catch(() => undefined); // it stays as the server wrote it
  setText(byId("level"), `O${runs.settings.opt_level ?? 2}`);
  drawTarget(runs);
  setText(byId("pipeline-name"), runs.model.started?.pipeline ?? "default");
  const { model } = runs;
  const { changed, total } = model.tally();
  setText(byId("pass-count"), total > 0 ? `${changed} of ${total}` : "");
  byId("pass-count").dataset.ended = model.finished?.status ?? ""; // where the passes are all that is in view, they say how it ended
}

// drawCommand writes the command line of the run, which is in a dialog: what makes it is loaded after the first view.
async function drawCommand(runs: Runs): Promise<void> {
  const { commandLine } = await import("../store/command");
  const line = commandLine(runs.session, runs.stale ? null : runs.info, runs.settings);
  setText(byId("command"), line);
  byId("command").title = line;
}

// drawTarget chooses the target of the settings, which may have options that the list has not.
function drawTarget(runs: Runs): void {
  const list = byId<HTMLSelectElement>("target");
  const chosen = runs.settings.target || runs.model.started?.target;
  list.disabled = !runs.mayEdit;
  if (!chosen || chosen === list.value) return;
  if (![...list.options].some((o) => o.value === chosen)) list.append(h("option", { value: chosen }, chosen));
  list.value = chosen;
}

// lowering says what lacks without lowering passes, once one was switched off.
let lowering: typeof Lowering | null = null;

// drawMessages shows what concerns the whole run above the code.
export function drawMessages(runs: Runs, problem: string, step: Step | null, inResult: boolean, on: { select(step: Step): void; turnOn(names: string[]): void; again(): void; open(to: Partial<State>): void; jump: Jump; remedy(d: Diagnostic): HTMLElement | null }): void {
  const out: HTMLElement[] = [];
  if (problem) out.push(h("p", { class: "note error" }, problem));
  const all = runs.model.all();
  const off = runs.disabled.filter((name) => runs.passes.get(name)?.role === "lowering" || all.some((x) => x.name === name && x.role === "lowering"));
  if (off.length > 0 && !lowering) later(import("./lowering"), (own) => ((lowering = own), on.again()));
  else if (off.length > 0) out.push(...lowering!.loweringNotes(runs, off, on.turnOn));
  const f = runs.model.finished;
  if (f?.error && f.status !== "cancelled" && !inResult && step?.status !== "failed") {
    const note = errorNote(f.error);
    const culprit = failedStep(runs.model);
    if (culprit) withButton(note, `Go to ${culprit.name}`, () => on.select(culprit), "data-culprit");
    if (f.error.accesses) later(import("../widgets/accesses"), (own) => own.addAccesses(note, runs.model, on.open));
    out.push(note);
  }
  const marks = step?.finished && step.kind !== "sequential" ? only(step.finished) : "";
  if (marks && !inResult) out.push(h("p", { class: "note", id: "only-names" }, `${step!.name}: ${marks}. ${says(marks)}`));
  const notes = runs.model.diagnostics.map((d) => {
    const note = diagnosticNote(d, on.jump);
    const remedy = on.remedy(d);
    if (remedy) note.append(remedy);
    return note;
  });
  // Many would hide the code that they are about.
  if (notes.length > 3) out.push(h("details", { class: "note warning" }, h("summary", {}, plural(notes.length, "message") + " about this run"), ...notes));
  else out.push(...notes);
  const signature = out.map((el) => el.textContent).join("\n");
  const host = byId("messages");
  if (host.dataset.signature === signature) return;
  host.dataset.signature = signature;
  host.replaceChildren(...out);
}

// says explains what delta's only says.
function says(marks: string): string {
  const parts = [marks.includes("renames") ? "does so only in names of values" : "", marks.includes("moved") ? "appears elsewhere with the same text" : ""];
  return `Every line that differs ${parts.filter(Boolean).join(", or ")}.`;
}
