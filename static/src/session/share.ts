// What the top bar does with the session as a whole: its title, sharing, forking, exports and deleting.

import "../shared";
import { post, remove } from "../store/api";
import { askToDelete, button, copy, dialog } from "../widgets/dialogs";
import { announce, byId, h, setText } from "../widgets/dom";
import type { Session } from "../store/session";
import type { SessionInfo } from "../wire";

export class Sharing {
  private readonly id: string;
  private readonly menu = byId<HTMLDetailsElement>("session-menu");
  private readonly busy = new Set<string>(); // what is under way
  private done: Promise<void> = Promise.resolve(); // once all that was asked for is

  constructor(private readonly store: Session) {
    this.id = store.id;
    for (const form of document.querySelectorAll<HTMLFormElement>(".fork-form")) {
      form.addEventListener("submit", (e) => {
        e.preventDefault();
        void this.fork();
      });
    }
    document.getElementById("expiry-form")?.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.keepFor(Number(byId<HTMLSelectElement>("expiry-days").value));
    });
    this.titles();
  }

  // act does what one of the page's buttons is for.
  act(id: string): void {
    if (id === "delete-session") void this.delete();
    else if (this.store.runs.mayEdit) this.offer();
    else this.showLink(location.href);
  }

  update(): void {
    const { mayEdit } = this.store.runs;
    const locked = byId("locked");
    locked.hidden = mayEdit;
    setText(locked, this.store.shared ? "shared, read only" : "read only");
    locked.title = this.store.reason;
    byId("fork").hidden = mayEdit;
    for (const id of ["share", "share-menu"]) setText(byId(id), mayEdit ? "Share" : "Link");
    const run = byId("run");
    setText(run, mayEdit ? "Run" : "Fork to run");
    run.title = this.store.reason || "Run  r";
    const rename = document.getElementById("rename");
    if (rename && !mayEdit) rename.replaceWith(rename.textContent ?? "");
    const program = document.getElementById("program") as HTMLAnchorElement | null;
    if (program) {
      program.parentElement!.hidden = this.store.model.finished?.status !== "ok";
      program.href = program.href.replace(/\/runs\/[^/]*/, `/runs/${this.store.model.id}`);
    }
    for (const a of this.menu.querySelectorAll<HTMLAnchorElement>("[data-export]")) {
      a.href = `/s/${this.id}/export.${a.dataset.export}${a.dataset.export !== "zip" && this.store.runs.current ? `?run=${this.store.runs.current}` : ""}`;
    }
  }

  // fork opens a copy of the session at the same place.
  async fork(): Promise<void> {
    await this.doing("forked", async () => {
      const made = await post<{ session: SessionInfo }>(`/api/sessions/${this.id}/fork`, this.place());
      location.assign(`/s/${made.session.id}${location.search}`);
    });
  }

  private place(): Record<string, string | number> {
    const s = { ...this.store.state, fn: this.store.fn };
    return { run: s.run, pass: s.pass, function: s.fn, view: s.view, line: s.line };
  }

  // doing runs one request after the other, and shows how it failed. What is under way already is not done twice.
  private doing(what: string, run: () => Promise<void>): Promise<void> {
    if (this.busy.has(what)) return this.done;
    this.busy.add(what);
    this.done = this.done.then(async () => {
      this.store.runs.problem = "";
      try {
        await run();
      } catch (err) {
        this.store.runs.problem = `The session was not ${what}: ${err instanceof Error ? err.message : String(err)}`;
      }
      this.busy.delete(what);
      this.store.changed();
    });
    return this.done;
  }

  // offer asks which runs go along where there are several, and makes a snapshot.
  private offer(): void {
    const { runs } = this.store;
    const count = runs.session?.runs?.length ?? 0;
    const choice = (value: string, text: string): HTMLElement => h("label", {}, h("input", { type: "radio", name: "share-runs", value, checked: value === "all" }), ` ${text}`);
    const el = dialog(
      "Share a snapshot",
      h("p", {}, "Anyone with the link sees what you see now: the same pass, function, line, and view, with the notes. They can fork it."),
      h("p", {}, h("strong", {}, "A snapshot does not change."), " You go on in this session, and what you do here stays out of it."),
      count > 1 ? h("fieldset", { class: "share-runs" }, h("legend", {}, "Runs in the snapshot"), choice("all", `All ${count} runs of this session`), choice("shown", "The run that is shown, with its notes")) : null,
    );
    const yes = (): void => {
      const shown = el.querySelector<HTMLInputElement>("[name=share-runs]:checked")?.value === "shown";
      void this.doing("shared", async () => {
        const out = await post<{ link: string }>(`/api/sessions/${this.id}/share`, { ...this.place(), ...(shown ? { runs: [runs.current] } : {}) });
        announce("The snapshot is made");
        this.showLink(new URL(out.link, location.href).href);
      }).finally(() => el.close());
    };
    el.append(h("div", { class: "dialog-foot" }, button("Create the link", yes, "primary", { id: "share-yes", autofocus: true }), button("Cancel", () => el.close())));
    el.showModal();
  }

  private showLink(link: string): void {
    const field = h("input", { class: "field mono", id: "share-link", readonly: true, "aria-label": "Link", value: link });
    const copying = button("Copy", () => void copy(copying, link, () => field.select()), "primary", { id: "copy-link", autofocus: true });
    const snapshot = this.store.runs.mayEdit;
    const embed = byId("app").dataset.embed === "true" ? this.embedding(new URL(link)) : null;
    const el = dialog(
      snapshot ? "Link to the snapshot" : "Link to this session",
      h("p", {}, "The link opens at the pass, function, line, and view that you see now."),
      h("div", { class: "share-link" }, field, copying),
      embed,
      h("div", { class: "dialog-foot" }, button("Close", () => el.close()), ...(snapshot ? [
        h("a", { class: "btn quiet", id: "open-snapshot", href: link }, "Open the snapshot"),
        h("a", { class: "btn quiet", id: "report-snapshot", href: `${new URL(link).pathname}/export.md?run=${this.store.runs.current}`, download: "", title: "A report in Markdown with the link, for an issue or a commit" }, "Markdown"),
      ] : [])),
    );
    el.showModal();
  }

  // embedding gives the code with which a page of an origin that the server allows shows this in a frame.
  private embedding(link: URL): HTMLElement {
    const code = h("textarea", { class: "field mono embed-code", id: "embed-code", readonly: true, rows: 3, "aria-label": "Code for another page" });
    const only = h("input", { type: "checkbox", id: "embed-only" });
    const copying = button("Copy code", () => void copy(copying, code.value, () => code.select(), "Copy code"), "small", { id: "copy-embed" });
    const write = (): void => {
      const to = new URL(link);
      to.pathname = to.pathname.replace("/s/", "/embed/");
      if (only.checked) to.searchParams.set("only", "diff");
      code.value = `<iframe src="${attribute(to.href)}" title="irscope: ${attribute(this.store.title)}" width="100%" height="480" loading="lazy"></iframe>`;
    };
    only.addEventListener("change", write);
    write();
    return h("details", { class: "embed" }, h("summary", {}, "Embed in a page"), code, h("p", {}, h("label", {}, only, " this text alone, without the passes")), copying);
  }

  // keepFor sets in how many days the session goes; 0 keeps a shared one for good.
  private async keepFor(days: number): Promise<void> {
    await this.doing("changed", async () => {
      const { session } = await post<{ session: SessionInfo }>(`/api/sessions/${this.id}/expiry`, { days });
      this.showExpiry(session);
      announce(`The session is kept ${byId("expiry-now").textContent ?? ""}`);
    });
  }

  private showExpiry(session: SessionInfo): void {
    const when = session.expires ? new Date(session.expires) : null;
    setText(byId("expiry-now"), when ? `until ${when.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })}, ${when.toISOString().slice(11, 16)} UTC` : "permanently");
    const forGood = document.querySelector<HTMLOptionElement>("#expiry-days option[value='0']");
    if (forGood) forGood.disabled = !session.shared;
  }

  private async delete(): Promise<void> {
    this.menu.open = false;
    if (!(await askToDelete(byId("title").textContent ?? ""))) return;
    await this.doing("deleted", async () => {
      await remove(`/api/sessions/${this.id}`);
      location.assign("/");
    });
  }

  // titles makes the title a button that turns into a field.
  private titles(): void {
    if (!this.store.runs.mayEdit) return;
    const host = byId("title");
    const b = h("button", { type: "button", id: "rename", class: "rename", title: "Rename the session" }, host.textContent ?? "");
    host.replaceChildren(b);
    b.addEventListener("click", () => this.rename(host, b));
  }

  private rename(host: HTMLElement, b: HTMLElement): void {
    const old = b.textContent ?? "";
    const field = h("input", { class: "field", id: "rename-field", "aria-label": "Title of the session", maxlength: 200, value: old, autocomplete: "off" });
    let over = false;
    const end = (save: boolean, back: boolean): void => {
      if (over) return;
      over = true;
      const title = field.value.trim();
      host.replaceChildren(b);
      if (back) b.focus();
      if (save && title !== "" && title !== old) void this.save(host, b, old, title);
    };
    field.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== "Escape") return;
      e.preventDefault();
      end(e.key === "Enter", true);
    });
    field.addEventListener("blur", () => end(true, false));
    host.replaceChildren(field);
    field.focus();
    field.select();
  }

  private async save(host: HTMLElement, b: HTMLElement, old: string, title: string): Promise<void> {
    const show = (text: string): void => {
      setText(b, text);
      host.title = text;
      this.store.title = text;
      this.store.changed();
    };
    show(title);
    await this.doing("renamed", async () => {
      try {
        show((await post<{ session: SessionInfo }>(`/api/sessions/${this.id}/title`, { title })).session.title);
      } catch (err) {
        show(old);
        throw err;
      }
    });
  }
}

// attribute writes a text as the value of an attribute.
function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
