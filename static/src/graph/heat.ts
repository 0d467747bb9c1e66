// Heat: how much of the time of a run each node takes, as its ground and in words.

import { percent, summarize } from "../store/profile";
import type { Profile, RunModel } from "../store/model";
import { h } from "../widgets/dom";
import { pill } from "./pill";

// levels is the number of grounds; graph.css has a rule for each.
const levels = 5;

// Times are nanoseconds of one run, by the value that a call binds and by the kernel that it calls.
interface Times {
  total: number;
  values: Map<string, number>;
  kernels: Map<string, number>;
}

// timesOf adds up the measured calls in a function; null where nothing was measured.
function timesOf(profiles: readonly Profile[], fn: string): Times | null {
  const profile = profiles.find((p) => summarize(p));
  const times = profile?.times;
  if (!profile || !times) return null;
  const out: Times = { total: times.median, values: new Map(), kernels: new Map() };
  profile.body.calls.forEach((call, i) => {
    if (!call.kernel) return;
    const time = times.calls[i]?.median ?? 0;
    out.kernels.set(call.name, (out.kernels.get(call.name) ?? 0) + time);
    if (call.in === fn && call.value) out.values.set(call.value, (out.values.get(call.value) ?? 0) + time);
  });
  return out;
}

// sharesOf are the shares of nodes in the time of the run, from 0 to 1. A node is known by the value that it binds, else by its kernel, whose
// time the nodes that call it share. A node that stands for others has the sum of theirs.
function sharesOf(nodes: SVGGElement[], times: Times, name: string): Map<number, number> {
  const out = new Map<number, number>();
  const callers = new Map<string, number>();
  for (const n of nodes) if (n.dataset.callee) callers.set(n.dataset.callee, (callers.get(n.dataset.callee) ?? 0) + 1);
  nodes.forEach((n, i) => {
    const { callee = "", names } = n.dataset;
    let time = 0;
    if (names !== undefined) time = names.split(" ").reduce((sum, v) => sum + (times.values.get(v) ?? 0), 0);
    else if (n.dataset.kind === "function") time = times.kernels.get(name) ?? 0;
    else if (times.kernels.has(callee)) time = times.values.get(n.dataset.name ?? "") ?? times.kernels.get(callee)! / callers.get(callee)!;
    else if (n.dataset.kind === "call") time = times.values.get(n.dataset.name ?? "") ?? 0; // before its kernel has its final name
    if (time > 0 && n.dataset.mark !== "removed") out.set(i, time / times.total);
  });
  return out;
}

// Heated is what was coloured.
export interface Heated {
  shares: Map<number, number>;
  // most is the greatest share, which the hottest ground stands for.
  most: number;
}

// heat colours the nodes of a function; null where the run measured nothing.
export function heat(nodes: SVGGElement[], model: RunModel, fn: string): Heated | null {
  const times = timesOf(model.profiles, fn);
  if (!times) return null;
  const shares = sharesOf(nodes, times, fn);
  const most = Math.max(0, ...shares.values());
  for (const [i, share] of shares) {
    const node = nodes[i]!;
    node.classList.add(`heat-${levelOf(share, most)}`);
    node.append(pill(node, percent(share), "end", "g-share"));
  }
  return { shares, most };
}

export function cool(nodes: SVGGElement[]): void {
  for (const n of nodes) {
    for (let k = 1; k <= levels; k++) n.classList.remove(`heat-${k}`);
    n.querySelector(".g-share")?.remove();
  }
}

function levelOf(share: number, most: number): number {
  return Math.min(levels, Math.max(1, Math.ceil((levels * share) / most)));
}

// scale says which shares the grounds stand for.
export function scale({ most }: Heated): HTMLElement {
  const rows = Array.from({ length: levels }, (_, k) => h("span", { class: `g-heat heat-${k + 1}` }, percent((most * (k + 1)) / levels)));
  return h("div", { class: "g-scale", role: "group", "aria-label": "Share of the time of a run, up to" }, h("span", {}, "Time, up to"), ...rows);
}
