// What the page brought along for its script: the beginning of a run's log, and answers to the requests that come first.

import { answerWith } from "../store/api";
import type { WireEvent } from "../wire";

interface Beginning {
  run: string;
  events: WireEvent[];
  answers: Record<string, unknown>;
}

// Begun gives the first events of a run, once.
export type Begun = (run: string) => WireEvent[];

// beginning hands the answers to the requests that ask for them, and returns a function that gives the first events of a run, once.
export function beginning(): Begun {
  const block = document.getElementById("beginning");
  let brought = block?.textContent ? (JSON.parse(block.textContent) as Beginning) : null;
  block?.remove();
  const answers = new Map(Object.entries(brought?.answers ?? {}));
  answerWith((path, init) => {
    const answer = init?.method ? undefined : answers.get(path);
    if (answer) answers.delete(path); // what is asked for again may have changed
    return answer;
  });
  return (run) => {
    const events = brought?.run === run ? brought.events : [];
    brought = null;
    return events;
  };
}
