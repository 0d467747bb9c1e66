import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { keep } from "./prefs";
import { type Screen, Session, type Traits } from "./session";
import type { State } from "./state";
import type { Follower } from "./stream";
import { change, event, finished, plan, random, started } from "./testing";

// The views are made up: the store knows of views what their traits say and nothing else.
const views: Traits[] = [
  { name: "model", follows: false, ownEntries: true },
  { name: "one", follows: true, text: "diff" },
  { name: "two", follows: true, text: "diff" },
  { name: "text", follows: true, text: "after" },
  { name: "picture", follows: true },
  { name: "summary", follows: false },
];

interface Page {
  store: Session;
  said: string[];
  calls: string[];
  addresses: [State, boolean][];
  // feed gives the events of the run that is followed.
  feed(): Follower;
  sure: boolean;
}

const real = globalThis.fetch;
let posted: { path: string; body: unknown }[] = [];

beforeEach(() => {
  posted = [];
  keep("diff-view", "");
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    if (init?.method === "POST") posted.push({ path, body: JSON.parse(String(init.body)) });
    const answer = path.endsWith("/runs") ? { run: { id: `r${posted.length}`, state: "running" } }
      : path.startsWith("/api/runs/") ? { run: { id: path.split("/")[3], state: "ok", settings: { opt_level: 3 } } }
      : path === "/api/passes" ? { passes: [] } : { title: "T", session: { id: "s", title: "t", may_edit: true, runs: [], settings: { opt_level: 2 } }, warnings: [] };
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  }) as typeof fetch;
});

afterEach(() => {
  globalThis.fetch = real;
});

function page(query = "?run=r", mayEdit = true, session = "s"): Page {
  const out = { said: [], calls: [], addresses: [], sure: true } as unknown as Page;
  let follower: Follower | null = null;
  const call = (name: string) => (...args: unknown[]): void => void out.calls.push([name, ...args].join(" "));
  const screen: Screen = {
    draw: call("draw"), later: () => undefined, announce: (text) => out.said.push(text), tell: (text) => out.said.push(text), address: (s, fresh) => out.addresses.push([s, fresh]),
    leave: call("leave"), bring: call("bring"), aim: call("aim"), line: call("line"), sure: async () => out.sure,
  };
  out.store = new Session({ session, title: "T", run: "", mayEdit, shared: false, reason: mayEdit ? "" : "Only the creator of this session can change it; fork it to continue", compiler: true, query }, views, screen, (_, f) => {
    follower = f;
    return { close: () => undefined };
  });
  out.feed = () => follower!;
  return out;
}

// running is a page that follows a run with two steps, of which the second changed f.
async function running(query?: string, session?: string): Promise<Page> {
  const p = page(query, true, session);
  p.store.runs.show("r");
  p.feed().onEvents([
    started(plan("1/default", "1.1/A", "1.2/B")), event(1, "pass_started", "1.1/A"), finished(2, "1.1/A", []),
    event(3, "pass_started", "1.2/B"), finished(4, "1.2/B", [change("f", "a", "b")]),
  ]);
  await new Promise((done) => setTimeout(done));
  return p;
}

test("until the reader picks a pass, the first one that changed something is selected", async () => {
  const p = await running();
  assert.equal(p.store.state.pass, "1.2/B");
  assert.equal(p.store.chosen, false);
  assert.equal((await running("?run=r&pass=1.1/A")).store.state.pass, "1.1/A");
});

test("a view that does not follow the pass gives way to a diff when one is selected", async () => {
  const { store } = await running("?run=r&view=summary");
  store.select(store.model.steps.get("1.1/A")!);
  assert.equal(store.state.view, "one");
  store.setView("two");
  store.setView("model");
  store.select(store.model.steps.get("1.2/B")!);
  assert.equal(store.state.view, "two", "the form that was chosen last");
  store.setView("picture");
  store.select(store.model.steps.get("1.1/A")!);
  assert.equal(store.state.view, "picture");
});

test("diffs turn into each other, and every other view into the first", async () => {
  const { store } = await running("?run=r&view=picture");
  const seen = [0, 1, 2].map(() => (store.turnDiff(), store.state.view));
  assert.deepEqual(seen, ["one", "two", "one"]);
});

test("the chosen entry goes where the list of functions holds something else", async () => {
  const { store } = await running("?run=r&view=one&function=f");
  store.setView("text");
  assert.equal(store.state.fn, "f");
  store.setView("model");
  assert.equal(store.state.fn, "");
  store.setView("nonsense");
  assert.equal(store.state.view, "model");
});

test("a line is revealed in the diff where the step changed the function, else in the text", async () => {
  const p = await running("?run=r&view=two");
  p.store.reveal("1.2/B", "f", 7, true);
  assert.deepEqual([p.store.state.view, p.store.state.line], ["two", 7]);
  p.store.reveal("1.1/A", "f", 8, false);
  assert.equal(p.store.state.view, "text");
  p.store.reveal("1.2/B", "f", 9, true);
  assert.equal(p.store.state.view, "one", "from a text to the first form");
});

test("a rewrite is selected for one pass", async () => {
  const p = await running("?run=r&pass=1.2/B&rewrite=d2");
  assert.equal(p.store.state.rewrite, "d2");
  p.store.go({ pass: "1.2/B", line: 3, rewrite: "4" });
  assert.equal(p.store.state.rewrite, "4");
  p.store.go({ pass: "1.2/B", fn: "f" });
  assert.equal(p.store.state.rewrite, "4", "the same pass");
  p.store.select(p.store.model.steps.get("1.1/A")!);
  assert.equal(p.store.state.rewrite, "");
});

test("what is there already is scrolled to, of the text before where asked; else it is aimed at", async () => {
  const p = await running();
  const to = { pass: "1.2/B", fn: "f", line: 3, view: "one" };
  p.store.visit(to, 5);
  p.store.fn = "f"; // as drawing it does
  p.store.visit(to, 5);
  p.store.visit(to);
  assert.deepEqual(p.calls, ["leave", "aim 5", "draw", "bring center", "draw", "line 5 before", "bring center", "draw", "line 3 after", "bring center"]);
});

test("another view, a link and a visit elsewhere are steps in the history of the browser; another pass or form of a diff is none", async () => {
  const p = await running("?run=r&view=one");
  const { store } = p;
  const steps = (run: () => void): number => {
    p.calls.length = 0;
    run();
    return p.calls.filter((c) => c === "leave").length;
  };
  assert.equal(steps(() => store.select(store.model.steps.get("1.1/A")!)), 0);
  assert.equal(steps(() => store.turnDiff()), 0, "the other form");
  assert.equal(steps(() => store.go({ line: 3 })), 0);
  assert.equal(steps(() => store.setView("summary")), 1);
  assert.equal(steps(() => store.setView("summary")), 0, "the view that is there");
  assert.equal(steps(() => store.select(store.model.steps.get("1.2/B")!)), 1, "from what is of no pass to a diff");
  assert.equal(steps(() => store.selectByName("A")), 1, "a link to a pass");
  store.fn = "f";
  assert.equal(steps(() => store.visit({ pass: "1.1/A", fn: "f", line: 4, view: store.state.view })), 0, "another line of the same text");
  assert.equal(steps(() => store.visit({ pass: "1.2/B", fn: "f", line: 4, view: store.state.view })), 1);
  assert.equal(steps(() => store.restore("?run=r&view=summary")), 0, "going back");
});

test("a note is pinned to a line of a text of the step, to the step in other views, and to no line of a whole module", async () => {
  const { store } = await running("?run=r&view=text");
  Object.assign(store, { fn: "f" });
  store.go({ line: 4 });
  assert.deepEqual(store.here(), { run: "r", step: "1.2/B", function: "f", line: 4 });
  store.fn = "*";
  assert.deepEqual(store.here(), { run: "r", step: "1.2/B", function: "", line: 0 });
  store.fn = "f";
  store.setView("picture");
  assert.deepEqual(store.here(), { run: "r", step: "1.2/B", function: "", line: 0 });
});

test("turning a pass off starts a run without it, unless the reader thinks better of it", async () => {
  const p = await running();
  const b = p.store.model.steps.get("1.2/B")!;
  p.sure = false;
  await p.store.toggle(b);
  assert.deepEqual(p.store.runs.disabled, []);
  p.sure = true;
  await p.store.toggle(b);
  assert.deepEqual(p.store.runs.disabled, ["B"]);
  assert.deepEqual(p.said, ["B is off"]);
  assert.ok(p.store.runs.stale);
  await p.store.toggle(b);
  assert.deepEqual(p.store.runs.disabled, []);
  await p.store.toggle(p.store.model.steps.get("1/default")!);
  assert.deepEqual(p.said, ["B is off", "B is on"], "the pipeline itself cannot be turned off");
});

test("who may not change the session is told why", async () => {
  const p = page("?run=r", false);
  assert.equal(p.store.mayEdit(), false);
  p.store.removeEdit("A");
  assert.deepEqual(p.said, [p.store.reason, p.store.reason]);
  assert.ok(p.store.reason.endsWith("fork it to continue"));
  assert.equal(page("?run=r", true).store.reason, "", "who may change it is told nothing");
});

test("the selected pass is found again by its name where a run gives it another path", async () => {
  const p = await running("?run=r&pass=1.2/B");
  p.store.runs.show("r2");
  p.feed().onEvents([started(plan("1/custom", "1.1/X", "1.2/A", "1.3/B"))]);
  assert.equal(p.store.state.pass, "1.3/B");
});

test("a step of the next run is selected when that has it", async () => {
  const p = await running("?run=r&pass=1.1/A");
  p.store.showLater("New");
  p.store.runs.show("r2");
  p.feed().onEvents([started(plan("1/custom", "1.1/A", "1.2/New"))]);
  assert.equal(p.store.state.pass, "1.2/New");
});

test("a link names a view; one that it does not know is a diff", async () => {
  const { store } = await running();
  assert.equal(store.viewOf("text"), "text");
  assert.equal(store.viewOf("nonsense"), "one");
  keep("diff-view", "two");
  assert.equal(store.viewOf("one"), "two");
});

test("a session without a run gets one, whose id goes into the address", async () => {
  const p = page("");
  await p.store.open();
  assert.equal(posted[0]?.path, "/api/sessions/s/runs");
  assert.equal(p.store.state.run, "r1");
  assert.deepEqual(p.addresses.map(([s, fresh]) => [s.run, fresh]), [["r1", false]]);
});

test("changes that overlap leave the last run alone, which a server shares among those who ask for the same", async () => {
  // Of this server a run goes on until it is canceled, and both ways take their time.
  const draw = random(1);
  const wait = (): Promise<void> => new Promise((done) => setTimeout(done, draw(6)));
  const alive = new Map<string, string>(); // by settings
  const canceled: string[] = [];
  let made = 0;
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    await wait();
    const id = path.split("/")[3]!;
    let answer: unknown = { run: { id, state: "running", settings: {} } };
    if (path.endsWith("/cancel")) {
      canceled.push(id);
      for (const [k, v] of alive) if (v === id) alive.delete(k);
    } else if (path === "/api/sessions/overlap/runs") {
      const key = String(init?.body);
      if (!alive.has(key)) alive.set(key, `run${++made}`);
      answer = { run: { id: alive.get(key), state: "running" } };
    }
    await wait();
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  }) as typeof fetch;
  for (let round = 0; round < 30; round++) {
    const { runs } = (await running(undefined, "overlap")).store; // timers of other tests ask for runs of s
    await new Promise((done) => setTimeout(done, 20)); // until it has the settings of that run
    for (const level of [1, 2, 1, 3, 1]) {
      runs.settings = { ...runs.settings, opt_level: level };
      void runs.start();
      await wait();
    }
    await runs.start();
    await new Promise((done) => setTimeout(done, 20)); // for what comes late
    assert.ok(!canceled.includes(runs.current), `round ${round}: the run of the last settings, ${runs.current}, is canceled`);
    assert.equal(alive.size, 1, `round ${round}: ${alive.size} runs go on`);
    alive.clear();
  }
});
