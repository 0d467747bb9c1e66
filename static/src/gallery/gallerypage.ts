// The page of the gallery: the visitor's sessions, uploads with drag and drop, a bar that shows how far they are, and errors in words.

import "../shared";
import { bytes } from "../store/format";
import { byId, later, setText } from "../widgets/dom";
import { keepDraft } from "../editing/draft";
import { startScript } from "../store/scripts";
import { mySessions } from "./sessions";

// expect has the browser fetch the scripts of the page that comes next, when it has nothing else to do.
function expect(): void {
  const next = document.querySelector<HTMLElement>("main")?.dataset.next ?? "";
  for (const href of next.split(" ").filter(Boolean)) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    link.setAttribute("fetchpriority", "low");
    document.head.append(link);
  }
}

export function open(): void {
  setTimeout(expect, 200);
  // The recorded run comes when the page is there.
  setTimeout(() => later(import("./livestrip"), (own) => new own.LiveStrip().play()), 50);
  if (document.getElementById("lessons")) later(import("../lesson/lessonspage"), (own) => own.open());
  const model = byId<HTMLFormElement>("upload");
  const send = uploader(model);
  const archive = uploader(byId<HTMLFormElement>("import"));
  const folder = byId<HTMLInputElement>("folder-files");
  byId("choose-folder").hidden = false;
  byId("choose-folder").addEventListener("click", () => folder.click());
  folder.addEventListener("change", () => {
    send(folder.files, [], true);
    folder.value = ""; // the same folder may be chosen again
  });
  mySessions();
  const palette = (): void => later(import("./commands"), (own) => own.openCommands(), "The palette");
  document.getElementById("search-button")!.addEventListener("click", palette);
  document.addEventListener("keydown", (e) => {
    if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector("dialog[open]")) return;
    e.preventDefault();
    palette();
  });

  // A file may be dropped anywhere on the page; the frame shows where it goes.
  let depth = 0;
  const holdsFile = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragenter", (e) => {
    if (!holdsFile(e)) return;
    depth++;
    model.classList.add("over");
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) model.classList.remove("over");
  });
  document.addEventListener("dragover", (e) => {
    if (holdsFile(e)) e.preventDefault();
  });
  document.addEventListener("drop", (e) => {
    if (!holdsFile(e)) return;
    e.preventDefault();
    depth = 0;
    model.classList.remove("over");
    const { files, items } = e.dataTransfer!;
    const entries = [...items].map((item) => item.webkitGetAsEntry());
    if (files.length === 1 && isArchive(files[0]!)) void import("./dumpfile").then(async (own) => ((await own.isDump(files[0]!)) ? send(files) : archive(files)));
    else send(files, entries);
  });
}

// uploader lets a form send a file; what it returns sends another one.
function uploader(form: HTMLFormElement): (files: FileList | null, entries?: (FileSystemEntry | null)[], folder?: boolean) => void {
  const part = <T extends HTMLElement>(selector: string): T => form.querySelector<T>(selector)!;
  const input = part<HTMLInputElement>("input[type=file]");
  const error = part(".drop-error");
  const progress = part(".drop-progress");
  const bar = part<HTMLProgressElement>("progress");
  const max = Number(form.dataset.max) || Infinity;
  const archives = form.id === "import";
  part("[type=submit]").hidden = true; // what is chosen is sent at once
  let sending: XMLHttpRequest | null = null;

  const fail = (message: string): void => {
    setText(error, message);
    error.hidden = false;
    progress.hidden = true;
    form.classList.remove("busy");
    sending = null;
    input.value = "";
  };

  // sendText starts a session from a text; one with errors opens in the editor.
  const sendText = async (file: File): Promise<void> => {
    const most = Number(form.dataset.maxText);
    if (!most) return fail("This server does not accept module text.");
    if (file.size > most) return fail(`${file.name} is ${bytes(file.size)}; the limit for text is ${bytes(most)}.`);
    try {
      const text = await file.text();
      const out = await startScript({ kind: "tvmscript", source: text, name: file.name });
      if ("session" in out) location.assign(`/s/${out.session}`);
      else if (keepDraft(file.name, text)) location.assign("/new");
      else fail(out.message);
    } catch (err) {
      fail(err instanceof Error ? err.message : String(err));
    }
  };

  const send = (file: File): void => {
    if (sending) return;
    error.hidden = true;
    if (file.size === 0) return fail(`${file.name} is empty.`);
    if (!archives && !/\.(onnx|json|py|tvmscript|relay)$/i.test(file.name)) return void sendOther(file);
    if (file.size > max) return fail(`${file.name} is ${bytes(file.size)}; the limit is ${bytes(max)}.${archives ? "" : ` The command line has none: irscope run ${file.name}`}`);
    if (!archives && /\.(py|tvmscript)$/i.test(file.name)) return void sendText(file);
    if (archives && !isArchive(file)) return fail(`${file.name} is not a session export (.zip).`);
    const body = new FormData();
    body.set("model", file, file.name);
    upload("/api/sessions", body, file.size);
  };

  // sendOther sends what its name does not tell: the output of another compiler, or the text of a module.
  const sendOther = async (file: File): Promise<void> => {
    try {
      const own = await import("./dumpfile");
      if (await own.isDump(file)) await own.sendDump(file, (url, session) => upload(url, file, file.size, session));
      else if (/\.txt$/i.test(file.name)) await sendText(file);
      else fail(`${file.name} is neither a model (.onnx), nor module text (.py, .txt, .tvmscript, .relay, .json), nor what another compiler printed of its passes.`);
    } catch (err) {
      fail(err instanceof Error ? err.message : String(err));
    }
  };

  // upload sends a body and opens the session that comes of it.
  const upload = (url: string, body: FormData | File, size: number, session = ""): void => {
    const req = new XMLHttpRequest();
    sending = req;
    form.classList.add("busy");
    progress.hidden = false;
    req.upload.onprogress = (e) => {
      const share = e.lengthComputable ? e.loaded / e.total : 0;
      bar.value = share * 100;
      setText(part(".drop-percent"), share < 1 ? `${Math.round(share * 100)} % of ${bytes(size)}` : "Reading the file…");
    };
    req.onload = () => {
      const answer = parse(req.responseText);
      const id = answer.session?.id ?? session;
      // What is no dump has no row: the reader stays here.
      if (answer.error?.message && req.status < 300 && (answer.run?.events ?? 0) < 2) fail(answer.error.message);
      else if (req.status < 300 && id) location.assign(`/s/${id}`);
      else fail(answer.error?.message ?? `The server responded with ${req.status}.`);
    };
    req.onerror = () => fail("The upload was interrupted. Is the server still running?");
    req.onabort = () => fail("The upload was canceled.");
    req.open("POST", url);
    req.setRequestHeader("Accept", "application/json");
    req.send(body);
  };

  input.addEventListener("change", () => sendAll(input.files));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    sendAll(input.files);
  });
  part(".drop-cancel").addEventListener("click", () => sending?.abort());
  // sendAll sends a file, or several as the dump of another compiler.
  const sendAll = (files: FileList | null, entries: (FileSystemEntry | null)[] = [], folder = entries.some((e) => e?.isDirectory)): void => {
    if (archives && files && files.length > 1) fail("Drop one file at a time.");
    else if (files && (files.length > 1 || folder)) void sendFolder(entries, [...files]);
    else if (files?.[0]) send(files[0]);
  };
  const sendFolder = async (entries: (FileSystemEntry | null)[], files: File[]): Promise<void> => {
    try {
      const own = await import("./dumpfile");
      const file = await own.packed(entries, files);
      if (!file) fail("The folder has no file.");
      else await own.sendDump(file, (url, session) => upload(url, file, file.size, session));
    } catch (err) {
      fail(err instanceof Error ? err.message : String(err));
    }
  };
  return sendAll;
}

function isArchive(file: File): boolean {
  return /\.zip$/i.test(file.name);
}

interface Answer {
  session?: { id?: string };
  run?: { events?: number };
  error?: { message?: string };
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}
