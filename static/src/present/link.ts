// A websocket that stays open: one that is cut is opened again with growing pauses, or where the browser says that there is a network
// again, until the server says that there is no more.

const pauses = [500, 2000, 5000, 15_000];

export class Link<T> {
  private socket: WebSocket | null = null;
  private timer = 0;
  private tries = 0;
  private closed = false;

  // on.message is given each message; on.open is called when the link is there, and on.over when the server has ended it. What the server
  // says after a gap is all of it, so nothing is missed.
  constructor(private readonly path: string, private readonly on: { message(m: T): void; open?(): void; lost?(): void; over?(): void }) {
    this.connect();
    window.addEventListener("online", this.again);
  }

  // send sends a message where the link is there.
  send(message: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close(): void {
    this.end();
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.close(1000); // else it closes when it opens: browsers warn of less
  }

  private end(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    window.removeEventListener("online", this.again);
  }

  private readonly again = (): void => {
    if (this.socket) return;
    window.clearTimeout(this.timer);
    this.connect();
  };

  private connect(): void {
    const ws = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${this.path}`);
    this.socket = ws;
    ws.onopen = () => (this.closed ? ws.close(1000) : this.on.open?.());
    ws.onmessage = (m: MessageEvent<string>) => {
      this.tries = 0;
      if (!this.closed) this.on.message(JSON.parse(m.data) as T);
    };
    ws.onclose = (e) => {
      this.socket = null;
      if (this.closed) return;
      if (e.code === 1000) {
        this.end();
        this.on.over?.();
        return;
      }
      this.on.lost?.();
      this.timer = window.setTimeout(() => this.connect(), pauses[Math.min(this.tries++, pauses.length - 1)]);
    };
  }
}
