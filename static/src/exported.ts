// The script of an exported page: the page of a session over what lies in the file. Nothing is asked of a server.

import "./shared";
import { answersOf, type Exported } from "./exported/answers";
import { open } from "./session/sessionpage";
import { answerWith } from "./store/api";
import { keepIn } from "./store/prefs";
import { closingMenus } from "./widgets/menus";
import { themeMenu } from "./widgets/thememenu";

const file = (globalThis as unknown as { irscope: Exported }).irscope;

answerWith(answersOf(file));
keepIn({ getItem: (name) => localStorage.getItem(name), setItem: (name, value) => localStorage.setItem(name, value) });
for (const el of document.querySelectorAll<HTMLElement>("[data-needs-js]")) el.hidden = false;
themeMenu();
closingMenus();
void open(() => file.events);
