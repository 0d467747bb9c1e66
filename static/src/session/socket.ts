// Follows the log of a run over a websocket. A socket that closes before the end is opened again from the next event, with growing
// pauses; events that were already seen are dropped, so that the reader gets each exactly once and in order.

import { once, RequestError } from "../store/api";
import type { Follower } from "../store/stream";
import { endsLog } from "../store/model";
import type { WireEvent } from "../wire";

const pauses = [200, 500, 1000, 2000, 5000, 10000];

// many is how many events a log has that is long.
const many = 400;

export class Stream {
  private next = 0;
  private tries = 0;
  private socket: WebSocket | null = null;
  private timer = 0;
  private closed = false;
  private batch: WireEvent[] = [];

  // begun are the first events, where the page brought them along.
  constructor(private readonly run: string, private readonly follower: Follower, begun: WireEvent[] = []) {
    for (const event of begun) this.receive(event);
    this.flush();
    if (this.closed) return;
    if (begun.length > many) void this.catchUp();
    else this.connect();
    window.addEventListener("online", this.retry);
  }

  // catchUp reads a long log in large pieces as far as it has come; a message for each event would take several times as long.
  private async catchUp(): Promise<void> {
    while (!this.closed && (await this.ask()) > many);
    this.retry();
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    window.removeEventListener("online", this.retry);
    this.socket?.close();
  }

  private readonly retry = (): void => {
    if (this.closed || this.socket) return;
    window.clearTimeout(this.timer);
    this.connect();
  };

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const ws = new WebSocket(`${scheme}//${location.host}/runs/${this.run}/events?from=${this.next}`);
    this.socket = ws;
    let opened = false;
    ws.onopen = () => {
      opened = true;
      this.follower.onState("open", "");
    };
    ws.onmessage = (m: MessageEvent<string>) => this.receive(JSON.parse(m.data) as WireEvent);
    ws.onclose = (e) => {
      if (this.socket === ws) this.socket = null;
      this.flush();
      if (this.closed) return;
      if (e.code === 1000) {
        this.finish();
        return;
      }
      const pause = pauses[Math.min(this.tries++, pauses.length - 1)]!;
      this.follower.onState("waiting", `Connection lost; retrying${pause >= 1000 ? ` in ${pause / 1000} s` : ""}.`);
      this.timer = window.setTimeout(() => this.connect(), pause);
      if (!opened) void this.ask();
    };
  }

  // ask makes the request without a socket: a page is not told why a socket was refused. What comes is as good as from a socket.
  private async ask(): Promise<number> {
    try {
      const page = await once<{ events: WireEvent[] }>(`/runs/${this.run}/events?from=${this.next}`);
      for (const event of page.events) this.receive(event);
      return page.events.length;
    } catch (err) {
      if (err instanceof RequestError && !this.closed && !this.socket) this.follower.onState("waiting", `${err.message}; retrying`);
      return 0;
    }
  }

  private receive(event: WireEvent): void {
    if (event.seq < this.next || this.closed) return;
    this.next = event.seq + 1;
    this.tries = 0;
    // Events that arrive together are handled together, before the next frame; the first brings the tree and does not wait. Behind very
    // many, whose tree takes a while to walk over, they wait for more.
    if (this.batch.push(event) === 1 && event.seq > 0) window.setTimeout(() => this.flush(), event.seq > 5000 ? 250 : 0);
    if (event.seq === 0 || endsLog(event)) this.flush();
    if (endsLog(event)) this.finish();
  }

  private flush(): void {
    if (this.batch.length === 0 || this.closed) return;
    const events = this.batch;
    this.batch = [];
    this.follower.onEvents(events);
  }

  private finish(): void {
    if (this.closed) return;
    this.close();
    this.follower.onState("done", "");
  }
}
