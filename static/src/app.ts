// The script of every page. It loads the script of the page that it finds, whose head names that too so that both are fetched
// together, shows what needs a script, and hands over.

import "./shared";
import { pauseWith } from "./store/api";
import { keepIn } from "./store/prefs";
import { closingMenus } from "./widgets/menus";
import { themeMenu } from "./widgets/thememenu";

const pages: Record<string, () => Promise<{ open(): unknown }>> = {
  gallery: () => import("./gallery/gallerypage"),
  session: () => import("./session/sessionpage"),
  compare: () => import("./compare/comparepage"),
  lessons: () => import("./lesson/lessonspage"),
  class: () => import("./class/classpage"),
  docs: () => import("./docs/docspage"),
  editor: () => import("./editing/sourcepage"),
};

pauseWith((...wait) => import("./widgets/busy").then((own) => own.pause(...wait)));
// Asking for the storage may throw where it is forbidden.
keepIn({ getItem: (name) => localStorage.getItem(name), setItem: (name, value) => localStorage.setItem(name, value) });
const page = await pages[document.body.dataset.page ?? ""]?.();
for (const el of document.querySelectorAll<HTMLElement>("[data-needs-js]")) el.hidden = false;
themeMenu();
closingMenus();
page?.open();
