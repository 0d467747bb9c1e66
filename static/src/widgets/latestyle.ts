// The style sheet of what is loaded after the first view. Whoever shows such a part waits for it.

import { h } from "./dom";

let loading: Promise<void> | null = null;

export function lateStyle(): Promise<void> {
  const href = document.body.dataset.lateStyle;
  if (!href) return Promise.resolve(); // an exported page has all of it
  loading ??= new Promise<void>((done, fail) => {
    const link = h("link", { rel: "stylesheet", href });
    link.addEventListener("load", () => done());
    link.addEventListener("error", () => {
      link.remove();
      loading = null;
      fail(new Error("a style sheet could not be loaded; is the server still running?"));
    });
    document.head.append(link);
  });
  return loading;
}
