// The runs of a session: which one is followed, with which settings the next one starts, and what the server says to that.

import { api, RequestError, Unreachable } from "./api";
import { debounce } from "./timers";
import { RunModel } from "./model";
import type { Connect } from "./stream";
import { Undo } from "./undo";
import type { PassInfo, RunInfo, SessionInfo, Settings, WireEvent } from "../wire";

// A change of the settings starts a run at once; further changes within settle ms are taken together.
const settle = 400;

// pauses are the milliseconds after which a server that could not be reached is asked again.
const pauses = [500, 1000, 2000, 5000, 10_000];

export interface RunsListener {
  // changed is told after anything that the page shows may have changed.
  changed(): void;
  // received is told after events of the run that is shown have come.
  received(): void;
  // started is told the id of a run that this page has started.
  started(run: string): void;
}

export class Runs {
  model: RunModel;
  settings: Settings = {};
  session: SessionInfo | null = null;
  info: RunInfo | null = null;
  passes = new Map<string, PassInfo>();
  // settingsOf is the run whose settings these are: none before they are known, and where the reader has changed them.
  private settingsOf = "";
  // changed tells that the reader has changed the settings and no run has taken them over, starting that one was asked for.
  changed = false;
  starting = false;
  // offline tells that the last request for a run found no server; it is made again.
  offline = false;
  // away tells that the server does not answer, although nothing is asked of it.
  away = false;
  // followed is when the page began to follow the run, in milliseconds since 1970.
  followed = 0;
  // cut tells that the connection to the run that is followed was lost in the meantime.
  private cut = false;
  private attempts = 0;
  // connection and problem are what to tell the reader; empty where all is well.
  connection = "";
  problem = "";
  readonly undo = new Undo();
  private stream: ReturnType<Connect> | null = null;
  private lastStart = -settle;
  private starts = 0;
  private asked: Promise<void> = Promise.resolve();
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly startLater = debounce(settle, () => void this.start());

  constructor(private readonly id: string, public current: string, public mayEdit: boolean, private readonly connect: Connect, private readonly on: RunsListener) {
    this.model = new RunModel(current);
  }

  // open reads the session and follows its run; a session without one gets one.
  async open(): Promise<void> {
    if (this.current) this.follow(this.current);
    const [session, passes] = await Promise.allSettled([api.session(this.id), api.passes()]);
    if (passes.status === "fulfilled") this.passes = new Map(passes.value.map((p) => [p.name, p]));
    if (session.status === "fulfilled") {
      this.session = session.value;
      this.mayEdit &&= session.value.may_edit ?? true;
      this.settings = { ...session.value.settings, ...this.settings, disabled: session.value.settings?.disabled ?? [] };
    } else {
      this.problem = messageOf(session.reason);
    }
    const latest = this.session?.runs?.at(-1);
    if (this.current) await this.adopt(this.current);
    else if (latest) this.show(latest);
    else if (this.mayEdit) await this.start();
    this.on.changed();
  }

  // show follows another run of the session and takes over its settings.
  show(id: string): void {
    this.current = id;
    this.follow(id);
    void this.adopt(id);
  }

  // stale tells that the rows are not the result of the settings, or not known to be.
  get stale(): boolean {
    return this.settingsOf !== this.model.id || this.changed;
  }

  // unrun tells that no run has the settings and none was asked for, or the last one could not be started.
  get unrun(): boolean {
    return this.changed && !this.starting;
  }

  // change sets some settings and starts a run with them soon. It can be undone.
  change(settings: Partial<Settings>): void {
    this.undo.note(this.settings);
    this.set(settings);
  }

  // set is change without a way back. One run is measured: the next change goes without, and waits for no measurement.
  set(settings: Partial<Settings>): void {
    const { profile: _, ...kept } = this.settings;
    this.settings = { ...kept, ...settings };
    this.changed = true;
    this.on.changed();
    if (performance.now() - this.lastStart > settle) void this.start();
    else this.startLater();
  }

  get disabled(): string[] {
    return this.settings.disabled ?? [];
  }

  // active tells whether the run that is followed goes on.
  get active(): boolean {
    return this.current !== "" && (this.model.id !== this.current || !this.model.finished);
  }

  // loading tells whether that run is over, and only what it came to is still on its way.
  get loading(): boolean {
    return this.active && this.info?.id === this.current && !["queued", "running"].includes(this.info.state);
  }

  async start(): Promise<void> {
    if (!this.mayEdit) return;
    const turn = ++this.starts;
    this.lastStart = performance.now();
    clearTimeout(this.retry);
    this.problem = "";
    this.changed = this.starting = true;
    this.on.changed();
    // One after the other: who asks for the settings of a run that goes on gets that run, so one that nobody wants any more is canceled
    // before the next is asked for, never after.
    this.asked = this.asked.then(() => this.ask(turn));
    return this.asked;
  }

  // ask asks the server for a run with the settings, unless a later start will.
  private async ask(turn: number): Promise<void> {
    try {
      if (turn === this.starts && this.active) await api.cancel(this.current).catch(() => undefined);
      if (turn !== this.starts) return;
      const asked = this.settings;
      const run = await api.start(this.id, asked);
      if (turn !== this.starts) {
        await api.cancel(run.id).catch(() => undefined);
        return;
      }
      this.info = run;
      const listed = this.session?.runs;
      if (listed && !listed.includes(run.id)) listed.push(run.id);
      this.current = this.settingsOf = run.id;
      this.offline = false;
      this.changed = this.settings !== asked; // a change meanwhile is asked for soon
      this.attempts = 0;
      this.on.started(run.id);
      this.follow(run.id);
    } catch (err) {
      if (turn !== this.starts) return;
      if (err instanceof Unreachable) {
        this.offline = true;
        this.again(pauses[Math.min(this.attempts++, pauses.length - 1)]!);
      } else {
        this.offline = this.starting = false;
        this.problem = messageOf(err);
        if (err instanceof RequestError && err.retryAfter > 0) {
          this.problem += `. The run will start automatically in ${err.retryAfter} s.`;
          this.again(err.retryAfter * 1000);
        }
      }
    }
    this.on.changed();
  }

  // again asks for a run with the settings of then after so many milliseconds.
  private again(ms: number): void {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.start(), ms);
  }

  async cancel(): Promise<void> {
    try {
      await api.cancel(this.current);
    } catch (err) {
      this.problem = messageOf(err);
      this.on.changed();
    }
  }

  // adopt takes over the settings of a run that a link names.
  private async adopt(id: string): Promise<void> {
    try {
      const run = await api.run(id);
      if (this.current !== id) return;
      this.info = run;
      if (!this.changed) {
        if (run.settings) this.settings = { ...run.settings, disabled: run.settings.disabled ?? [] };
        this.settingsOf = id;
      }
    } catch (err) {
      if (err instanceof Unreachable && this.current === id) setTimeout(() => void this.adopt(id), pauses[1]);
      else this.problem = messageOf(err);
      if (err instanceof RequestError && err.status === 404 && this.current === id) this.stream?.close();
    }
    this.on.changed();
  }

  // follow reads the log of a run. What is on the page stays until the first events of the new run are there.
  private follow(id: string): void {
    this.stream?.close();
    const model = new RunModel(id);
    this.connection = "";
    this.cut = false;
    this.followed = Date.now();
    this.stream = this.connect(id, {
      onEvents: (events) => this.receive(model, events),
      onState: (state, text) => {
        this.connection = state === "waiting" ? text : "";
        this.cut ||= state === "waiting";
        if (state === "open" && this.offline) this.again(0);
        this.on.changed();
      },
    });
  }

  private receive(model: RunModel, events: WireEvent[]): void {
    model.apply(events);
    if (this.model !== model) {
      this.model = model;
      this.starting = false;
    }
    // A server that was stopped in the middle of the run says so when it is back: the run that the reader waits for starts again.
    if (this.cut && !this.changed && model.finished?.status === "interrupted" && model.id === this.current) void this.start();
    this.on.received();
  }
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
