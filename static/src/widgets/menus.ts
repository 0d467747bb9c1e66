// Menus that close on Escape and where the reader goes on elsewhere: those of the page, and one that a script opens at a row.

import { h } from "./dom";

// closingMenus lets every menu of the page close again.
export function closingMenus(): void {
  const menus = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll("details.menu[open]");
  document.addEventListener("keydown", (e) => {
    const menu = (e.target as Element).closest<HTMLDetailsElement>("details.menu[open]");
    if (e.key !== "Escape" || !menu) return;
    menu.open = false;
    menu.querySelector("summary")!.focus();
    e.preventDefault();
  });
  document.addEventListener("pointerdown", (e) => {
    for (const menu of menus()) if (!menu.contains(e.target as Node)) menu.open = false;
  });
  document.addEventListener("focusout", (e) => {
    for (const menu of menus()) if (menu.contains(e.target as Node) && e.relatedTarget instanceof Node && !menu.contains(e.relatedTarget)) menu.open = false;
  });
  // What an item opens takes the place of its menu.
  document.addEventListener("click", (e) => {
    const menu = (e.target as Element).closest(".menu-item")?.closest<HTMLDetailsElement>("details.menu[open]");
    if (menu) menu.open = false;
  });
}

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
