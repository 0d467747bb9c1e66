// The form in which lines of Relax functions are shown, as the reader chose it last.

import { keep, setting } from "./prefs";
import type { Form } from "../wire";

export function preferredForm(): Form {
  return setting("form") === "exact" ? "exact" : "compact";
}

export function setForm(form: Form): void {
  keep("form", form);
}
