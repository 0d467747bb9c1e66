// The signs of what became of a step.

import type { Status } from "../store/model";

export const glyphs: Record<Status, string> = {
  waiting: "·",
  running: "⟳",
  changed: "●",
  same: "○",
  skipped: "–",
  failed: "✕",
  unknown: "?",
};
