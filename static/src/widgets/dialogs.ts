// Small dialogs, and copying to the clipboard.

import { h, setText } from "./dom";

let made = 0;

// dialog makes a dialog with a title, which goes when it is closed.
export function dialog(title: string, ...children: (HTMLElement | null)[]): HTMLDialogElement {
  const id = `dialog-${++made}`;
  const el = h("dialog", { class: "small-dialog", "aria-labelledby": id }, h("h2", { id }, title), ...children);
  el.addEventListener("close", () => el.remove());
  document.body.append(el);
  return el;
}

export function button(text: string, run: () => void, kind = "", attrs: Record<string, string | boolean> = {}): HTMLButtonElement {
  const b = h("button", { type: "button", class: `btn ${kind}`, ...attrs }, text);
  b.addEventListener("click", run);
  return b;
}

// ask resolves to true where the reader says yes.
export function ask(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let said = false;
    const el = dialog(title, h("p", {}, text));
    el.classList.add("ask");
    const sure = (): void => {
      said = true;
      el.close();
    };
    el.append(h("div", { class: "dialog-foot" }, button(yes, sure, "danger", { "data-yes": true }), button("Cancel", () => el.close(), "", { autofocus: true })));
    el.addEventListener("close", () => resolve(said));
    el.showModal();
  });
}

// askToDelete asks whether a session is to go.
export function askToDelete(title: string): Promise<boolean> {
  return ask("Delete this session?", `“${title}” and its notes will be deleted permanently, and its links will stop working. Forks and exports are kept.`, "Delete");
}

// copy puts a text into the clipboard and says so on the button. Without the permission it selects the text for the reader to copy.
export async function copy(b: HTMLElement, text: string, select: () => void, label = "Copy"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    setText(b, "Copied");
  } catch {
    select();
    setText(b, "Press Ctrl+C");
  }
  window.setTimeout(() => setText(b, label), 1600);
}
