// The command line that does what a run of the page does.

import type { RunInfo, SessionInfo, Settings } from "./wire";

export function commandLine(session: SessionInfo | null, run: RunInfo | null, settings: Settings): string {
  if (run?.command) return run.command;
  const source = session?.source;
  const model = source?.arg || source?.gallery || source?.name || session?.title || "MODEL";
  const scripts = settings.scripts ?? [];
  // Passes of users are run by the command line without a pipeline around them.
  if (scripts.length > 0) return scripts.map((s) => flagged(["explorer", "script", s.name, model], { ...settings, pipeline: "", disabled: [], required: [] })).join(" && ");
  return flagged(["explorer", "run", model], settings);
}

function flagged(words: string[], settings: Settings): string {
  words.push("--target", settings.target || "wasm", "--opt-level", String(settings.opt_level ?? 2));
  if (settings.pipeline && settings.pipeline !== "default") words.push("--pipeline", settings.pipeline);
  if (settings.disabled?.length) words.push("--disable-pass", settings.disabled.join(","));
  for (const name of settings.required ?? []) words.push("--require-pass", name);
  for (const [key, value] of Object.entries(settings.config ?? {})) words.push("--config", `${key}=${String(value)}`);
  return words.map(quote).join(" ");
}

// quote protects a word from a POSIX shell.
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
