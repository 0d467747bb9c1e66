// The dialog in which a note is written.

import { button, dialog } from "../widgets/dialogs";
import { h, setText } from "../widgets/dom";

// writeNote asks for the text of a note and has it saved; while that fails the dialog stays and says why.
export function writeNote(title: string, text: string, save: (text: string) => Promise<void>): void {
  const field = h("textarea", { class: "field note-field", id: "note-text", rows: 5, maxlength: 16000, "aria-label": "Note", autofocus: true });
  field.value = text;
  const problem = h("p", { class: "note error", role: "alert", hidden: true });
  const yes = h("button", { type: "submit", class: "btn primary", id: "note-save" }, "Save ", h("kbd", {}, "Ctrl"), h("kbd", {}, "Enter"));
  const form = h("form", { class: "note-form" }, field, problem, h("p", { class: "quiet" }, "Markdown: **bold**, `code`, - lists, [links](?pass=…)"), h("div", { class: "dialog-foot" }, yes, button("Cancel", () => el.close())));
  const el = dialog(title, form);
  const submit = async (): Promise<void> => {
    if (yes.disabled || field.value.trim() === "") return field.focus();
    yes.disabled = true;
    try {
      await save(field.value.trim());
      el.close();
    } catch (err) {
      setText(problem, `The note was not saved: ${err instanceof Error ? err.message : String(err)}`);
      problem.hidden = false;
      yes.disabled = false;
    }
  };
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    void submit();
  });
  field.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void submit();
  });
  el.showModal();
}
