package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/web/store"
)

// watchLayout has the page add up how far what it shows is moved by what comes and goes.
const watchLayout = `(() => {
	window.__shift = [];
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			// The words in the top bar are of different lengths. Chromium 150 tells of pseudo-elements too: a bar of the strip grows.
			const moved = e.sources.map((s) => s.node).filter((n) => n && !n.nodeName.startsWith("::") && !n.parentElement?.closest(".topbar"));
			if (moved.length > 0) window.__shift.push(e.value + " " + moved.map((n) => n.id || n.className || n.nodeName).join(","));
		}
	}).observe({type: "layout-shift", buffered: false});
	return true;
})()`

const notice = `document.querySelector("#notice:not([hidden])")?.textContent ?? ""`

// still checks that nothing was moved.
func (p *page) still(what string) {
	p.t.Helper()
	eval[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 100))))`)
	if moved := eval[[]string](p, `window.__shift.splice(0)`); len(moved) > 0 {
		p.t.Errorf("%s moves what is on the page: %q", what, moved)
	}
}

// TestNoticeOffline stops the server: the line at the foot of the page says so, and goes when the server is back.
func TestNoticeOffline(t *testing.T) {
	t.Parallel()
	g := holding(t, "KillAfterLastUse")
	st := store.NewMemory(64 << 20)
	line := splice(t, serveWith(t, &fixture.Runner{Hold: g.hold}, st, offered))
	p := visit(t, line.url, 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(words + `.includes("KillAfterLastUse")`)
	p.wait(`performance.getEntriesByType("resource").some((x) => x.name.includes("/static/notice-"))`)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	eval[bool](p, watchLayout)
	if got := eval[string](p, notice); got != "" {
		t.Errorf("while a run goes on the line says %q", got)
	}
	line.set(false)
	p.wait(`(` + notice + `).includes("Connection lost")`)
	p.still("the line")
	if role := eval[string](p, `document.querySelector("#notice").role`); role != "status" {
		t.Errorf("the line has the role %q", role)
	}
	p.click(turnOff)
	p.wait(`(` + notice + `).includes("not sent")`)
	for _, theme := range []string{"light", "dark"} {
		p.theme(theme)
		audit(p, "offline in "+theme)
		p.noticeShot("offline-" + theme)
	}
	line.move(serveWith(t, &fixture.Runner{}, st, offered))
	line.set(true)
	p.wait(done)
	p.wait(`document.querySelector("#notice").hidden`)
	p.expectFaults("WebSocket connection", "ERR_", "Failed to load resource")
}

// TestNoticeIdle stops the server while nothing runs and nothing is asked of it: the line says so, everything else stays as it is, and when
// the server is back the line goes by itself, and what was done elsewhere in the meantime is there.
func TestNoticeIdle(t *testing.T) {
	t.Parallel()
	st := store.NewMemory(64 << 20)
	base := serveWith(t, &fixture.Runner{}, st, offered)
	line := splice(t, base)
	p := visit(t, line.url, 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(done)
	p.wait(`performance.getEntriesByType("resource").some((x) => x.name.includes("/static/notice-"))`)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.wait(`document.querySelector(".run-chip")`)
	said, at := eval[string](p, words), eval[string](p, `location.href + document.querySelector("#code").textContent`)
	eval[bool](p, watchLayout)
	line.set(false)
	p.wait(`(` + notice + `).includes("cannot be reached")`)
	p.still("the line")
	if got := eval[string](p, notice); strings.Contains(got, "not sent") {
		t.Errorf("nothing was changed, and the line says %q", got)
	}
	if got := eval[string](p, words); got != said {
		t.Errorf("the run is done, and beside it stands %q, want %q", got, said)
	}
	p.wait(`document.title.startsWith("offline ")`)
	p.noticeShot("idle")
	audit(p, "idle without a server")

	line.set(true)
	p.wait(`document.querySelector("#notice").hidden && !document.title.startsWith("offline ")`)
	if got := eval[string](p, `location.href + document.querySelector("#code").textContent`); got != at {
		t.Errorf("afterwards the page shows %q, want %q", got, at)
	}

	// Who waits no longer than for the button.
	line.set(false)
	p.wait(`(` + notice + `).includes("cannot be reached")`)
	line.set(true)
	eval[bool](p, `(document.querySelector("#notice button")?.click(), true)`) // at once: the page asks by itself, too
	p.wait(`document.querySelector("#notice").hidden`)
	p.expectFaults("WebSocket connection", "ERR_", "Failed to load resource")
}

// TestNoticeStale changes a setting where the server does not take the run: the line says that it was not run, and runs it, or takes the
// change back.
func TestNoticeStale(t *testing.T) {
	t.Parallel()
	front := &refusing{}
	p := visit(t, front.serve(t, serve(t, &fixture.Runner{})), 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(done)
	p.wait(`performance.getEntriesByType("resource").some((x) => x.name.includes("/static/notice-"))`)
	first := p.run()
	front.set(true)
	p.click(turnOff)
	p.wait(`(` + notice + `).includes("Settings changed, not run: the server is busy")`)
	p.wait(`document.querySelector("#messages").textContent === ""`)
	for _, theme := range []string{"light", "dark"} {
		p.theme(theme)
		audit(p, "stale in "+theme)
		p.noticeShot("stale-" + theme)
	}
	front.set(false)
	p.click("#notice .primary")
	p.notRun(first)
	p.wait(done)
	p.wait(`document.querySelector("#notice").hidden`)
	p.wait(`document.activeElement !== document.body`)

	second := p.run()
	front.set(true)
	p.click(turnOff)
	p.wait(`(` + notice + `).includes("Settings changed, not run")`)
	front.set(false)
	p.click("#notice .quiet")
	p.wait(`document.querySelector("#notice").hidden`)
	p.wait(`document.querySelector('#tree [data-step$="/FuseTIR"]').getAttribute("aria-checked") === "false"`)
	p.wait(done)
	if got := p.run(); got == first {
		t.Errorf("after undo the page shows the first run, want the settings of %s", second)
	}
	p.expectFaults("status of 503", "WebSocket connection")
}

func (p *page) noticeShot(name string) {
	if dir := os.Getenv("E2E_SCREENS"); dir != "" {
		p.shot(filepath.Join(dir, fmt.Sprintf("notice-%s.png", name)))
	}
}

// TestSequencesSayWhatTheyAreMadeOf turns a pass in the middle of a sequence off: its row says what was measured now and what earlier.
func TestSequencesSayWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="cnn"] .card-open`)
	p.wait(done)
	p.wait(named("tir") + `.querySelector(".time")`)
	time := func(name string) string {
		return eval[string](p, fmt.Sprintf(`%s.querySelector(".time").firstChild.textContent`, named(name)))
	}
	if got := time("tir"); strings.Contains(got, "↺") {
		t.Errorf("in the first run the sequence took %q", got)
	}
	p.another(func() {
		eval[bool](p, `(document.querySelector('#tree [data-step$="/tir.StorageRewrite"] .tick').click(), true)`)
	})
	p.wait(named("LegalizeOps") + `.querySelector(".time")?.textContent.startsWith("↺ ")`)
	if got := time("tir"); !regexp.MustCompile(`^[\d.]+ (µs|ms) \+ ↺ [\d.]+ (µs|ms)$`).MatchString(got) {
		t.Errorf("after a change in its middle the sequence took %q", got)
	}
	if out := eval[[]string](p, `[...document.querySelectorAll("#tree .row")].filter((x) => x.scrollWidth > x.clientWidth).map((x) => x.textContent)`); len(out) > 0 {
		t.Errorf("these rows are wider than the tree: %q", out)
	}
	p.noticeShot("mixed")
}
