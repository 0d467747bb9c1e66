// The list of the visitor's sessions: times on the reader's clock, and deleting.

import { remove } from "../store/api";
import { askToDelete } from "../widgets/dialogs";
import { setText } from "../widgets/dom";

export function mySessions(): void {
  const section = document.getElementById("sessions");
  if (!section) return;
  for (const t of section.querySelectorAll("time")) {
    const at = new Date(t.dateTime);
    t.title = at.toLocaleString();
    t.textContent = at.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  }
  section.addEventListener("click", (e) => {
    const b = (e.target as HTMLElement).closest<HTMLElement>("[data-delete]");
    if (b) void forget(section, b.closest("tr")!, b.dataset.delete!);
  });
}

async function forget(section: HTMLElement, row: HTMLTableRowElement, id: string): Promise<void> {
  const title = row.querySelector("a")!.textContent ?? "";
  const problem = section.querySelector<HTMLElement>("#sessions-problem")!;
  problem.hidden = true;
  if (!(await askToDelete(title))) return;
  try {
    await remove(`/api/sessions/${id}`);
    row.remove();
    if (section.querySelector("tbody tr")) section.focus();
    else section.remove();
  } catch (err) {
    setText(problem, `${title} was not deleted: ${err instanceof Error ? err.message : String(err)}`);
    problem.hidden = false;
  }
}
