// Files with what another compiler printed of its passes. They may be large: the server makes a session, and reads while they come. Several
// files, or a folder, are sent as one tar archive, which is made here.

import "../shared";
import { post } from "../store/api";

// A line that begins a dump, in one of the formats that the server reads; see instruments/dumps.
const begins = /^(?:\x1b\[[\d;]*m)*(?:(?:[;#] ?)?\*{3} IR (?:Dump|Pass|Deleted) |\/\/ -----\/\/ IR Dump |(?:Before|After) Running Pass: |Print IR (?:before|after)|\*{3} Begin (?:\d+\.)?module_\d{4,}\.|<title>SSA Display for |commit [0-9a-f]{40}(?:[0-9a-f]{24})?(?: |$))/m;

// What is hidden is left out, except the folder that the traces of TileLang are in.
const hidden = /(?:^|\/)\.(?!run_records(?:\/|$))/;

// head is how many bytes of a file are looked at, most how many files a folder may have.
const head = 1 << 20;
const most = 20_000;
const tooMany = `The folder has more than ${most} files.`;

// isDump tells whether a file has passes in it, or is an archive that may; an exported session is none.
export async function isDump(file: File): Promise<boolean> {
  if (/\.(?:tar|tgz|gz)$/i.test(file.name)) return true;
  if (/\.zip$/i.test(file.name)) return !/session\.json[^]*manifest\.json|manifest\.json[^]*session\.json/.test(await file.slice(-head).text());
  return begins.test(await file.slice(0, head).text());
}

// sendDump makes a session for a file and has it sent there.
export async function sendDump(file: File, send: (url: string, session: string) => void): Promise<void> {
  const { session, run } = await post<{ session: { id: string }; run: { id: string } }>("/api/dumps", { name: file.name });
  send(`/api/runs/${run.id}/dump`, session.id);
}

// Named is a file with its path.
interface Named {
  path: string;
  file: File;
}

// packed returns the files of a folder, or several files, as one archive; null where there is none. What was dropped comes as entries,
// what was chosen as files, which have their path if they were chosen as a folder.
export async function packed(entries: (FileSystemEntry | null)[], files: File[]): Promise<File | null> {
  let found: Named[] = [];
  for (const e of entries) if (e) await walk(e, found);
  if (entries.length === 0) found = files.map((file) => ({ path: file.webkitRelativePath || file.name, file })).filter(({ path }) => !hidden.test(path));
  if (found.length > most) throw new Error(tooMany);
  const folder = /^([^/]+)\//.exec(found[0]?.path ?? "")?.[1];
  return found.length > 0 ? new File(tar(found), folder ?? "files") : null;
}

// walk lists the files below an entry.
async function walk(e: FileSystemEntry, out: Named[]): Promise<void> {
  if (hidden.test(e.name)) return;
  if (e.isFile) {
    if (out.length >= most) throw new Error(tooMany);
    const file = await new Promise<File>((done, fail) => (e as FileSystemFileEntry).file(done, fail));
    out.push({ path: e.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (e as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return;
    for (const x of some) await walk(x, out);
  }
}

// tar packs files in the format of POSIX.1-2001 (pax): names may have any length, as those of XLA do.
function tar(files: Named[]): BlobPart[] {
  const out: BlobPart[] = [];
  const add = (path: string, content: Blob, kind: string): number => out.push(header(path, content.size, kind), content, new Uint8Array((512 - (content.size % 512)) % 512));
  for (const { path, file } of files) {
    if (new TextEncoder().encode(path).length > 99) add("path", new Blob([record(`path=${path}\n`)]), "x");
    add(path, file, "0");
  }
  out.push(new Uint8Array(1024));
  return out;
}

// record returns a record of an extended header: its own length in bytes with the digits of that, a blank, and the text.
function record(text: string): string {
  const rest = new TextEncoder().encode(text).length + 1;
  let size = rest + `${rest}`.length;
  size = rest + `${size}`.length;
  return `${size} ${text}`;
}

function header(path: string, size: number, kind: string): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(512);
  const put = (at: number, text: string, room: number): void => void out.set(new TextEncoder().encode(text).subarray(0, room), at);
  put(0, path, 99);
  put(100, "0000644\0", 8);
  put(124, `${size.toString(8).padStart(11, "0")}\0`, 12);
  put(136, "00000000000\0", 12);
  put(148, "        ", 8);
  put(156, kind, 1);
  put(257, "ustar\0", 6);
  put(263, "00", 2);
  put(148, `${out.reduce((sum, b) => sum + b, 0).toString(8).padStart(6, "0")}\0 `, 8);
  return out;
}
