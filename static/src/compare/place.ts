// What the page of a comparison shows, as its address says: ?row=8&function=main&view=split&tab=outputs.

export const tabs = ["difference", "outputs", "settings", "metrics"] as const;
export type Tab = (typeof tabs)[number];

// forms are those of a difference: as one text, or side by side.
export const forms = ["unified", "split"] as const;
export type Form = (typeof forms)[number];

export function other(form: Form): Form {
  return forms[form === forms[0] ? 1 : 0];
}

export interface Place {
  // row is the number of a row of the comparison; -1 is the first one after which the runs differ.
  row: number;
  // fn is the name of a function; "" is the one that the page chooses.
  fn: string;
  form: Form;
  tab: Tab;
}

export function parsePlace(query: string, form: Form): Place {
  const q = new URLSearchParams(query);
  const row = Number(q.get("row") ?? -1);
  return {
    row: Number.isInteger(row) ? row : -1,
    fn: q.get("function") ?? "",
    form: forms.find((f) => f === q.get("view")) ?? form,
    tab: tabs.find((t) => t === q.get("tab")) ?? "difference",
  };
}

// printPlace writes a place into a query, whose other parts stay.
export function printPlace(p: Place, query: string): string {
  const q = new URLSearchParams(query);
  const put = (name: string, value: string): void => (value ? q.set(name, value) : q.delete(name));
  put("row", p.row >= 0 ? String(p.row) : "");
  put("function", p.fn);
  put("view", p.form);
  put("tab", p.tab === "difference" ? "" : p.tab);
  return `?${q}`;
}
