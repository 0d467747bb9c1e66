// A menu that a script opens at a row. It is loaded when the first one opens.

import "../shared";
import { h } from "./dom";

export interface Item {
  text: string;
  keys: string;
  run(): void;
  id: string;
  danger?: boolean;
}

// popMenu opens a menu at a place; the focus goes back to home when it closes.
export function popMenu(label: string, items: Item[], at: { left: number; right: number; top: number; bottom: number }, home: HTMLElement): void {
  const buttons = items.map((item) => {
    const b = h("button", { type: "button", class: `menu-item${item.danger ? " danger" : ""}`, role: "menuitem", tabindex: -1, "data-act": item.id }, item.text, item.keys ? h("span", { class: "keys-of" }, item.keys) : null);
    b.addEventListener("click", () => {
      menu.close();
      item.run();
    });
    return b;
  });
  const menu = h("dialog", { class: "popmenu", role: "menu", "aria-label": label }, ...buttons);
  menu.addEventListener("keydown", (e) => {
    const i = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: -1, Tab: i + (e.shiftKey ? -1 : 1) }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    buttons.at(to % buttons.length)!.focus();
  });
  menu.addEventListener("click", (e) => e.target === menu && menu.close());
  menu.addEventListener("close", () => {
    menu.remove();
    home.focus();
  });
  document.body.append(menu);
  menu.showModal();
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  menu.style.top = `${at.bottom + height + 8 < innerHeight ? at.bottom + 2 : Math.max(8, at.top - height - 2)}px`;
  buttons[0]?.focus();
}
