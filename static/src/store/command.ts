// The command line that does what a run of the page does.

import type { RunInfo, SessionInfo, Settings, SettingsStep } from "../wire";

export function commandLine(session: SessionInfo | null, run: RunInfo | null, settings: Settings): string {
  if (run?.command) return run.command;
  const source = session?.source;
  const model = source?.arg || source?.name || session?.title || "MODEL";
  const words = ["irscope", "run", model];
  if (settings.target) words.push("--target", settings.target);
  words.push("--opt-level", String(settings.opt_level ?? 2));
  for (const s of settings.scripts ?? []) words.push("--script", s.name);
  if (settings.steps) words.push("--passes", listPasses(settings.steps));
  else if (settings.pipeline && settings.pipeline !== "default") words.push("--pipeline", settings.pipeline);
  if (settings.disabled?.length) words.push("--disable-pass", settings.disabled.join(","));
  for (const name of settings.required ?? []) words.push("--require-pass", name);
  for (const [key, value] of Object.entries(settings.config ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (typeof value !== "object" || value === null) words.push("--config", `${key}=${String(value)}`);
    else for (const [name, x] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) words.push("--config", `${key}.${name}=${String(x)}`);
  }
  return words.map(quote).join(" ");
}

// listPasses writes steps as the command line takes them.
function listPasses(steps: SettingsStep[]): string {
  const options = (s: SettingsStep): string => (Object.keys(s.options ?? {}).length > 0 ? JSON.stringify(s.options) : "");
  return steps.map((s) => s.name + (s.steps?.length ? `[${listPasses(s.steps)}]` : options(s))).join(",");
}

// quote protects a word from a POSIX shell.
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
