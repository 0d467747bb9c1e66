// What the page brought along for its script: the beginning of a run's log, and answers to the requests that come first.

import { bringAnswers } from "../store/api";
import type { WireEvent } from "../wire";

interface Beginning {
  run: string;
  events: WireEvent[];
  answers: Record<string, unknown>;
}

// beginning hands the answers to the requests that ask for them, and returns a function that gives the first events of a run, once.
export function beginning(): (run: string) => WireEvent[] {
  const block = document.getElementById("beginning");
  let brought = block?.textContent ? (JSON.parse(block.textContent) as Beginning) : null;
  block?.remove();
  bringAnswers(brought?.answers ?? {});
  return (run) => {
    const events = brought?.run === run ? brought.events : [];
    brought = null;
    return events;
  };
}
