// What steps report of their work: from the record of the run, or from the server, which runs the step again.

import { json } from "./api";
import type { Step } from "./model";
import type { Rewrites } from "../wire";

// most is how many lists are kept.
const most = 40;

export class Records {
  private readonly known = new Map<string, Promise<Rewrites>>();

  of(run: string, step: Step): Promise<Rewrites> {
    const key = `${run} ${step.path}`;
    let list = this.known.get(key);
    if (list) return list;
    const text = step.finished?.rewrites?.text;
    list = json<Rewrites>(text ? `/api/ir/${text}?raw=1` : `/api/runs/${run}/rewrites?step=${encodeURIComponent(step.path)}`);
    this.known.set(key, list);
    list.catch(() => this.known.delete(key));
    for (const old of this.known.keys()) if (this.known.size > most) this.known.delete(old);
    return list;
  }
}
