// The gallery: uploads with drag and drop, a bar that shows how far they are, and errors in words.

import { bytes } from "./format";
import { byId, setText } from "./dom";
import { keepDraft, startScript } from "./scripts";

export function gallery(): void {
  const form = byId<HTMLFormElement>("upload");
  const input = byId<HTMLInputElement>("model-file");
  const error = byId("upload-error");
  const progress = byId("upload-progress");
  const bar = progress.querySelector("progress")!;
  const max = Number(form.dataset.max) || Infinity;
  let sending: XMLHttpRequest | null = null;

  const fail = (message: string): void => {
    setText(error, message);
    error.hidden = false;
    progress.hidden = true;
    form.classList.remove("busy");
    sending = null;
    input.value = "";
  };

  // sendText starts a session from a text; one with mistakes opens in the editor.
  const sendText = async (file: File): Promise<void> => {
    const most = Number(form.dataset.maxText);
    if (!most) return fail("This server takes no texts of modules.");
    if (file.size > most) return fail(`${file.name} has ${bytes(file.size)}; the limit for texts is ${bytes(most)}.`);
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
    if (file.size > max) return fail(`${file.name} has ${bytes(file.size)}; the limit is ${bytes(max)}.`);
    if (/\.(py|txt|tvmscript)$/i.test(file.name)) return void sendText(file);
    if (!/\.(onnx|json)$/i.test(file.name)) return fail(`${file.name} is neither a model (.onnx) nor a text of a module (.py, .txt, .tvmscript, .json).`);
    const body = new FormData();
    body.set("model", file, file.name);
    const req = new XMLHttpRequest();
    sending = req;
    form.classList.add("busy");
    progress.hidden = false;
    req.upload.onprogress = (e) => {
      const share = e.lengthComputable ? e.loaded / e.total : 0;
      bar.value = share * 100;
      setText(byId("upload-percent"), share < 1 ? `${Math.round(share * 100)} % of ${bytes(file.size)}` : "Reading the model…");
    };
    req.onload = () => {
      const answer = parse(req.responseText);
      if (req.status === 201 && answer.session?.id) location.assign(`/s/${answer.session.id}`);
      else fail(answer.error?.message ?? `The server answered ${req.status}.`);
    };
    req.onerror = () => fail("The upload broke off. Is the server still running?");
    req.onabort = () => fail("The upload was cancelled.");
    req.open("POST", "/api/sessions");
    req.setRequestHeader("Accept", "application/json");
    req.send(body);
  };

  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) send(file);
  });
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const file = input.files?.[0];
    if (file) send(file);
  });
  byId("upload-cancel").addEventListener("click", () => sending?.abort());

  // A file may be dropped anywhere on the page; the frame shows where it goes.
  let depth = 0;
  const holdsFile = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragenter", (e) => {
    if (!holdsFile(e)) return;
    depth++;
    form.classList.add("over");
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) form.classList.remove("over");
  });
  document.addEventListener("dragover", (e) => {
    if (holdsFile(e)) e.preventDefault();
  });
  document.addEventListener("drop", (e) => {
    if (!holdsFile(e)) return;
    e.preventDefault();
    depth = 0;
    form.classList.remove("over");
    const files = e.dataTransfer?.files;
    if (files && files.length > 1) fail("Drop one file at a time.");
    else if (files?.[0]) send(files[0]);
  });
}

function parse(text: string): { session?: { id?: string }; error?: { message?: string } } {
  try {
    return JSON.parse(text) as { session?: { id?: string }; error?: { message?: string } };
  } catch {
    return {};
  }
}
