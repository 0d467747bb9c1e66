// A field for an option: made from its declared type, with its default, its doc, and what the server has to say to a value.

import { debounce } from "../store/timers";
import { h, setText } from "./dom";

export interface FieldOption {
  name: string;
  type: string;
  default: unknown;
  doc: string;
  choices?: unknown[];
}

export interface FieldListener {
  // wrong resolves to what is wrong with a value, "" where nothing is; undefined is the default.
  wrong(v: unknown): Promise<string>;
  apply(v: unknown): void;
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

let made = 0;

export class Field {
  readonly el: HTMLElement;
  readonly input: Input;
  private readonly problem: HTMLElement;
  private readonly back: HTMLButtonElement;
  private value: unknown = undefined;
  private turn = 0;
  private readonly tryLater = debounce(350, () => void this.try());

  constructor(readonly option: FieldOption, private readonly on: FieldListener) {
    const id = `option-${++made}`;
    this.input = this.control();
    this.input.id = id;
    this.input.setAttribute("aria-describedby", `${id}-doc ${id}-wrong`);
    this.back = h("button", { type: "button", class: "link option-back", hidden: true, "aria-label": `Default of ${option.name}` }, "default");
    this.back.addEventListener("click", () => {
      this.turn++;
      this.say("");
      this.on.apply(undefined);
      this.input.focus();
    });
    this.problem = h("p", { class: "option-wrong", id: `${id}-wrong`, role: "alert" });
    const label = h("label", { for: id }, h("code", {}, option.name));
    const tick = option.type === "bool";
    this.el = h(
      "div",
      { class: `option is-${tick ? "tick" : "text"}`, "data-option": option.name },
      h("div", { class: "option-head" }, tick ? this.input : null, label, h("span", { class: "option-type" }, option.type), h("span", { class: "grow" }), this.back),
      tick ? null : this.input,
      h("p", { class: "option-doc", id: `${id}-doc` }, `${sentence(option.doc)} Default ${print(option.default, option.type) || "empty"}.`),
      this.problem,
    );
  }

  // update shows a value; undefined is the default.
  update(value: unknown, fixed: boolean): void {
    this.input.disabled = fixed;
    this.back.disabled = fixed;
    const changed = value !== undefined;
    this.back.hidden = !changed;
    this.el.classList.toggle("changed", changed);
    const same = JSON.stringify(value) === JSON.stringify(this.value);
    this.value = value;
    // What is being typed stays as it is typed.
    if (same && this.input.value !== "" && (this.problem.textContent !== "" || document.activeElement === this.input)) return;
    if (document.activeElement === this.input && JSON.stringify(this.read()) === JSON.stringify(value)) return;
    this.write(value ?? this.option.default);
  }

  private control(): Input {
    const { type, choices } = this.option;
    let input: Input;
    if (choices?.length) {
      input = h("select", { class: "field" }, ...choices.map((c) => h("option", { value: print(c, type) }, print(c, type))));
    } else if (type === "bool") {
      input = h("input", { type: "checkbox" });
    } else if (type === "int" || type === "float") {
      input = h("input", { class: "field num", type: "text", inputmode: type === "int" ? "numeric" : "decimal", autocomplete: "off", spellcheck: "false" });
    } else if (type === "str") {
      input = h("input", { class: "field", type: "text", autocomplete: "off", spellcheck: "false" });
    } else {
      input = h("textarea", { class: "field mono", rows: 2, spellcheck: "false" });
    }
    const typed = input instanceof HTMLTextAreaElement || (input instanceof HTMLInputElement && input.type === "text");
    input.addEventListener(typed ? "input" : "change", () => (typed ? this.tryLater() : void this.try()));
    if (typed) input.addEventListener("change", () => void this.try());
    return input;
  }

  private write(v: unknown): void {
    if (this.option.type === "bool") (this.input as HTMLInputElement).checked = v === true;
    else this.input.value = print(v, this.option.type);
    this.say("");
  }

  // read returns the value in the field, undefined for the default; what is no value of the type stays a text, for the server to tell.
  private read(): unknown {
    const v = this.parse();
    return JSON.stringify(v) === JSON.stringify(this.option.default) ? undefined : v;
  }

  private parse(): unknown {
    const { type } = this.option;
    if (type === "bool") return (this.input as HTMLInputElement).checked;
    const text = this.input.value;
    if (type === "str") return text;
    if ((type === "int" || type === "float") && !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text)) return text;
    try {
      return type === "int" || type === "float" ? Number(text) : JSON.parse(text);
    } catch {
      return text;
    }
  }

  private async try(): Promise<void> {
    const v = this.read();
    const turn = ++this.turn;
    if (JSON.stringify(v) === JSON.stringify(this.value)) return this.say("");
    try {
      const wrong = v === undefined ? "" : await this.on.wrong(v);
      if (turn !== this.turn) return;
      this.say(wrong);
      if (!wrong) this.on.apply(v);
    } catch (err) {
      if (turn === this.turn) this.say(err instanceof Error ? err.message : String(err));
    }
  }

  private say(wrong: string): void {
    setText(this.problem, wrong);
    if (wrong) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }
}

// print writes a value as it stands in a field.
export function print(v: unknown, type: string): string {
  return type === "str" && typeof v === "string" ? v : JSON.stringify(v);
}

function sentence(doc: string): string {
  return doc === "" ? "" : `${doc[0]!.toUpperCase()}${doc.slice(1)}${/[.!?]$/.test(doc) ? "" : "."}`;
}
