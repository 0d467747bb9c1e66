// The script of every page. It loads the script of the page that it finds, whose head names that too so that both are fetched
// together, shows what needs a script, and hands over.

import "./shared";
import { themeMenu } from "./widgets/thememenu";

const pages: Record<string, () => Promise<{ open(): unknown }>> = {
  gallery: () => import("./gallery/gallerypage"),
  session: () => import("./session/sessionpage"),
  editor: () => import("./editing/sourcepage"),
};

const page = await pages[document.body.dataset.page ?? ""]?.();
for (const el of document.querySelectorAll<HTMLElement>("[data-needs-js]")) el.hidden = false;
themeMenu();
page?.open();
