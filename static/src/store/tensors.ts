// The tensors that settings give to a run: its inputs, and outputs that are expected.

import { json } from "./api";
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
