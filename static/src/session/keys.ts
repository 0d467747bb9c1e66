// The keyboard: one table of keys. What the help and the palette say of them is in keydocs.ts, which is loaded with those.

// Keys says what is done by what is typed, with "Alt+" before it where that is held.
export type Keys = Record<string, () => void>;

export function listen(keys: Keys): void {
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey) return;
    const target = e.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]")) {
      if (e.key === "Escape") target.blur();
      return;
    }
    // With Alt some systems type another letter; the code of the key stays.
    const typed = e.altKey ? `Alt+${e.code.replace("Key", "")}` : e.key;
    if (!Object.hasOwn(keys, typed)) return;
    e.preventDefault();
    keys[typed]!();
  });
}
