// The passes that users wrote, as the page of a session knows them. The pane to write them is loaded when it is needed.

import { messageOf } from "../store/format";
import { byId, setText } from "../widgets/dom";
import type { Session } from "../store/session";
import type { CodeView } from "../widgets/codeview";
import type * as Dialog from "../editing/userpass";

export class UserPasses {
  private described = "[]";
  private dialog: Promise<Dialog.Passes> | null = null;
  private readonly button: HTMLElement | null;

  constructor(private readonly store: Session, private readonly codemirror: string, private readonly code: (host: HTMLElement) => CodeView) {
    this.button = store.compiler ? byId("write-pass") : null;
    this.button?.addEventListener("click", () => void this.open());
  }

  // open opens the pane: on a line of a script, on one, or on the last one.
  async open(script = "", line = 0): Promise<void> {
    if (!this.store.runs.mayEdit) return;
    try {
      this.dialog ??= this.load();
      const pane = await this.dialog;
      this.store.bring("center");
      await pane.open(script, line);
    } catch (err) {
      this.dialog = null;
      this.store.runs.problem = `The editor could not be loaded: ${messageOf(err)}`;
      this.store.changed();
    }
  }

  private async load(): Promise<Dialog.Passes> {
    const { store } = this;
    const { runs } = store;
    const [own, codemirror] = await Promise.all([this.module(), import(this.codemirror)]);
    return new own.Passes(codemirror, {
      settings: () => runs.settings,
      change: (settings) => runs.change(settings),
      selected: () => store.state.pass || "import",
      title: () => store.selected()?.name ?? "the import of the module",
      show: (name) => store.showLater(name),
      model: () => store.model,
      fn: () => store.fn,
    }, this.code);
  }

  private module(): Promise<typeof Dialog> {
    return import("../editing/userpass");
  }

  // update follows the settings: what is shown of scripts is asked for when they change.
  update(): void {
    const scripts = this.store.runs.settings.scripts ?? [];
    if (this.button) {
      this.button.hidden = !this.store.runs.mayEdit;
      setText(this.button, scripts.length > 0 ? `Your passes (${scripts.length})` : "Write a pass");
    }
    const text = JSON.stringify(scripts);
    if (!this.store.compiler || text === this.described) return;
    this.described = text;
    void this.describe(text);
  }

  private async describe(text: string): Promise<void> {
    try {
      const infos = await (await this.module()).describe(this.store.runs.settings.scripts ?? []);
      if (text !== this.described) return;
      this.store.ownPasses = infos;
      this.store.changed();
    } catch {
      // The details then lack what the pass is for; the run is not concerned.
    }
  }
}
