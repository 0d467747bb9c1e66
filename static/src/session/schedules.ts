// The schedules that users write for kernels, as the page of a session knows them. The editor is loaded when it is needed.

import { messageOf } from "../store/format";
import type { Session } from "../store/session";
import type { CodeView } from "../widgets/codeview";

export class Schedules {
  readonly offered: boolean;
  private readonly button = document.getElementById("schedule-kernel");

  constructor(private readonly store: Session, readonly codemirror: string, readonly code: (host: HTMLElement) => CodeView) {
    this.offered = this.button !== null;
    this.button?.addEventListener("click", () => this.open());
  }

  // isKernel tells whether a function can be scheduled: it is a PrimFunc of the selected step.
  isKernel(name: string): boolean {
    const { store } = this;
    return this.offered && store.mayRun && store.model.functionsAt(store.selected()).some((f) => f.name === name && f.kind === "prim_func");
  }

  // update shows the button where the middle shows a kernel.
  update(): void {
    if (this.button) this.button.hidden = !this.isKernel(this.store.fn);
  }

  // open opens the schedule of a kernel, of the one that the middle shows or that the selected step schedules if none is named, at a line.
  open(kernel = "", line = 0): void {
    const { store } = this;
    if (!this.offered) return;
    import("../editing/schedule").then((own) => own.openSchedule(store, this, kernel, line)).catch((err: unknown) => {
      store.runs.problem = `The editor could not be loaded: ${messageOf(err)}`;
      store.changed();
    });
  }
}
