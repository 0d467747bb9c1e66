// The script that stands in an exported page as it is: it unpacks the file, and starts what comes out.

const wait = document.getElementById("wait")!;
const lies = document.getElementById("file")!;
document.currentScript?.remove();

async function unpack(): Promise<void> {
  const packed = Uint8Array.from(atob(lies.textContent), (c) => c.charCodeAt(0));
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
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
