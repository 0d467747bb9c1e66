package browser

import (
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/web/store"
)

// watchTruth has the page note each moment in which rows of one setting stand beside the tick of another and the tree does not say that
// its rows are stale. The pass that is turned off is FuseTIR.
const watchTruth = `(() => {
	window.__mixed = [];
	const look = () => {
		const tree = document.querySelector("#tree"), row = tree.querySelector('[data-step$="/FuseTIR"]');
		if (row && !tree.classList.contains("stale")) {
			const status = row.querySelector(".vh").textContent.trim(), on = row.getAttribute("aria-checked") === "true";
			if (status !== "waiting" && status !== "running" && (status === "skipped") === on) window.__mixed.push(status + (on ? ", ticked" : ", not ticked"));
		}
	};
	new MutationObserver(look).observe(document.querySelector("#app"), {subtree: true, childList: true, attributes: true});
	return true;
})()`

// together checks that no moment was noted, and that in the end the pass is off on both sides.
func (p *page) together() {
	p.t.Helper()
	p.wait(done)
	p.wait(`document.querySelector('#tree:not(.stale) [data-step$="/FuseTIR"][aria-checked="false"] .vh')?.textContent === "skipped "`)
	if mixed := eval[[]string](p, `window.__mixed`); len(mixed) > 0 {
		p.t.Errorf("rows stand beside ticks of other settings: %q", mixed)
	}
	p.expectFaults("WebSocket connection", "ERR_", "Failed to load resource")
}

const (
	turnOff = `[data-step$="/FuseTIR"] .tick`
	words   = `document.querySelector("#run-state-text").textContent`
)

// TestServerComesBack kills a server in the middle of a run, has the reader turn a pass off while there is none, and starts another on
// the same store at the same address: the page goes on by itself.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	for _, toggled := range []bool{true, false} {
		g := holding(t, "KillAfterLastUse")
		st := store.NewMemory(64 << 20)
		line := splice(t, serveWith(t, &fixture.Runner{Hold: g.hold}, st, offered))
		p := visit(t, line.url, 1440, 900)
		p.goTo(session(p, fixture.MLP))
		p.wait(words + `.includes("KillAfterLastUse")`)
		eval[bool](p, watchTruth)
		line.set(false)
		p.wait(words + `.includes("Connection lost")`)
		p.wait(`document.title.startsWith("offline ")`)
		if toggled {
			p.click(turnOff)
			p.wait(words + `.includes("not sent")`)
		}
		line.move(serveWith(t, &fixture.Runner{}, st, offered))
		line.set(true)
		if toggled {
			p.together()
		} else {
			p.wait(done)
			p.expectFaults("WebSocket connection", "ERR_", "Failed to load resource")
		}
		p.wait(`document.title.startsWith("done ")`)
	}
}

// TestSlowLine delays all that comes and breaks each connection after a while.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	line := splice(t, serve(t, &fixture.Runner{}))
	p := visit(t, line.url, 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(done)
	eval[bool](p, watchTruth)
	line.set(false)
	line.slow(30*time.Millisecond, 24<<10)
	p.click(turnOff)
	line.set(true)
	p.together()
	p.click(turnOff)
	p.click(turnOff)
	p.together()
}

// slow has the wire delay each piece, and cut each connection after so many bytes.
func (w *wire) slow(delay time.Duration, cut int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay, w.cut = delay, cut
}

// TestTabInTheBackground has no frames: its title tells all the same how the run ended.
func TestTabInTheBackground(t *testing.T) {
	t.Parallel()
	g := holding(t, "FuseTIR")
	p := visit(t, serve(t, &fixture.Runner{Hold: g.hold}), 1440, 900)
	if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(document, "hidden", {get: () => true}); window.requestAnimationFrame = () => 0;`,
	}); err != nil {
		t.Fatal(err)
	}
	p.goTo(session(p, fixture.MLP))
	p.wait(`/^\d+\/\d+ /.test(document.title)`)
	g.release("FuseTIR")
	p.wait(`document.title.startsWith("done ")`)
	p.wait(done)
}
