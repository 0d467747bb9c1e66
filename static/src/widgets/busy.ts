// The note that says why the reader waits: the server is busy and is asked again.

import "../shared";
import { h, setText } from "./dom";

let waiting = 0;
let note: HTMLElement | null = null;

// pause waits so many seconds, and shows a message meanwhile. It rejects as fetch does where the signal aborts it.
export async function pause(message: string, seconds: number, signal: AbortSignal | null): Promise<void> {
  waiting++;
  note ??= document.body.appendChild(h("div", { class: "busy-note", role: "status" }));
  setText(note, `${message.charAt(0).toUpperCase()}${message.slice(1)}. Retrying automatically.`);
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = window.setTimeout(resolve, 1000 * seconds);
      const abort = (): void => {
        window.clearTimeout(timer);
        reject(new DOMException("The wait was aborted.", "AbortError"));
      };
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
    });
  } finally {
    if (--waiting === 0) {
      note?.remove();
      note = null;
    }
  }
}
