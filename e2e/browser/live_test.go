package browser

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture"
)

// gates hold a run at named passes until they are opened.
type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (g *gates) hold(pass string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[pass] // nil where the pass is not held: it is passed over by the runner
}

// release lets a pass go on, in this run and all later ones.
func (g *gates) release(pass string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open[pass])
	delete(g.open, pass)
}

// holding returns gates at the given passes; they all open when the test ends.
func holding(t *testing.T, passes ...string) *gates {
	g := &gates{open: map[string]chan struct{}{}}
	for _, pass := range passes {
		g.open[pass] = make(chan struct{})
	}
	t.Cleanup(func() {
		for _, pass := range passes {
			if g.hold(pass) != nil {
				g.release(pass)
			}
		}
	})
	return g
}

// TestTreeFillsIn holds the compiler in the middle: what is done is on the page, what runs is marked, the rest waits.
func TestTreeFillsIn(t *testing.T) {
	t.Parallel()
	g := holding(t, "FuseTIR", "KillAfterLastUse")
	p := visit(t, serve(t, &fixture.Runner{Hold: g.hold}), 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(`document.querySelector("#run-state-text").textContent.includes("FuseTIR")`)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.textContent === "⟳"`, row("1.9/FuseTIR")+" .glyph"))
	p.click("#only-changed")
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.textContent === "·"`, row("2.3/CallTIRRewrite")+" .glyph"))
	if got := p.text(row("1.6/AnnotateTIROpPattern") + " .glyph"); got != "○" {
		t.Errorf("a pass that changed nothing has the mark %q", got)
	}
	if eval[bool](p, `document.querySelector("#cancel").hidden`) {
		t.Error("a run that goes on cannot be canceled")
	}
	g.release("FuseTIR")
	p.wait(`document.querySelector("#run-state-text").textContent.includes("KillAfterLastUse")`)
	g.release("KillAfterLastUse")
	p.wait(done)
	p.timeline()
	p.wait(`document.querySelectorAll("#timeline-body .bar").length > 10 && document.querySelectorAll("#timeline-body .lane").length > 2`)
}

// TestCancel stops a run that would never end, and starts another.
func TestCancel(t *testing.T) {
	t.Parallel()
	g := holding(t, "FuseTIR")
	p := visit(t, serve(t, &fixture.Runner{Hold: g.hold}), 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(`document.querySelector("#run-state-text").textContent.includes("FuseTIR")`)
	p.click("#cancel")
	p.wait(`document.querySelector("#run-state-text").textContent.startsWith("Canceled")`)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	g.release("FuseTIR")
	p.click("#run")
	p.wait(done)
}

// TestReconnect cuts the connection in the middle of a run; the page must say so, come back, and miss nothing.
func TestReconnect(t *testing.T) {
	t.Parallel()
	g := holding(t, "FuseTIR", "KillAfterLastUse")
	line := splice(t, serve(t, &fixture.Runner{Hold: g.hold}))
	p := visit(t, line.url, 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(`document.querySelector("#run-state-text").textContent.includes("FuseTIR")`)
	line.set(false)
	p.wait(`document.querySelector("#run-state-text").textContent.includes("Connection lost")`)
	g.release("FuseTIR")
	line.set(true)
	p.wait(`document.querySelector("#run-state-text").textContent.includes("KillAfterLastUse")`)
	g.release("KillAfterLastUse")
	p.wait(done)
	p.click("#only-changed")
	p.wait(`document.querySelectorAll(".row").length > 18`)
	if n := eval[int](p, `[...document.querySelectorAll(".row")].filter(x => [..."·⟳"].includes(x.querySelector(".glyph").textContent)).length`); n != 0 {
		t.Errorf("%d steps never ended on the page", n)
	}
	p.expectFaults("WebSocket connection", "ERR_")
}

// wire is a connection to a server that can be cut.
type wire struct {
	url string

	mu    sync.Mutex
	up    bool
	to    string // host of the server
	conns []net.Conn
	// delay is added to each piece that goes over the wire, and cut is the number of bytes after which a connection breaks; 0 for never.
	delay time.Duration
	cut   int64
}

// splice listens on a port of its own and passes everything on to the server while the wire is up.
func splice(t *testing.T, target string) *wire {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: "http://" + listener.Addr().String(), up: true, to: to.Host}
	t.Cleanup(func() {
		_ = listener.Close()
		w.set(false)
	})
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			w.connect(in)
		}
	}()
	return w
}

func (w *wire) connect(in net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.up {
		_ = in.Close()
		return
	}
	out, err := net.Dial("tcp", w.to)
	if err != nil {
		_ = in.Close()
		return
	}
	w.conns = append(w.conns, in, out)
	delay, left := w.delay, w.cut
	pipe := func(a, b net.Conn, left int64) {
		defer func() {
			_ = a.Close()
			_ = b.Close()
		}()
		if left == 0 {
			_, _ = io.Copy(a, b)
			return
		}
		buf := make([]byte, 4<<10)
		for left > 0 {
			n, err := b.Read(buf)
			time.Sleep(delay) // this is what a slow line is
			if _, werr := a.Write(buf[:n]); err != nil || werr != nil {
				return
			}
			left -= int64(n)
		}
	}
	go pipe(in, out, left)
	go pipe(out, in, 0)
}

// move has the wire lead to another server from the next connection on.
func (w *wire) move(target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = strings.TrimPrefix(target, "http://")
}

// set puts the wire up or cuts it, with all that goes over it.
func (w *wire) set(up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up = up
	if !up {
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.conns = nil
	}
}

// expectFaults says that messages which contain one of the parts are no faults, however late they come: a cut connection is told on the
// console.
func (p *page) expectFaults(parts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, parts...)
}
