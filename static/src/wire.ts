// The types of what the server sends, which wiregen makes of the Go structs, and what the page composes of them.

import type { FunctionChange, PassInfo as RegistryPass, Script } from "./wire.gen";

export type * from "./wire.gen";

// LineCounts counts the lines of a diff.
export type LineCounts = Pick<FunctionChange, "added" | "removed" | "renamed" | "moved">;

// PassInfo is what the page knows of a pass: one of the server's registry, a sequence, or one that a script of the user defines.
type Known = "name" | "level" | "role" | "kind" | "doc";
export interface PassInfo extends Pick<RegistryPass, Known>, Partial<Omit<RegistryPass, Known>> {
  // script is where a user wrote the pass.
  script?: Script;
}
