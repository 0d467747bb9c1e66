// Texts of modules: what the server says to them.

import { post, RequestError } from "./api";
import type { Diagnostic } from "../wire";

export interface Found {
  ok: boolean;
  diagnostics: Diagnostic[];
  functions: { name: string; kind: string }[];
  note?: string;
}

export interface Creation {
  kind: "tvmscript";
  source: string;
  name: string;
  pipeline?: string;
  parent?: string;
}

export function check(text: string, name: string, signal: AbortSignal): Promise<Found> {
  return post<Found>("/api/check", { text, name }, signal);
}

export function format(text: string, name: string): Promise<{ ok: boolean; text: string; diagnostics: Diagnostic[] }> {
  return post("/api/format", { text, name });
}

// startScript makes a session of a text. A text with errors gives what is wrong with it; other failures are errors.
export async function startScript(c: Creation): Promise<{ session: string } | { message: string; diagnostics: Diagnostic[] }> {
  try {
    return { session: (await post<{ session: { id: string } }>("/api/sessions", c)).session.id };
  } catch (err) {
    if (err instanceof RequestError && err.status === 422) return { message: err.message, diagnostics: err.diagnostics };
    throw err;
  }
}
