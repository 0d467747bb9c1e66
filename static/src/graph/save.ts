// A drawing as a file: what is seen, with the colours of the theme written into it, so that it needs no style sheet.

// styles are the properties that the style sheet gives to shapes and to texts, under the names of SVG's attributes, with the values that
// are left out.
const styles: [string, string][] = [
  ["fill", ""], ["fill-opacity", "1"], ["stroke", "none"], ["stroke-width", ""], ["stroke-dasharray", "none"],
];
const textStyles: [string, string][] = [
  ["fill", ""], ["font-size", ""], ["font-weight", "400"], ["text-anchor", "start"], ["text-decoration-line", "none"],
];
const fonts = '"JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
// What may say where something stands, or what it is to a script, and is of no use in a file.
const kept = new Set(["d", "x", "y", "width", "height", "rx", "cx", "cy", "r", "transform", "viewBox", "xmlns"]);
// A picture has at most so many pixels, which all browsers can draw.
const mostPixels = 16_000_000;
const longest = 8192;
const margin = 12;

// svgFile returns a drawing as a file. It must be in the page, where its styles are known.
export function svgFile(svg: SVGSVGElement, width: number, height: number, title: string): string {
  const out = svg.cloneNode(true) as SVGSVGElement;
  copy(svg, out);
  for (const el of out.querySelectorAll("title")) if (!el.textContent) el.remove();
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  for (const [name, value] of Object.entries({ width: width + 2 * margin, height: height + 2 * margin, viewBox: box, "font-family": fonts })) out.setAttribute(name, String(value));
  const ground = document.createElementNS(out.namespaceURI, "rect") as SVGRectElement;
  for (const [name, value] of Object.entries({ x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin, fill: groundOf(svg) })) ground.setAttribute(name, String(value));
  const name = document.createElementNS(out.namespaceURI, "title") as SVGTitleElement;
  name.textContent = title;
  out.prepend(name, ground);
  return new XMLSerializer().serializeToString(out);
}

// copy writes the styles of an element and of all in it into its copy.
function copy(from: Element, to: Element): void {
  const { localName } = from;
  const now = getComputedStyle(from);
  if (now.display === "none") return to.remove();
  for (const { name } of [...to.attributes]) if (!kept.has(name)) to.removeAttribute(name);
  if (localName === "text" || localName === "path" || localName === "rect" || localName === "circle") {
    for (const [name, usual] of localName === "text" ? textStyles : styles) {
      const value = now.getPropertyValue(name);
      if (value && value !== usual) to.setAttribute(name === "text-decoration-line" ? "text-decoration" : name, value);
    }
  }
  if (now.opacity !== "1") to.setAttribute("opacity", now.opacity);
  const parts = [...to.children];
  [...from.children].forEach((el, i) => copy(el, parts[i]!));
}

// groundOf is the colour that a drawing stands on.
function groundOf(el: Element): string {
  for (let at: Element | null = el; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (backgroundColor !== "transparent" && !backgroundColor.endsWith(", 0)")) return backgroundColor;
  }
  return getComputedStyle(document.body).backgroundColor;
}

// scaleOf is how many pixels of a picture a pixel of the drawing becomes: two, or fewer where the picture would be too large.
export function scaleOf(width: number, height: number): number {
  return Math.min(2, longest / Math.max(width, height), Math.sqrt(mostPixels / (width * height)));
}

// pngFile draws a file of svgFile as a picture.
export async function pngFile(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = scaleOf(width + 2 * margin, height + 2 * margin);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round((width + 2 * margin) * scale);
  canvas.height = Math.round((height + 2 * margin) * scale);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((give) => canvas.toBlob(give, "image/png"));
  if (!blob) throw new Error("the browser could not make a picture of this size; save the drawing as SVG");
  return blob;
}

// save hands a file to the reader.
export function save(file: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(file);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
}
