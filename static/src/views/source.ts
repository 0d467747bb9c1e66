// The text that the session starts from.

import { TextSource } from "../store/textsource";
import type { Make } from "./view";

export const source: Make = (_, { source: hash }) => hash === "" ? null : {
  name: "source",
  label: "Source",
  key: { key: "s", doc: "the text that this session starts from" },
  follows: false,
  ownEntries: true,
  tools: ["wrap", "history"],
  names: true,
  list: () => ({ entries: [], count: "" }),
  first: () => "",
  title: () => "Source of the session",
  content: () => ({ rows: (signal) => TextSource.open([{ title: "source", hash, lines: 0 }], "exact", signal), key: hash, label: "source of the session" }),
  subject: ({ state }) => (state.line ? { node: `line ${state.line}` } : null),
};
