// The time of each kernel, and the memory of a run. What shows it is loaded when it is opened.

import type { ProfileView } from "../profile/profileview";
import type { Make, Panel } from "./view";

export const profile: Make = (on) => {
  let loading: Promise<ProfileView> | null = null;
  const panel: Panel = {
    async show(host, { model }, reveal) {
      reveal();
      loading ??= import("../profile/profileview").then(
        (own) => new own.ProfileView(host, {
          openKernel: (name) => on.go({ view: "code", fn: name, line: 0 }),
          measure: (runs) => on.runs().set({ profile: runs }),
          refusal: () => on.refusal(),
        }),
        () => {
          loading = null;
          throw new Error("the profile script could not be loaded; is the server still running?");
        },
      );
      (await loading).show(model);
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
