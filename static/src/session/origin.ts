// The inspector's sheet on where the run comes from: the model, and with what it was run.

import type { Runs } from "../store/runs";
import { h } from "../widgets/dom";

export function drawOrigin(host: HTMLElement, runs: Runs, title: string, source: (() => void) | null): void {
  const { model, session } = runs;
  const key = JSON.stringify([title, model.started?.dump, model.started?.module, model.started?.target, session?.source, session?.created]);
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const facts = h("dl", { class: "facts" });
  const fact = (name: string, value: string, mono = false): void => {
    if (value) facts.append(h("dt", {}, name), h("dd", {}, mono ? h("code", {}, value) : value));
  };
  const { dump } = model.started ?? {};
  fact(dump ? "Dump" : session?.source.kind === "text" ? "Text" : "Model", session?.source.name ?? "");
  fact("Compiler", dump?.compiler ?? "");
  fact("Format", dump?.format ?? "");
  fact("Module", model.started?.module.slice(0, 12) ?? "", true);
  fact("Functions", model.started ? String(model.started.functions.length) : "");
  fact("Pipeline", model.started?.pipeline ?? "");
  fact("Target", model.started?.target ?? "", true);
  fact("opt_level", model.started && !dump ? String(model.started.opt_level) : "");
  fact("Created", session ? new Date(session.created).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }) : "");
  const show = h("button", { type: "button", class: "btn small" }, "Show the text");
  show.addEventListener("click", () => source?.());
  host.replaceChildren(h("h3", {}, title), facts, ...(source ? [h("p", {}, show)] : []));
}
