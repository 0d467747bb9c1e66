import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Runs } from "./runs";
import type { Follower } from "./stream";
import { event, finished, plan, started } from "./testing";
import { summary, tabTitle } from "./summary";
import { clock, truth } from "./truth";
import type { Settings, WireEvent } from "../wire";

const real = globalThis.fetch;
// up tells whether the server answers, posted are the settings of the runs that it was asked for, refusal its answer to the next.
let up = true;
let posted: Settings[] = [];
// state is that of runs which are asked for.
let state = "running";
let refusal: Response | null = null;
let followers: { run: string; follower: Follower }[] = [];
// answerLate holds the answers to what asks for a run back until it is called.
let answerLate: (() => void) | null = null;
let late: Promise<void> = Promise.resolve();

beforeEach(() => {
  up = true;
  posted = [];
  state = "running";
  followers = [];
  refusal = null;
  late = Promise.resolve();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_800_000_000_000 });
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    if (!up) throw new TypeError("fetch failed");
    if (init?.method === "POST" && path.endsWith("/runs")) {
      if (refusal) return refusal;
      posted.push(JSON.parse(String(init.body)));
    }
    if (path.startsWith("/api/runs/") && init?.method !== "POST") await late;
    const answer = path.endsWith("/runs") ? { run: { id: `r${posted.length}`, state: "running", settings: posted.at(-1) } }
      : path.startsWith("/api/runs/") ? { run: { id: path.split("/")[3], state, settings: { opt_level: 3, disabled: ["Old"] } } } : {};
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  }) as typeof fetch;
});

afterEach(() => {
  globalThis.fetch = real;
  mock.timers.reset();
});

const none = (): void => undefined;
const runs = (): Runs => new Runs("s", "", true, (run, follower) => {
  followers.push({ run, follower });
  return { close: none };
}, { changed: none, received: none, started: none });

// settle lets all promises that are due have their turn.
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await new Promise((done) => setImmediate(done));
};

// began is the first event of a run that began so many milliseconds ago.
const began = (ago: number): WireEvent => ({ ...started(plan("1/default", "1.1/A")), measured: { at: 1, began: Date.now() - ago } }) as WireEvent;
const ended = (status: string): WireEvent => ({ seq: 4, type: "run_finished", body: { status, changed: 1, same: 0, skipped: 0, failed: 0 }, measured: { at: 6e8, total: 6e8 } }) as unknown as WireEvent;
const middle = [event(1, "pass_started", "1/default"), event(2, "pass_started", "1.1/A", "1/default"), finished(3, "1.1/A", [])];

// shown is a page that shows a run that is done.
async function shown(ago = 0): Promise<Runs> {
  const r = runs();
  r.show("r0");
  await settle();
  followers.at(-1)!.follower.onEvents([began(ago), ...middle, ended("ok")]);
  return r;
}

test("rows beside the settings that made them are current, and cached where they were measured earlier", async () => {
  assert.deepEqual(truth(await shown()), { kind: "current", text: "" });
  const old = truth(await shown(3_600_000));
  assert.equal(old.kind, "cached");
  assert.match(old.text, /^From the store, measured \d\d:\d\d$/);
});

test("the time of a measurement has its day where that is not today", () => {
  const now = new Date(2026, 0, 2, 5, 22).getTime();
  assert.equal(clock(now, now), "05:22");
  assert.equal(clock(now - 86_400_000, now), "2026-01-01 05:22");
});

test("rows are not current before their settings are known", async () => {
  late = new Promise((done) => (answerLate = done));
  const r = runs();
  r.show("r0");
  await settle();
  followers[0]!.follower.onEvents([began(0), ...middle, ended("ok")]);
  assert.equal(truth(r).kind, "loading");
  assert.ok(r.stale);
  answerLate!();
  await settle();
  assert.equal(truth(r).kind, "current");
  assert.deepEqual(r.disabled, ["Old"]);
});

test("a change while the server is away is kept, said, and sent when it is back", async () => {
  const r = await shown();
  up = false;
  r.change({ disabled: ["A"] });
  await settle();
  const away = truth(r);
  assert.deepEqual([away.kind, r.stale, away.kind === "offline" && away.unsent], ["offline", true, true]);
  assert.match(away.text, /not sent/);
  for (const ms of [500, 1000, 2000]) {
    mock.timers.tick(ms);
    await settle();
    assert.equal(truth(r).kind, "offline");
  }
  r.change({ disabled: ["A", "B"] });
  await settle();
  up = true;
  mock.timers.tick(10_000);
  await settle();
  assert.deepEqual(posted.map((s) => s.disabled), [["A", "B"]], "only the last change is sent, once");
  assert.equal(truth(r).kind, "stale");
  assert.ok(r.stale, "the rows of the run before stand beside the ticks of the next");
  followers.at(-1)!.follower.onEvents([began(0)]);
  assert.equal(truth(r).kind, "running");
  followers.at(-1)!.follower.onEvents([...middle, ended("ok")]);
  assert.deepEqual([truth(r).kind, r.stale, r.disabled], ["current", false, ["A", "B"]]);
});

test("a line that is open again has the change sent at once", async () => {
  const r = await shown();
  up = false;
  r.change({ disabled: ["A"] });
  await settle();
  for (let i = 0; i < 4; i++) {
    mock.timers.tick(10_000);
    await settle();
  }
  up = true;
  followers[0]!.follower.onState("open", "");
  mock.timers.tick(0);
  await settle();
  assert.equal(posted.length, 1);
});

test("a server that goes away while nothing is asked of it changes nothing beside the rows", async () => {
  const r = await shown();
  const said = summary(r);
  r.away = true;
  assert.deepEqual(truth(r), { kind: "offline", text: "The server cannot be reached; retrying.", unsent: false });
  assert.deepEqual(summary(r), said);
  r.away = false;
  assert.deepEqual([truth(r).kind, posted], ["current", []]);
});

test("behind the passes the program runs, which may take long; what a run came to counts passes as the tree does", async () => {
  const r = runs();
  r.show("r0");
  await settle();
  const { follower } = followers[0]!;
  follower.onEvents([began(0), ...middle.slice(0, 2)]);
  assert.deepEqual(summary(r), ["0 of 1", "A"]);
  const done = finished(3, "1.1/A", []);
  Object.assign(done.body, { changed: true });
  follower.onEvents([done]);
  assert.equal(summary(r)[0], "1 of 1", "its code is generated now");
  follower.onEvents([{ seq: 4, type: "code_generated", body: { target: "wasm", kernels: [], bytes: 0 } } as unknown as WireEvent]);
  assert.deepEqual(summary(r), ["Running the program…", ""]);
  const end = ended("ok");
  Object.assign(end, { seq: 5, body: { ...end.body, changed: 2 } }); // with the sequence
  follower.onEvents([end]);
  assert.deepEqual(summary(r), ["Done in 600 ms", "1 pass changed"]);
});

test("a run that is over and still on its way is loaded, it does not run", async () => {
  state = "ok";
  const r = runs();
  r.show("r0");
  await settle();
  const { follower } = followers[0]!;
  follower.onEvents([began(0), ...middle]);
  assert.deepEqual([summary(r), r.loading], [["Loading the run…", ""], true]);
  follower.onEvents([ended("ok")]);
  assert.deepEqual([summary(r), r.loading], [["Done in 600 ms", "0 passes changed"], false]);
});

test("a change that is refused stays apart from the rows", async () => {
  const r = await shown();
  refusal = new Response(JSON.stringify({ error: { message: "no" } }), { status: 400 });
  r.change({ disabled: ["A"] });
  await settle();
  assert.deepEqual(truth(r), { kind: "stale", text: "Settings changed, not run", starting: false });
  assert.equal(r.problem, "no");
  assert.equal(tabTitle(r, "resnet"), "not run resnet · irscope");
});

test("a run that the server was stopped in starts again by itself, once, where the page saw the line go", async () => {
  const r = runs();
  r.show("r0");
  await settle();
  const { follower } = followers[0]!;
  follower.onEvents([began(0), ...middle]);
  follower.onState("waiting", "Connection lost; retrying.");
  assert.deepEqual(truth(r), { kind: "offline", text: "Connection lost; retrying.", unsent: false });
  follower.onState("open", "");
  follower.onEvents([ended("interrupted")]);
  await settle();
  assert.deepEqual(posted.map((s) => s.disabled), [["Old"]]);
  follower.onEvents([]);
  await settle();
  assert.equal(posted.length, 1);

  const linked = runs();
  linked.show("r9");
  await settle();
  followers.at(-1)!.follower.onEvents([began(0), ...middle, ended("interrupted")]);
  await settle();
  assert.equal(posted.length, 1, "a link to such a run starts nothing");
});

test("the title of the tab tells how far the run is", async () => {
  const r = runs();
  r.show("r0");
  assert.equal(tabTitle(r, "m"), "m · irscope");
  await settle();
  followers[0]!.follower.onEvents([began(0), ...middle.slice(0, 2)]);
  assert.match(tabTitle(r, "m"), /^0\/\d+ m · irscope$/);
  followers[0]!.follower.onState("waiting", "Connection lost.");
  assert.equal(tabTitle(r, "m"), "offline m · irscope");
  followers[0]!.follower.onState("open", "");
  followers[0]!.follower.onEvents([...middle.slice(2), ended("ok")]);
  assert.equal(tabTitle(r, "m"), "done 600 ms m · irscope");
});
