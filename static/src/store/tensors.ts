// The tensors that settings give to a run: its inputs, and outputs that are expected.

import { json } from "./api";
import type { Runs } from "./runs";
import type { GivenTensor, Settings } from "../wire";

export type Role = "inputs" | "expected";

// roleOf tells what a file holds by its name: output_0.pb is what is expected, as in the test data of ONNX models.
export function roleOf(file: string): Role {
  return /^(output|expected)/i.test(file) ? "expected" : "inputs";
}

// give sends a file to the server and returns its tensors.
export async function give(session: string, role: Role, file: File, taken: string[]): Promise<GivenTensor[]> {
  const q = new URLSearchParams({ role: role === "inputs" ? "input" : "expected", file: file.name });
  for (const name of taken) q.append("taken", name);
  return (await json<{ tensors: GivenTensor[] }>(`/api/sessions/${session}/tensors?${q}`, { method: "POST", body: file, headers: { Accept: "application/json", "Content-Type": "application/octet-stream" } })).tensors;
}

// giveAll sends files, one after the other, and starts a run with what they hold. Where one is refused, the run has those before it; the error says which.
export async function giveAll(runs: Pick<Runs, "settings" | "set" | "session">, files: readonly File[], role: (file: string) => Role): Promise<GivenTensor[]> {
  const { session } = runs;
  if (!session) throw new Error("the session is not known yet; try again in a moment");
  const sent: Record<Role, GivenTensor[]> = { inputs: [], expected: [] };
  try {
    for (const file of files) {
      const to = role(file.name);
      sent[to].push(...(await give(session.id, to, file, sent[to].map((t) => t.name))));
    }
  } finally {
    if (sent.inputs.length + sent.expected.length > 0) {
      runs.set({ inputs: merged(given(runs.settings, "inputs"), sent.inputs), expected: merged(given(runs.settings, "expected"), sent.expected) });
    }
  }
  return [...sent.inputs, ...sent.expected];
}

// merged puts tensors into a list, in place of those of their names.
export function merged(list: readonly GivenTensor[], more: readonly GivenTensor[]): GivenTensor[] {
  const names = new Set(more.map((t) => t.name));
  return [...list.filter((t) => !names.has(t.name)), ...more];
}

// without takes a tensor out of settings; the rest of them is not returned.
export function without(settings: Settings, role: Role, name: string): Partial<Settings> {
  return { [role]: given(settings, role).filter((t) => t.name !== name) };
}

export function given(settings: Settings, role: Role): GivenTensor[] {
  return (settings[role] ?? []) as GivenTensor[];
}
