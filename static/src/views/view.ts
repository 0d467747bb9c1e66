// What a view in the middle of the page is. Each is a file of this folder and a row of registry.ts; the rest of the page knows views by
// what this interface says, and none by its name.

import type { RunModel, Step } from "../store/model";
import type { FindOrigins } from "../store/origins";
import type { Runs } from "../store/runs";
import type { Traits } from "../store/session";
import type { Source } from "../store/source";
import type { State } from "../store/state";
import type { Form, LineCounts } from "../wire";

// At is what the reader is at: a step of a run, null for none, and an entry of the list of functions.
export interface At {
  model: RunModel;
  step: Step | null;
  fn: string;
  state: State;
}

// Entry is a line of the list of functions.
export interface Entry {
  name: string;
  // key identifies the entry in links; it differs from the name for entries that are no functions, such as the whole module.
  key: string;
  badge: string;
  badgeTitle: string;
  lines?: LineCounts;
  note?: string;
}

export interface Listing {
  entries: Entry[];
  // count says in words how many there are.
  count: string;
  // same lists the functions that the step left alone, of which there are sameCount.
  sameCount?: number;
  same?: () => Entry[];
  // others tells that the view itself shows those too; elsewhere they are shown as text.
  others?: boolean;
}

// Panel is an element of its own in which a view shows what is no text.
export interface Panel {
  // show shows what the reader is at. It calls reveal when there is something to be seen; until then the page shows what it showed.
  show(host: HTMLElement, at: At, reveal: () => void, signal: AbortSignal): Promise<void> | void;
  // move goes to the next (1) or previous (-1) mark, where the panel has marks.
  move?(dir: 1 | -1): void;
  // focus takes the focus over from a text, where the panel can be used with the keyboard like a text.
  focus?(): void;
}

// Content is what a view shows: rows of a text, its panel, or nothing, for which the page has words unless the view has better ones.
// While the key stays the same nothing is shown anew; a panel without a key is asked each time.
// The form is that of the lines; it is no part of the key, so that a text keeps its place in another form.
export type Content =
  | { rows(signal: AbortSignal): Promise<Source>; key: string; label: string; form?: Form; origins?: FindOrigins | undefined }
  | { panel: Panel; key?: string }
  | { nothing: [title: string, text: string] | null; key: string };

// Tool is something above the view that only some views need.
export type Tool = "words" | "marks" | "form" | "wrap" | "hunks" | "history" | "edit";

export interface View extends Traits {
  // label is the text of the tab that shows the view, key the key that does. Views with one label are layouts of one thing: they share
  // a tab, and layout is what the button says that chooses between them.
  readonly label: string;
  readonly layout?: { doc: string; icon: string };
  readonly key?: { key: string; doc: string };
  // doc says what the view shows, where no key does.
  readonly doc?: string;
  readonly tools: readonly Tool[];
  // panel tells that the view shows things in an element of its own.
  readonly panel?: boolean;
  // saysFailure tells that the view itself says how the run failed.
  readonly saysFailure?: boolean;
  // names tells that names in the text lead to their history.
  readonly names?: boolean;
  // hasLines tells that the line of the state is one of the text after the step, although the view shows no text.
  readonly hasLines?: boolean;
  // path stands for the view in a history, where it follows no step.
  readonly path?: string;
  list(at: At): Listing;
  // first chooses an entry where the reader has chosen none.
  first(at: At, keys: string[]): string;
  title(at: At): string;
  content(at: At): Content;
  // instead names the view that is shown in the place of this one, where this one has nothing to show; "" for none.
  instead?(at: Pick<At, "model" | "step">): string;
  // prefetch warms the caches for what a step would show first.
  prefetch?(step: Step, form: Form): void;
  // subject is the question about the history of what the reader is at, where it is not a line of a step's text.
  subject?(at: Pick<At, "fn" | "state">): Record<string, string> | null;
}

// Actions is what a view asks of the page.
export interface Actions {
  // go shows something else, select another step.
  go(change: Partial<State>): void;
  select(step: Step): void;
  // open shows a line of a text, of the text before the step with before, and gives it the focus.
  open(to: Partial<State>, before: number): void;
  // line is told the line that the reader is at, 0 for none.
  line(n: number): void;
  // history shows what became of a line of the text after the step, or before it.
  history(line: number, before: boolean): void;
  // count says how many marks there are and at which the reader is.
  count(text: string): void;
  preferredDiff(): string;
  // runs has the settings of the next run and starts it; refusal says why the reader can start none, and is empty for one who can.
  runs(): Pick<Runs, "settings" | "set" | "session">;
  refusal(): string;
}

// Offer is what the page that is made has to offer: what its views may need.
export interface Offer {
  // source is the hash of the text that the session starts from; empty for none.
  source: string;
  compiler: boolean;
  // dump tells that the session shows what another compiler printed, of which there are texts only.
  dump?: boolean;
}

// Make makes a view for a page; null where the page cannot offer it.
export type Make = (on: Actions, offer: Offer) => View | null;
