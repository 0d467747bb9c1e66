// The page of the gallery: the visitor's sessions, uploads with drag and drop, a bar that shows how far they are, and errors in words.

import "../shared";
import { bytes } from "../store/format";
import { byId, setText } from "../widgets/dom";
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
  const model = byId<HTMLFormElement>("upload");
  const send = uploader(model);
  const archive = uploader(byId<HTMLFormElement>("import"));
  mySessions();

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
    const files = e.dataTransfer?.files;
    if (files?.length === 1 && isArchive(files[0]!)) archive(files);
    else send(files);
  });
}

// uploader lets a form send a file; what it returns sends another one.
function uploader(form: HTMLFormElement): (files: FileList | null | undefined) => void {
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
    if (file.size > max) return fail(`${file.name} is ${bytes(file.size)}; the limit is ${bytes(max)}.`);
    if (!archives && /\.(py|txt|tvmscript)$/i.test(file.name)) return void sendText(file);
    if (archives && !isArchive(file)) return fail(`${file.name} is not a session export (.zip).`);
    if (!archives && !/\.(onnx|json)$/i.test(file.name)) return fail(`${file.name} is neither a model (.onnx) nor module text (.py, .txt, .tvmscript, .json).`);
    const body = new FormData();
    body.set("model", file, file.name);
    const req = new XMLHttpRequest();
    sending = req;
    form.classList.add("busy");
    progress.hidden = false;
    req.upload.onprogress = (e) => {
      const share = e.lengthComputable ? e.loaded / e.total : 0;
      bar.value = share * 100;
      setText(part(".drop-percent"), share < 1 ? `${Math.round(share * 100)} % of ${bytes(file.size)}` : "Reading the file…");
    };
    req.onload = () => {
      const answer = parse(req.responseText);
      if (req.status === 201 && answer.session?.id) location.assign(`/s/${answer.session.id}`);
      else fail(answer.error?.message ?? `The server responded with ${req.status}.`);
    };
    req.onerror = () => fail("The upload was interrupted. Is the server still running?");
    req.onabort = () => fail("The upload was canceled.");
    req.open("POST", "/api/sessions");
    req.setRequestHeader("Accept", "application/json");
    req.send(body);
  };

  input.addEventListener("change", () => sendAll(input.files));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    sendAll(input.files);
  });
  part(".drop-cancel").addEventListener("click", () => sending?.abort());
  const sendAll = (files: FileList | null | undefined): void => {
    if (files && files.length > 1) fail("Drop one file at a time.");
    else if (files?.[0]) send(files[0]);
  };
  return sendAll;
}

function isArchive(file: File): boolean {
  return /\.zip$/i.test(file.name);
}

function parse(text: string): { session?: { id?: string }; error?: { message?: string } } {
  try {
    return JSON.parse(text) as { session?: { id?: string }; error?: { message?: string } };
  } catch {
    return {};
  }
}
