// The keyboard: one table of keys, which the help shows too.

export interface Key {
  // key is what is typed, with "Alt+" before it where that is held.
  key: string;
  doc: string;
  run(): void;
}

export function listen(keys: Key[]): void {
  const byKey = new Map(keys.map((k) => [k.key, k]));
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey) return;
    const target = e.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]")) {
      if (e.key === "Escape") target.blur();
      return;
    }
    // With Alt some systems type another letter; the code of the key stays.
    const k = byKey.get(e.altKey ? `Alt+${e.code.replace("Key", "")}` : e.key);
    if (!k) return;
    e.preventDefault();
    k.run();
  });
}
