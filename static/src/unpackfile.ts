// The script that stands in an exported page as it is: it unpacks the file, and starts what comes out.

const wait = document.getElementById("wait")!;
const lies = document.getElementById("file")!;
document.currentScript?.remove();

// bytes reads Ascii85, in which five characters are four bytes, without its letter z, and with v for the character that begins a tag.
function bytes(text: string): Uint8Array<ArrayBuffer> {
  const whole = text + "u".repeat((5 - (text.length % 5)) % 5);
  const out = new DataView(new ArrayBuffer((whole.length / 5) * 4));
  for (let i = 0; i < whole.length; i += 5) {
    let group = 0;
    for (const c of whole.slice(i, i + 5)) group = group * 85 + (c === "v" ? "<" : c).charCodeAt(0) - 33;
    out.setUint32((i / 5) * 4, group);
  }
  return new Uint8Array(out.buffer, 0, Math.floor((text.length * 4) / 5));
}

async function unpack(): Promise<void> {
  const text = await new Response(new Blob([bytes(lies.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  // The first line is all but the cells, which are a line each.
  const [first = "", ...cells] = text.split("\n");
  const file = JSON.parse(first) as { style: string; theme: string; script: string };
  (globalThis as unknown as { irscope: object }).irscope = { ...file, cells };
  const add = (tag: "style" | "script", content: string): void => {
    const el = document.createElement(tag);
    el.textContent = content; // the policy of the page has its hash
    document.head.append(el);
    if (tag === "script") el.remove(); // it has run
  };
  lies.remove();
  add("script", file.theme);
  add("style", file.style);
  wait.remove();
  document.body.prepend(document.querySelector<HTMLTemplateElement>("#page")!.content);
  add("script", file.script);
}

unpack().catch((err: unknown) => {
  wait.textContent = `This page could not be unpacked: ${err instanceof Error ? err.message : String(err)}`;
});
