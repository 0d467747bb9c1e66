// The place of the search over the history of a run, above the text. What searches is loaded when it is opened.

import type { CodeView } from "../widgets/codeview";
import { byId, part, tell } from "../widgets/dom";
import type { SearchView } from "../search/searchview";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";

export class SearchPane {
  private asked = false;
  private readonly view = part("the search script", () => import("../search/searchview"), (own) => new own.SearchView(byId("search"), this.store, this.code));

  constructor(private readonly store: Session, private readonly code: CodeView) {}

  // open shows the search with the focus in its field.
  open(): void {
    this.store.bring("search");
    this.with((view) => view.open());
  }

  // update follows the state of the page: a link may hold a query, and a run that goes on gives more to find.
  update(): void {
    if (this.asked || this.store.state.search) this.with((view) => view.update());
  }

  private with(run: (view: SearchView) => void): void {
    this.asked = true;
    this.view().then(run, (err: unknown) => tell(messageOf(err)));
  }
}
