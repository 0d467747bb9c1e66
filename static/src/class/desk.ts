// A student's place in a class, on the page of their session: a bar that says so and what the teacher asks. It tells the class which pass
// the student looks at, and at which step of a lesson they are.

import "../shared";
import { Link } from "../present/link";
import { post } from "../store/api";
import { messageOf } from "../store/format";
import { Pace, placeName, queryOf } from "../store/presented";
import type { Session } from "../store/session";
import type { Board } from "../wire";
import { announce, byId, h, press, tell } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";

// every is the least time between two steps that the class is told, in ms.
const every = 2000;

export class Desk {
  private readonly root = h("section", { class: "desk", id: "desk", "aria-label": "Class", hidden: true });
  private readonly pace = new Pace<string>(every, (step) => this.link.send({ step }));
  private readonly link: Link<Board>;
  private board: Board | null = null;
  private step: string | null = null;

  constructor(private readonly store: Session) {
    byId("notice").after(this.root);
    const at = document.getElementById("lesson-at");
    if (at) new MutationObserver(() => this.update()).observe(at, { childList: true, characterData: true, subtree: true });
    this.link = new Link<Board>(`/api/sessions/${store.id}/desk`, {
      open: () => {
        this.step = null;
        this.update();
      },
      message: (board) => this.take(board),
    });
  }

  // update tells the class where the student is.
  update(): void {
    const { store } = this;
    const at = document.getElementById("lesson-at")?.textContent;
    const step = [at ? `step ${at}` : "", placeName({ query: queryOf({ ...store.state, fn: store.fn }) })].filter(Boolean).join(", ");
    if (step === this.step) return;
    this.step = step;
    this.pace.push(step);
  }

  private take(board: Board): void {
    const was = this.board;
    this.board = board;
    const q = board.question;
    if (q && q.id !== was?.question?.id) announce(`The teacher asks: ${q.text}`);
    if (board.over) announce("The class has ended");
    if (board.watch && !was?.watch) announce("The teacher is presenting");
    this.draw(board);
  }

  private draw(board: Board): void {
    const held = this.root.contains(document.activeElement) ? document.activeElement!.id : "";
    const { question: q } = board;
    const said = board.over ? h("span", {}, "The class has ended. The session stays yours.") : h("span", { class: "desk-name" }, "as ", h("bdi", {}, board.name), board.locked ? ", pipeline locked" : "");
    this.root.replaceChildren(
      h("strong", { class: "desk-title" }, "Class: ", h("bdi", {}, board.title)), said, h("span", { class: "grow" }),
      ...(board.watch ? [h("a", { class: "btn small", href: `/s/${board.watch}`, target: "_blank", rel: "noopener" }, "Watch the teacher")] : []),
      ...(q && !board.over ? [this.asking(q, board.answer ?? "")] : []),
    );
    if (held) (document.getElementById(held) ?? this.root.querySelector<HTMLElement>("button, a"))?.focus();
    void lateStyle().then(() => (this.root.hidden = false), () => undefined);
  }

  private asking(q: NonNullable<Board["question"]>, answer: string): HTMLElement {
    const options = q.options.map((text, i) => {
      const b = h("button", { type: "button", class: "btn small", id: `option-${i}` }, text);
      press(b, text === answer);
      b.addEventListener("click", () => void this.answer(q.id, i, text));
      return b;
    });
    return h("div", { class: "asking", role: "group", "aria-labelledby": "asked" }, h("span", { class: "asked", id: "asked" }, q.text), ...options);
  }

  private async answer(question: string, option: number, text: string): Promise<void> {
    try {
      await post(`/api/sessions/${this.store.id}/answer`, { question, option });
      announce(`Answered: ${text}`);
    } catch (err) {
      tell(`The answer was not sent: ${messageOf(err)}`);
    }
  }
}
