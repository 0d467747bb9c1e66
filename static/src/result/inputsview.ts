// What a run is run on, a part of the view Result: files of tensors that are chosen (session/dropfiles.ts takes those that are dropped), and the seed of what is
// random.

import { messageOf } from "../store/format";
import type { Runs } from "../store/runs";
import { giveAll, given, type Role, without } from "../store/tensors";
import { announce, h } from "../widgets/dom";
import type { GivenTensor } from "../wire";

export interface InputsListener {
  // runs has the settings of the next run and starts it; refusal says why the reader can start none.
  runs(): Pick<Runs, "settings" | "set" | "session">;
  refusal(): string;
}

export class InputsView {
  private readonly host = h("section", { class: "result-part give", "aria-labelledby": "give-title" });
  private problem = "";
  private busy = false;

  constructor(private readonly on: InputsListener) {}

  element(): HTMLElement {
    this.draw();
    return this.host;
  }

  // take sends files, one after the other, and starts a run with what they hold.
  private async take(files: File[], role: (file: string) => Role): Promise<void> {
    const runs = this.on.runs();
    if (this.busy || !runs.session || files.length === 0) return;
    this.busy = true;
    this.problem = "";
    this.draw();
    try {
      await giveAll(runs, files, role);
    } catch (err) {
      this.problem = messageOf(err);
      announce(this.problem);
    }
    this.busy = false;
    this.draw();
  }

  private draw(): void {
    const { settings } = this.on.runs();
    const refusal = this.on.refusal();
    const rows = (["inputs", "expected"] as const).flatMap((role) => given(settings, role).map((t) => this.row(role, t, refusal === "")));
    const out: (HTMLElement | null)[] = [
      h("h3", { id: "give-title" }, "Inputs and expected outputs"),
      h("p", { class: "quiet" }, refusal
        ? "Inputs that were not given are random."
        : "Drop .pb, .npy, or .npz files anywhere on this page, or choose them; files named output… are expected outputs. What is not given is random."),
      rows.length > 0 ? h("ul", { class: "give-list" }, ...rows) : null,
      refusal ? null : this.controls(settings.seed ?? 0),
      this.problem ? h("p", { class: "beyond", id: "give-problem" }, this.problem) : null,
    ];
    this.host.replaceChildren(...out.filter((x) => x !== null));
  }

  private row(role: Role, t: GivenTensor, mayEdit: boolean): HTMLElement {
    const b = h("button", { type: "button", class: "link", "aria-label": `Remove ${t.name}` }, "Remove");
    b.addEventListener("click", () => {
      const runs = this.on.runs();
      runs.set(without(runs.settings, role, t.name));
      this.draw();
    });
    return h("li", {}, h("span", { class: "quiet" }, role === "inputs" ? "input" : "expected"), h("strong", { class: "mono" }, t.name), h("code", {}, `${t.dtype} ${(t.shape ?? []).join("×") || "scalar"}`), h("span", { class: "quiet" }, t.file), mayEdit ? b : null);
  }

  private controls(seed: number): HTMLElement {
    const choose = (id: string, text: string, role: Role): HTMLElement => {
      const input = h("input", { type: "file", accept: ".pb,.npy,.npz", multiple: true, hidden: true });
      input.addEventListener("change", () => void this.take([...(input.files ?? [])], () => role));
      const b = h("button", { type: "button", class: "btn small", id, disabled: this.busy }, text);
      b.addEventListener("click", () => input.click());
      return h("span", {}, b, input);
    };
    const field = h("input", { class: "field num", type: "number", id: "give-seed", step: 1, value: seed });
    field.addEventListener("change", () => {
      if (field.checkValidity() && field.value !== "") this.on.runs().set({ seed: Number(field.value) });
    });
    return h("p", { class: "give-controls" }, choose("give-inputs", "Choose inputs…", "inputs"), choose("give-expected", "Choose expected outputs…", "expected"),
      h("label", {}, "Seed ", field), this.busy ? h("span", { class: "quiet" }, "reading…") : null);
  }
}
