// The page of a class. A teacher sees who is where and what was answered; for others the page is a form, which needs no script.

import "../shared";
import { Link } from "../present/link";
import { post } from "../store/api";
import { messageOf, plural } from "../store/format";
import type { ClassCount, Roster, Student } from "../wire";
import { ask, copy } from "../widgets/dialogs";
import { announce, byId, h, setText } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";

export function open(): void {
  const host = byId("class");
  if (host.dataset.teacher === "true") new ClassPage(host.dataset.class ?? "");
}

class ClassPage {
  private drawn = "";

  constructor(private readonly id: string) {
    void lateStyle();
    const field = byId<HTMLInputElement>("class-link");
    field.value = `${location.origin}/class/${id}`;
    const button = byId("copy-class");
    button.addEventListener("click", () => void copy(button, field.value, () => field.select(), "Copy link"));
    const form = byId<HTMLFormElement>("ask-form");
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.ask(byId<HTMLInputElement>("ask-text").value, byId<HTMLTextAreaElement>("ask-options").value.split("\n"));
    });
    byId("ask-stop").addEventListener("click", () => void this.ask("", []));
    const end = byId<HTMLFormElement>("end-class");
    end.addEventListener("submit", (e) => {
      e.preventDefault();
      void ask("End this class?", "The link stops working and the answers are deleted. The students keep their sessions.", "End the class").then((yes) => yes && end.submit());
    });
    new Link<Roster>(`/api/classes/${id}/roster`, {
      message: (roster) => this.draw(roster),
      open: () => this.state(""),
      lost: () => this.state("The connection is lost; trying again. What is shown may be old."),
      over: () => this.state("The class has ended."),
    });
  }

  private state(text: string): void {
    setText(byId("roster-state"), text);
    byId("roster-state").hidden = text === "";
  }

  private async ask(text: string, options: string[]): Promise<void> {
    const problem = byId("ask-problem");
    try {
      await post(`/api/classes/${this.id}/question`, { text, options });
      problem.hidden = true;
      announce(text ? "The students are asked" : "The question is taken back");
      if (text) byId<HTMLFormElement>("ask-form").reset();
    } catch (err) {
      setText(problem, messageOf(err));
      problem.hidden = false;
    }
  }

  private draw(roster: Roster): void {
    const key = JSON.stringify(roster);
    if (key === this.drawn) return;
    this.drawn = key;
    const { students, question: q } = roster;
    const here = students.filter((s) => s.here).length;
    setText(byId("roster-count"), students.length > 0 ? `${students.length}, ${here} here` : "");
    byId("nobody").hidden = students.length > 0;
    byId("roster-frame").hidden = students.length === 0;
    byId("roster").replaceChildren(...students.map(row));
    byId("ask-stop").hidden = !q;
    const tallies = roster.tallies.map((t) => tally(t.question, t.answers, students.length));
    // One that nobody has answered yet is there too.
    if (q && !roster.tallies.some((t) => t.question === q.id)) tallies.unshift(tally(q.id, q.options.map((text) => ({ text, count: 0 })), students.length));
    byId("tallies").replaceChildren(...tallies);
    byId("no-answers").hidden = tallies.length > 0;
    byId("tried").replaceChildren(...(roster.tried.length > 0 ? [bars(roster.tried, students.length)] : []));
    byId("no-runs").hidden = roster.tried.length > 0;
  }
}

function row(s: Student): HTMLElement {
  const answer = [s.answer, s.checked > 0 ? `${s.right} of ${plural(s.checked, "task")} right` : ""].filter(Boolean).join(", ");
  return h("tr", { class: s.here ? "" : "is-away" },
    h("th", { scope: "row" }, h("span", { class: "here", "aria-hidden": "true" }), h("bdi", {}, s.name), s.here ? "" : h("span", { class: "vh" }, " (away)")),
    h("td", {}, h("bdi", {}, s.step)), h("td", {}, s.run), h("td", { class: "num" }, s.runs > 0 ? String(s.runs) : ""), h("td", {}, h("bdi", {}, answer)));
}

function tally(question: string, answers: ClassCount[], of: number): HTMLElement {
  return h("section", { class: "tally" }, h("h3", {}, h("bdi", {}, question)), bars(answers, of));
}

// bars shows how many of all students said what.
function bars(counts: ClassCount[], of: number): HTMLElement {
  return h("dl", { class: "bars" }, ...counts.flatMap((c) => {
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(c.count / Math.max(1, of)));
    const sign = c.right === undefined ? "" : c.right ? " ✓" : " ✕";
    return [h("dt", {}, h("bdi", {}, c.text), sign), h("dd", {}, bar, h("span", { class: "num" }, String(c.count)))];
  }));
}
