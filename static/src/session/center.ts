// The middle of the page: the view that is chosen, in the rows of a text or in a panel of its own, or words for why there is nothing.

import { messageOf, plural } from "../store/format";
import type { FindOrigins } from "../store/origins";
import type { Source } from "../store/source";
import { type RunModel, type Step, whySkipped } from "../store/model";
import type { At, Content, Panel, View } from "../views/view";
import { CodeView } from "../widgets/codeview";
import { byId, h, later, setAttr } from "../widgets/dom";
import { stepNotes, type Jump } from "../widgets/errors";
import type { OriginBar } from "../widgets/originbar";

export interface CenterListener {
  jump: Jump;
  line(n: number): void;
  count(text: string): void;
  // after is asked for the text after the selected step.
  after(): void;
  // why is asked why the step did what it did; null where nothing can tell.
  why: (() => void) | null;
}

export class Center {
  readonly code: CodeView;
  // bar says what the lines of a text belong to. It is loaded with the first text that can tell.
  private bar: Promise<OriginBar> | null = null;
  private readonly host = byId("code");
  private readonly hosts = new Map<string, HTMLElement>();
  // drawn names the views whose panel holds what they drew, and no message in its place.
  private readonly drawn = new Set<string>();
  // panel is the one that is in view; null for the text or a message.
  private panel: { name: string; panel: Panel } | null = null;
  private readonly empty = h("div", { class: "empty", hidden: true });
  private shown: { name: string; key: string; form: string; line: number } | null = null;
  private pending: AbortController | null = null;
  // target is a line of the text before that is to be shown with the next text.
  private target = 0;
  private focusNext = false;

  constructor(private readonly views: readonly View[], private readonly on: CenterListener) {
    const plain = this.host.querySelector(".plain-code");
    this.host.replaceChildren(this.empty, ...(plain ? [plain] : []));
    for (const { name } of views.filter((v) => v.panel)) this.hosts.set(name, h("div", { class: name, id: name, hidden: true }));
    this.host.after(...this.hosts.values());
    this.code = new CodeView(this.host, {
      line: (n) => on.line(n),
      hunk: (k, n) => on.count(n === 0 ? "" : k < 0 ? plural(n, "hunk") : `${k + 1} / ${n}`),
      error: (err) => this.fail(err),
    });
    this.code.scroller.hidden = plain !== null;
  }

  // view is the view that can be shown where a view is asked for.
  view(asked: View, at: Pick<At, "model" | "step">): View {
    const instead = asked.instead?.(at);
    return (instead && this.views.find((v) => v.name === instead)) || asked;
  }

  // show brings the middle up to date. It does nothing where what is shown is what should be shown.
  show(asked: View, at: At): void {
    const view = this.view(asked, at);
    const content = view.content(at);
    const title = view.title(at);
    crumbs(byId("center-title"), title);
    this.leave(view);
    if (!view.panel) this.uncover(null);
    else if ("panel" in content && this.drawn.has(view.name)) this.uncover({ name: view.name, panel: content.panel });
    else this.uncover(null);
    const old = this.shown;
    const form = ("form" in content && content.form) || "";
    const line = at.state.line;
    if (content.key !== undefined && old?.name === view.name && old.key === content.key && old.form === form) {
      // A link to another line of the text that is there.
      if ("rows" in content && line !== old.line && !this.code.chose(line)) void this.code.goToLine(line).catch(() => undefined);
      old.line = line;
      return;
    }
    this.shown = { name: view.name, key: content.key ?? "", form, line };
    this.pending?.abort();
    const abort = (this.pending = new AbortController());
    // What is still there is of another place: it gets faint once the reader has to wait for what the title names.
    const faint = (busy: string | null): void => void (abort.signal.aborted || setAttr(this.host.parentElement!, "aria-busy", busy));
    const late = window.setTimeout(faint, 200, "true");
    this.code.coming = this.fill(content, view, at, abort.signal, old !== null && old.key === content.key).then(() => {
      window.clearTimeout(late);
      faint(null);
    });
  }

  // fill shows a content; keepPlace has the row at the top stay.
  private async fill(content: Content, view: View, at: At, signal: AbortSignal, keepPlace: boolean): Promise<void> {
    if ("nothing" in content) this.nothing(at, content.nothing);
    else if ("rows" in content) await this.rows(content.rows(signal), signal, content.label, at, keepPlace, content.origins);
    else await this.draw(view.name, content.panel, at, signal);
  }

  // aim names a line of the text before that is to be in view when the next text is shown, 0 for none; focus gives it the focus.
  aim(line: number, focus = false): void {
    this.target = line;
    this.focusNext ||= focus;
  }

  // moveHunk goes to the next (1) or previous (-1) run of changes, in a panel to the next mark.
  moveHunk(dir: 1 | -1): void {
    if (this.panel?.panel.move) this.panel.panel.move(dir);
    else this.code.moveHunk(dir);
  }

  // leave has the focus follow from a panel to the text.
  private leave(to: View): void {
    const from = this.panel;
    if (from?.panel.focus && !to.panel && this.hosts.get(from.name)!.contains(document.activeElement)) this.focusNext = true;
  }

  // uncover shows a panel, or with null the text.
  private uncover(next: { name: string; panel: Panel } | null): void {
    this.panel = next;
    for (const [name, host] of this.hosts) host.hidden = name !== next?.name;
    this.host.hidden = next !== null;
  }

  private async draw(name: string, panel: Panel, at: At, signal: AbortSignal): Promise<void> {
    const fromText = this.host.contains(document.activeElement);
    if (!panel.move) this.on.count("");
    try {
      await panel.show(this.hosts.get(name)!, at, () => {
        this.drawn.add(name);
        this.uncover({ name, panel });
      }, signal);
      if (fromText && !signal.aborted) panel.focus?.();
    } catch (err) {
      if (!signal.aborted) this.fail(err);
    }
  }

  private async rows(opening: Promise<Source>, signal: AbortSignal, label: string, at: At, keepPlace: boolean, origins?: FindOrigins): Promise<void> {
    try {
      const source = await opening;
      if (signal.aborted) return;
      this.tell(origins);
      this.put(source, label, at.state.line, keepPlace);
    } catch (err) {
      if (!signal.aborted) this.fail(err);
    }
  }

  // tell has the bar say what the lines of the text belong to, of a text without origins nothing.
  private tell(origins?: FindOrigins): void {
    if (origins || this.bar) later((this.bar ??= import("../widgets/originbar").then((own) => new own.OriginBar(this.host, this.code))), (bar) => bar.show(origins));
  }

  private put(source: Source, label: string, line: number, keepPlace: boolean): void {
    this.empty.hidden = true;
    this.unveil();
    this.code.show(source, label, keepPlace);
    if (this.target) void this.code.goToLine(this.target, "before").catch(() => undefined);
    else if (line) void this.code.goToLine(line).catch(() => undefined);
    if (this.focusNext) this.code.scroller.focus({ preventScroll: true });
    this.target = 0;
    this.focusNext = false;
  }

  private nothing({ model, step }: At, words: [string, string] | null): void {
    this.showMessage();
    this.on.count("");
    this.empty.replaceChildren(...this.explain(model, step, words));
  }

  // explain says why there is nothing to show.
  private explain(model: RunModel, step: Step | null, words: [string, string] | null): HTMLElement[] {
    const say = (title: string, text: string, ...more: HTMLElement[]): HTMLElement[] => [h("p", { class: "empty-title" }, title), h("p", {}, text), ...more];
    if (!model.started && model.finished) {
      return say("No pass has run", "The run ended before: see the message above.", h("a", { class: "btn small", href: "/" }, "Choose another model"));
    }
    if (!model.started) return say("Waiting for the run", "Passes appear once the model is read.");
    if (words) return say(...words);
    if (!step) return say("Nothing selected", "Choose a pass, or press j for the first that changed something.");
    switch (step.status) {
      case "waiting": return say(step.name, "is waiting for its turn.");
      case "running": return say(step.name, "runs now.");
      case "skipped": return say(`${step.name} did not run`, whySkipped(step));
      case "unknown": return say(`What ${step.name} did is not known`, step.text, this.link("Show the module"));
      case "failed":
        return say(`${step.name} failed`, "The module before it was kept.", ...stepNotes(step.error, step.diagnostics.filter((d) => d.severity === "error"), this.on.jump), this.link("Show the module before it"));
      default:
        return say(`${step.name} changed nothing`, "The module after it is the same.", this.link("Show the module"), ...(this.on.why ? [this.link("Why", this.on.why)] : []));
    }
  }

  private link(text: string, run = (): void => this.on.after()): HTMLElement {
    const b = h("button", { type: "button", class: "btn small" }, text);
    b.addEventListener("click", run);
    return b;
  }

  // showMessage makes room for a message in the place of the text or a panel.
  private showMessage(): void {
    this.drawn.clear();
    this.uncover(null);
    this.unveil();
    this.tell();
    this.code.scroller.hidden = true;
    this.empty.hidden = false;
  }

  // unveil ends the rows that the page came with.
  private unveil(): void {
    this.host.querySelector(".plain-code")?.remove();
    this.code.scroller.hidden = false;
  }

  private fail(err: unknown): void {
    this.showMessage();
    this.empty.replaceChildren(h("div", { class: "note error" }, messageOf(err)));
    // Asking again for the same thing must not be taken for done.
    this.shown = null;
  }
}

// crumbs writes a title whose parts are apart as a way to the place. A long part loses its middle where there is no room.
function crumbs(host: HTMLElement, title: string): void {
  if (host.title === title) return; // the page came with the words alone
  host.title = host.ariaLabel = title; // heard as one, not in parts
  host.replaceChildren(...title.split(" › ").flatMap((part, i) => {
    const cut = part.length > 24 ? part.length - 12 : part.length;
    const name = [h("span", { class: "name-head" }, part.slice(0, cut)), cut < part.length ? h("span", { class: "name-tail" }, part.slice(cut)) : ""];
    return i > 0 ? [h("span", { class: "sep" }, " › "), ...name] : name;
  }));
}
