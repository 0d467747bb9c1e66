// Requests to the server. Every failure becomes an Error whose message can be shown.

import type { Diagnostic, DiffPage, ListedRun, Form, PassInfo, RunInfo, SessionInfo, Settings, TextPage } from "../wire";

// RequestError is what the server refused, with its status, the seconds after which it may be tried again (0: not said), and what
// is wrong with a text.
export class RequestError extends Error {
  constructor(message: string, readonly status: number, readonly retryAfter: number, readonly diagnostics: Diagnostic[] = []) {
    super(message);
  }
}

// Unreachable says that no answer came.
export class Unreachable extends Error {}

// A request that only reads is made again where the server says that it is busy: so often, where the wait is at most so many seconds.
const tries = 4;
const longest = 10;

// Pause waits so many seconds because of what a message says. It rejects as fetch does where the signal aborts it.
export type Pause = (message: string, seconds: number, signal: AbortSignal | null) => Promise<void>;

let pause: Pause = (_, seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

// pauseWith says how to wait where the server is busy, so that the reader learns why.
export function pauseWith(better: Pause): void {
  pause = better;
}

// json makes a request. Where the server is busy it waits as long as it was told to, and asks again.
export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await once<T>(path, init);
    } catch (err) {
      const reads = (init?.method ?? "GET") === "GET";
      const busy = err instanceof RequestError && (err.status === 429 || err.status === 503) && err.retryAfter > 0 && err.retryAfter <= longest;
      if (!busy || !reads || left === 0) throw err;
      await pause(err.message, err.retryAfter, init?.signal ?? null);
    }
  }
}

// Known answers a request that need not be made; undefined is one that must be.
export type Known = (path: string, init?: RequestInit) => unknown;

let known: Known = () => undefined;

// answerWith gives answers to requests.
export function answerWith(answers: Known): void {
  known = answers;
}

// given returns the answer to a request that is known without making it; undefined where there is none.
export function given<T>(path: string): T | undefined {
  try {
    return known(path) as T | undefined;
  } catch {
    return undefined;
  }
}

// once makes a request a single time.
export async function once<T>(path: string, init?: RequestInit): Promise<T> {
  const answer = known(path, init);
  if (answer !== undefined) return answer as T;
  let res: Response;
  try {
    res = await fetch(path, { headers: { Accept: "application/json" }, ...init });
  } catch (err) {
    if (err instanceof DOMException && err.name === "AbortError") throw err;
    throw new Unreachable("the server cannot be reached; is it still running?");
  }
  if (!res.ok) throw await failure(res);
  return (res.status === 204 ? undefined : await res.json()) as T;
}

async function failure(res: Response): Promise<RequestError> {
  let message = `the server responded with ${res.status}`;
  let diagnostics: Diagnostic[] = [];
  try {
    const body = (await res.json()) as { error?: { message?: string; diagnostics?: Diagnostic[] } };
    if (body.error?.message) message = body.error.message;
    diagnostics = body.error?.diagnostics ?? [];
  } catch {
    // Not JSON: the status says enough.
  }
  return new RequestError(message, res.status, Number(res.headers.get("Retry-After")) || 0, diagnostics);
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return json<T>(path, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
    signal: signal ?? null,
  });
}

// remove deletes what an address names.
export function remove(path: string): Promise<void> {
  return json<void>(path, { method: "DELETE" });
}

export const api = {
  session: async (id: string): Promise<SessionInfo> => (await json<{ session: SessionInfo }>(`/api/sessions/${id}`)).session,
  run: async (id: string): Promise<RunInfo> => (await json<{ run: RunInfo }>(`/api/runs/${id}`)).run,
  runs: async (session: string): Promise<ListedRun[]> => (await json<{ runs: ListedRun[] }>(`/api/sessions/${session}/runs`)).runs,
  passes: async (): Promise<PassInfo[]> => (await json<{ passes: PassInfo[] }>("/api/passes")).passes,
  start: async (session: string, settings: Settings): Promise<RunInfo> =>
    (await post<{ run: RunInfo }>(`/api/sessions/${session}/runs`, settings)).run,
  cancel: (run: string): Promise<unknown> => post(`/api/runs/${run}/cancel`, {}),
  text: (hash: string, form: Form, from: number, count: number, signal?: AbortSignal): Promise<TextPage> =>
    json<TextPage>(`/ir/${hash}?form=${form}&from=${from}&count=${count}`, { signal: signal ?? null }),
  diff: (q: DiffQuery, from: number, count: number, signal?: AbortSignal): Promise<DiffPage> =>
    json<DiffPage>(
      `/diff/${q.before || "-"}/${q.after || "-"}?view=${q.view}&form=${q.form}&context=${q.context}&from=${from}&count=${count}`,
      { signal: signal ?? null },
    ),
};

export interface DiffQuery {
  before: string;
  after: string;
  view: "unified" | "split";
  form: Form;
  context: number | "all";
}
