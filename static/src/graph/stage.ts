// The stage of a graph: it scrolls, is dragged and zoomed, and has a map of the whole in its corner.

import { perFrame, s } from "../widgets/dom";
import type { GraphWindow } from "../wire";

const least = 0.05;
const most = 4;
// The first view is not smaller than this, so that text can be read.
const readable = 0.75;
// The map is not larger than this, nor than these parts of the stage.
const mapWidth = 150;
const mapHeight = 190;
const mapPart = { width: 0.2, height: 0.45 };

export class Stage {
  // dragged tells that the pointer has just moved the graph, so that its click means nothing.
  dragged = false;
  private svg: SVGSVGElement | null = null;
  private frame: SVGRectElement | null = null;
  private width = 1;
  private height = 1;
  private zoom = 1;
  private chosen = false;
  private readonly drawMap = perFrame(() => this.mapFrame());
  // fresh tells that another drawing is shown, which nobody was told of yet.
  private fresh = false;

  constructor(private readonly box: HTMLElement, private readonly map: HTMLElement, private readonly zoomed: (zoom: number) => void) {
    box.addEventListener("scroll", this.drawMap, { passive: true });
    new ResizeObserver(this.drawMap).observe(box);
    box.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.zoomTo(this.zoom * Math.exp(-e.deltaY * 0.0025), e.clientX, e.clientY);
    }, { passive: false });
    box.addEventListener("look", (e) => this.look((e as CustomEvent<GraphWindow>).detail));
    box.addEventListener("pointerdown", (e) => this.drag(e));
    map.addEventListener("pointerdown", (e) => {
      this.jump(e);
      const move = (m: PointerEvent): void => this.jump(m);
      map.setPointerCapture(e.pointerId);
      map.addEventListener("pointermove", move);
      map.addEventListener("lostpointercapture", () => map.removeEventListener("pointermove", move), { once: true });
      e.preventDefault();
    });
  }

  // drawing is what is shown.
  get drawing(): SVGSVGElement | null {
    return this.svg;
  }

  show(svg: SVGSVGElement, map: SVGSVGElement, width: number, height: number): void {
    this.svg = svg;
    this.fresh = true;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    const { clientWidth, clientHeight } = this.box;
    const scale = Math.min(Math.min(mapWidth, clientWidth * mapPart.width) / this.width, Math.min(mapHeight, clientHeight * mapPart.height) / this.height);
    map.setAttribute("width", String(Math.max(12, this.width * scale)));
    map.setAttribute("height", String(Math.max(12, this.height * scale)));
    map.setAttribute("preserveAspectRatio", "none");
    this.frame = s("rect", { class: "g-window" });
    map.append(this.frame);
    this.map.replaceChildren(map);
    if (!this.chosen) this.zoom = Math.max(readable, Math.min(1, (clientWidth - 40) / this.width));
    this.apply();
    this.box.replaceChildren(svg); // when its size is set: the layout of texts takes long
    this.box.scrollTo((this.box.scrollWidth - this.box.clientWidth) / 2, 0);
  }

  fit(): void {
    this.zoomTo(Math.min(1, (this.box.clientWidth - 32) / this.width, (this.box.clientHeight - 32) / this.height));
  }

  zoomBy(factor: number): void {
    this.zoomTo(this.zoom * factor);
  }

  // zoomTo keeps what is at a point of the window where it is; without one, the middle of the stage.
  zoomTo(zoom: number, x?: number, y?: number): void {
    if (!this.svg) return;
    const stage = this.box.getBoundingClientRect();
    x ??= stage.left + stage.width / 2;
    y ??= stage.top + stage.height / 2;
    const old = this.svg.getBoundingClientRect();
    const fx = (x - old.left) / old.width;
    const fy = (y - old.top) / old.height;
    this.zoom = Math.max(least, Math.min(most, zoom));
    this.chosen = true;
    this.apply();
    const now = this.svg.getBoundingClientRect();
    this.box.scrollLeft += now.left + fx * now.width - x;
    this.box.scrollTop += now.top + fy * now.height - y;
  }

  // look shows a part of the drawing as a whole, no larger than it is shown to somebody else.
  private look(to: GraphWindow): void {
    const { box } = this;
    if (!this.svg || box.clientWidth === 0) return;
    this.zoomTo(Math.min(to.zoom, box.clientWidth / (to.w * this.width), box.clientHeight / (to.h * this.height)));
    const r = this.svg.getBoundingClientRect();
    const stage = box.getBoundingClientRect();
    box.scrollLeft += r.left + (to.x + to.w / 2) * r.width - stage.left - box.clientWidth / 2;
    box.scrollTop += r.top + (to.y + to.h / 2) * r.height - stage.top - box.clientHeight / 2;
  }

  // center brings a node into the middle, unless all of it is in view with room around it.
  center(node: SVGGElement): void {
    const r = node.getBoundingClientRect();
    const stage = this.box.getBoundingClientRect();
    const room = 24;
    if (r.left < stage.left + room || r.right > stage.left + this.box.clientWidth - room) {
      this.box.scrollLeft += r.left + r.width / 2 - stage.left - this.box.clientWidth / 2;
    }
    if (r.top < stage.top + room || r.bottom > stage.top + this.box.clientHeight - room) {
      this.box.scrollTop += r.top + r.height / 2 - stage.top - this.box.clientHeight / 2;
    }
  }

  // place is the middle of a node in the drawing.
  place(node: SVGGElement): { x: number; y: number } {
    const m = node.transform.baseVal.getItem(0).matrix;
    const shape = node.querySelector<SVGPathElement>(".g-shape")!.getBBox();
    return { x: m.e + shape.width / 2, y: m.f + shape.height / 2 };
  }

  private apply(): void {
    this.svg?.setAttribute("width", String(this.width * this.zoom));
    this.svg?.setAttribute("height", String(this.height * this.zoom));
    this.zoomed(this.zoom);
    this.drawMap();
  }

  // drag moves the graph with the mouse; fingers scroll it anyway.
  private drag(e: PointerEvent): void {
    this.dragged = false;
    if (e.button !== 0 || e.pointerType === "touch") return;
    const { clientX, clientY } = e;
    const { scrollLeft, scrollTop } = this.box;
    const move = (m: PointerEvent): void => {
      const dx = m.clientX - clientX;
      const dy = m.clientY - clientY;
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      if (!this.dragged) this.box.setPointerCapture(e.pointerId);
      this.dragged = true;
      this.box.classList.add("dragging");
      this.box.scrollLeft = scrollLeft - dx;
      this.box.scrollTop = scrollTop - dy;
    };
    const stop = (): void => {
      this.box.classList.remove("dragging");
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  private jump(e: PointerEvent): void {
    const r = this.map.firstElementChild?.getBoundingClientRect();
    const svg = this.svg?.getBoundingClientRect();
    if (!r || !svg) return;
    const stage = this.box.getBoundingClientRect();
    this.box.scrollLeft += svg.left + ((e.clientX - r.left) / r.width) * svg.width - stage.left - this.box.clientWidth / 2;
    this.box.scrollTop += svg.top + ((e.clientY - r.top) / r.height) * svg.height - stage.top - this.box.clientHeight / 2;
  }

  // mapFrame marks on the map what is in view. Where all is, there is no map.
  private mapFrame(): void {
    if (!this.svg || !this.frame || this.box.clientWidth === 0) return;
    const r = this.svg.getBoundingClientRect();
    const stage = this.box.getBoundingClientRect();
    const x = Math.max(0, (stage.left - r.left) / this.zoom);
    const y = Math.max(0, (stage.top - r.top) / this.zoom);
    const w = Math.min(this.width - x, this.box.clientWidth / this.zoom);
    const h = Math.min(this.height - y, this.box.clientHeight / this.zoom);
    this.map.hidden = w >= this.width - 1 && h >= this.height - 1;
    for (const [name, value] of Object.entries({ x, y, width: Math.max(0, w), height: Math.max(0, h) })) this.frame.setAttribute(name, String(value));
    this.tell({ x: x / this.width, y: y / this.height, w: w / this.width, h: h / this.height, zoom: this.zoom });
  }

  // tell says in data-window what is in view, and in an event that another part is.
  private tell(now: GraphWindow): void {
    if (now.w <= 0 || now.h <= 0) return;
    const text = JSON.stringify(now, (_, v: unknown) => (typeof v === "number" ? Math.round(v * 1e4) / 1e4 : v));
    if (text === this.box.dataset.window && !this.fresh) return;
    this.box.dataset.window = text;
    this.box.dispatchEvent(new CustomEvent("moved", { bubbles: true, detail: { fresh: this.fresh } }));
    this.fresh = false;
  }
}
