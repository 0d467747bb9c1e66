// The script of every page. It shows what needs a script, then takes over the page that it finds.

import "./shared";
import { gallery } from "./gallery/gallery";
import { session } from "./session/page";
import { themeMenu } from "./gallery/thememenu";

for (const el of document.querySelectorAll<HTMLElement>("[data-needs-js]")) el.hidden = false;
themeMenu();
switch (document.body.dataset.page) {
  case "gallery":
    gallery();
    break;
  case "session":
    void session();
    break;
  case "editor":
    void editor();
    break;
}

// editor loads the editor, which only this page needs. Where it cannot be loaded, the textarea stays.
async function editor(): Promise<void> {
  const { codemirror } = document.getElementById("editor-form")!.dataset;
  const [page, bundle] = await Promise.all([import("./editing/sourcepage"), import(codemirror!)]);
  await page.open(bundle);
}
