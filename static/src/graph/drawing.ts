// The drawing of a graph as the server sends it, and what its elements say.

export interface Drawing {
  name: string;
  form: "dataflow" | "loops";
  diff: boolean;
  nodes: number;
  added: number;
  removed: number;
  changed: number;
  folded: number;
  width: number;
  height: number;
  svg: string;
  minimap: string;
  // near is the node around which the graph is drawn; absent where all of it is.
  near?: string;
  groups?: Group[];
}

// Group is a group of nodes that can be folded into one.
export interface Group {
  id: string;
  label: string;
  folded?: boolean;
}

// directions are the ways that the arrow keys lead.
export const directions: Record<string, [number, number]> = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };

// lineOf is the line of a node in the text after the pass, 0 if it has none there.
export function lineOf(node: SVGGElement): number {
  return node.dataset.mark === "removed" ? 0 : Number(node.dataset.line ?? 0);
}

// lineBefore is the line of a node in the text before the pass, 0 if it has none there. Without a diff both texts are one.
export function lineBefore(node: SVGGElement, diff: boolean): number {
  return Number((diff && node.dataset.mark !== "removed" ? node.dataset.wasLine : node.dataset.line) ?? 0);
}

// indexOf is the index of the node that an event is about, -1 for none.
export function indexOf(target: EventTarget | null): number {
  const node = (target as Element | null)?.closest<SVGGElement>(".g-node");
  return node ? Number(node.dataset.index) : -1;
}

// parse makes a drawing of its text, as XML: nothing in it runs.
export function parse(text: string): SVGSVGElement {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg") throw new Error("the graph drawing could not be read; see the text instead");
  return document.adoptNode(root) as unknown as SVGSVGElement;
}
