// The place of the search over the history of a run, above the text. What searches is loaded when it is opened.

import { announce, byId } from "../widgets/dom";
import type * as Searches from "../search/searchview";
import type { SessionPage } from "./sessionpage";

export class SearchPane {
  private loading: Promise<Searches.SearchView> | null = null;

  constructor(private readonly page: SessionPage) {
    byId("search-button").addEventListener("click", () => this.open());
  }

  // open shows the search with the focus in its field.
  open(): void {
    if (matchMedia("(max-width: 760px)").matches) this.page.showTab("center");
    this.with((view) => view.open());
  }

  // update follows the state of the page: a link may hold a query, and a run that goes on gives more to find.
  update(): void {
    if (this.loading || this.page.state.search) this.with((view) => view.update());
  }

  private with(run: (view: Searches.SearchView) => void): void {
    this.load().then(run, (err: unknown) => announce(err instanceof Error ? err.message : String(err)));
  }

  private load(): Promise<Searches.SearchView> {
    this.loading ??= import("../search/searchview").then(
      (own) => new own.SearchView(byId("search"), this.page),
      () => {
        this.loading = null;
        throw new Error("the script that searches cannot be loaded; is the server still running?");
      },
    );
    return this.loading;
  }
}
