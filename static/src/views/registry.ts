// The views in the middle of the page, in the order of their buttons. A new view is a file of this folder and a row here.

import { code } from "./code";
import { columns } from "./columns";
import { split, unified } from "./diff";
import { graph } from "./graph";
import { ir } from "./ir";
import { loops } from "./loops";
import { metrics } from "./metrics";
import { profile } from "./profile";
import { result } from "./result";
import { source } from "./source";
import type { Actions, Make, Offer, View } from "./view";

const texts: Make[] = [unified, split, columns, ir];
const rows: Make[] = [...texts, graph, loops, metrics, profile, code, result, source];

// makeViews makes the views that a page offers.
export function makeViews(on: Actions, offer: Offer): View[] {
  return (offer.dump ? texts : rows).flatMap((make) => make(on, offer) ?? []);
}
