// The runs of a session: which one is followed, with which settings the next one starts, and what the server says to that.

import { api, RequestError } from "./api";
import { debounce } from "./timers";
import { RunModel } from "./model";
import type { Connect } from "./stream";
import { Undo } from "./undo";
import type { PassInfo, RunInfo, SessionInfo, Settings, WireEvent } from "../wire";

// A change of the settings starts a run at once; further changes within settle ms are taken together.
const settle = 400;

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
  // stale tells that the settings have changed and a new run is about to start.
  stale = false;
  // unrun tells that no run has the settings: the last one that was asked for could not be started.
  unrun = false;
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
      this.mayEdit = session.value.may_edit ?? this.mayEdit;
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

  // change sets some settings and starts a run with them soon. It can be undone.
  change(settings: Partial<Settings>): void {
    this.undo.note(this.settings);
    this.set(settings);
  }

  // set is change without a way back. One run is measured: the next change goes without, and waits for no measurement.
  set(settings: Partial<Settings>): void {
    const { profile: _, ...kept } = this.settings;
    this.settings = { ...kept, ...settings };
    this.stale = true;
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

  async start(): Promise<void> {
    if (!this.mayEdit) return;
    const turn = ++this.starts;
    this.lastStart = performance.now();
    clearTimeout(this.retry);
    this.problem = "";
    this.stale = true;
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
      const run = await api.start(this.id, this.settings);
      if (turn !== this.starts) {
        await api.cancel(run.id).catch(() => undefined);
        return;
      }
      this.info = run;
      this.unrun = false;
      this.current = run.id;
      this.on.started(run.id);
      this.follow(run.id);
    } catch (err) {
      if (turn !== this.starts) return;
      this.problem = messageOf(err);
      this.unrun = true;
      if (err instanceof RequestError && err.retryAfter > 0) {
        this.problem += `. The run will start automatically in ${err.retryAfter} s.`;
        this.retry = setTimeout(() => void this.start(), err.retryAfter * 1000);
      } else {
        this.stale = false;
      }
    }
    this.on.changed();
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
      this.unrun = false;
      if (run.settings) this.settings = { ...run.settings, disabled: run.settings.disabled ?? [] };
    } catch (err) {
      this.problem = messageOf(err);
      if (err instanceof RequestError && err.status === 404 && this.current === id) this.stream?.close();
    }
    this.on.changed();
  }

  // follow reads the log of a run. What is on the page stays until the first events of the new run are there.
  private follow(id: string): void {
    this.stream?.close();
    const model = new RunModel(id);
    this.connection = "";
    this.stream = this.connect(id, {
      onEvents: (events) => this.receive(model, events),
      onState: (state, text) => {
        this.connection = state === "waiting" ? text : "";
        this.on.changed();
      },
    });
  }

  private receive(model: RunModel, events: WireEvent[]): void {
    model.apply(events);
    if (this.model !== model) {
      this.model = model;
      this.stale = false;
    }
    this.on.received();
  }
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
