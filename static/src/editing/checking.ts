// The check of what is typed in an editor: asked for when the typing pauses, dropped when it is overtaken, and asked again when a busy server says so.

import { RequestError } from "../store/api";
import { messageOf } from "../store/format";

// settle is how long the typing must pause before the text is checked, in milliseconds.
const settle = 200;

// Checked is what an editor checks: ask sends the text, show is told the answer, and failed why there is none.
interface Checked<T> {
  ask(signal: AbortSignal): Promise<T>;
  show(found: T): void;
  failed(message: string): void;
}

export class Checking<T> {
  // found is what was found in the text as it is now, null while that is not known.
  found: T | null = null;
  private pending: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly on: Checked<T>, private readonly pause = settle) {}

  // typed says that the text has changed: what is known of it no longer holds.
  typed(): void {
    this.stop();
    this.found = null;
    this.later(this.pause);
  }

  // stop drops what is under way, and what was to come.
  stop(): void {
    this.pending?.abort();
    clearTimeout(this.timer);
  }

  private later(milliseconds: number): void {
    this.timer = setTimeout(() => void this.now(), milliseconds);
  }

  async now(): Promise<void> {
    this.stop();
    const abort = (this.pending = new AbortController());
    try {
      const found = await this.on.ask(abort.signal);
      if (!abort.signal.aborted) this.say(found);
    } catch (err) {
      if (abort.signal.aborted) return;
      this.on.failed(messageOf(err));
      if (err instanceof RequestError && err.retryAfter > 0) this.later(err.retryAfter * 1000);
    }
  }

  // known returns what is found in the text, and asks for it where it is not known.
  async known(): Promise<T> {
    this.stop();
    return this.found ?? this.say(await this.on.ask(new AbortController().signal));
  }

  // say shows an answer that is about the text as it is.
  say(found: T): T {
    this.found = found;
    this.on.show(found);
    return found;
  }
}
