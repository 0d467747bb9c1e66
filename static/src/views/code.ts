// The code that was generated: of the virtual machine, and of each kernel.

import { byNumber, plural } from "../store/format";
import { codePath, vmCode } from "../store/model";
import { percent, shares } from "../store/profile";
import { TextSource } from "../store/textsource";
import { stateOf } from "./functions";
import type { Entry, Make } from "./view";

export const code: Make = (on) => ({
  name: "code",
  label: "Code",
  doc: "what was generated for each kernel",
  follows: false,
  ownEntries: true,
  tools: ["wrap", "history"],
  path: codePath,
  list({ model }) {
    const kernels = model.code?.kernels ?? [];
    const share = shares(model.profiles);
    const entries: Entry[] = byNumber(kernels).map((k) => {
      const part = share.get(k.name);
      return {
        name: k.name, key: k.name, badge: "K", badgeTitle: part === undefined ? "kernel" : "kernel, with its share of the time of a run",
        note: part === undefined ? `${k.lines}` : percent(part),
      };
    });
    if (model.code?.vm) entries.unshift({ name: "virtual machine", key: vmCode, badge: "V", badgeTitle: "virtual-machine code" });
    return { entries, count: plural(kernels.length, "kernel") };
  },
  first: (_, keys) => keys[0] ?? "",
  title: ({ fn }) => (fn ? `Generated code of ${fn === vmCode ? "the virtual machine" : fn}` : "Generated code"),
  content(at) {
    const { model, fn } = at;
    const machine = fn === vmCode ? model.code?.vm : undefined;
    const kernel = model.code?.kernels.find((k) => k.name === fn);
    const part = machine ? { title: fn, hash: machine, lines: 0 } : kernel && { title: fn, hash: kernel.text, lines: kernel.lines };
    const key = `${stateOf(at)} ${fn} ${part?.hash ?? ""}`;
    if (!part) return { nothing: ["No code yet", model.finished ? "This run ended before code was generated." : "Code is generated after the last pass."], key };
    return { rows: (signal) => TextSource.open([part], "exact", signal), key, label: `${fn} after ${at.step?.name ?? "import"}`, origins: (find) => find.inFunction(model, fn, on.go) };
  },
  subject: ({ fn }) => (fn ? { step: codePath, function: fn === vmCode ? "main" : fn } : null),
});
