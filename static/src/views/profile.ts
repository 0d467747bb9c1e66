// The time of each kernel, and the memory of a run. What shows it is loaded when it is opened.

import { part } from "../widgets/dom";
import type { Make, Panel } from "./view";

export const profile: Make = (on) => {
  const view = part("the profile script", () => import("../profile/profileview"), (own, host: HTMLElement) => new own.ProfileView(host, {
    openKernel: (name) => on.go({ view: "code", fn: name, line: 0 }),
    measure: (runs) => on.runs().set({ profile: runs }),
    refusal: () => on.refusal(),
  }));
  const panel: Panel = {
    async show(host, { model }, reveal) {
      reveal();
      (await view(host)).show(model);
    },
  };
  return {
    name: "profile",
    label: "Profile",
    key: { key: "P", doc: "profile: the time of each kernel, and the memory of a run" },
    follows: false,
    tools: [],
    panel: true,
    list: () => ({ entries: [], count: "" }),
    first: () => "",
    title: () => "Profile",
    content: () => ({ panel }),
  };
};
