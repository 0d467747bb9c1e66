// The menus of the page close on Escape, and where the reader goes on elsewhere.

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
