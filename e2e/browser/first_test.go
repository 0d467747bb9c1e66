package browser

import (
	"fmt"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// TestFirstDiff measures from the click on a small model, of which nothing is compiled yet, to the first diff on the screen.
func TestFirstDiff(t *testing.T) {
	t.Parallel()
	rounds := 1
	if goal.Strict() {
		rounds = 10
	}
	var took []time.Duration
	for round := range rounds {
		base := serveCompiler(t) // nothing is known to a new server
		for _, model := range []string{"mlp", "cnn", "batch"} {
			t.Run(fmt.Sprint(model, round), func(t *testing.T) {
				took = append(took, firstDiff(t, base, model))
			})
		}
	}
	goal.Time(t, "median until the first diff", goal.Percentile(took, 50), 150*time.Millisecond)
	goal.Time(t, "95th percentile until the first diff", goal.Percentile(took, 95), 400*time.Millisecond)
}

// firstDiff returns the time from the click on a model to the first diff.
func firstDiff(t *testing.T, base, model string) time.Duration {
	p := visit(t, base, 1440, 900)
	// The clock of a page starts with the click that leads to it.
	p.onFirstDiff(`requestAnimationFrame(() => { window.__firstDiff = performance.now(); })`)
	p.goTo("/")
	p.click(`[data-gallery="` + model + `"] .card-open`)
	p.wait(`window.__firstDiff`)
	ms := eval[float64](p, `window.__firstDiff`)
	t.Logf("%s: %.0f ms from the click to the first diff", model, ms)
	p.wait(done)
	return time.Duration(ms * float64(time.Millisecond))
}

// TestFirstViewAsksForNothing: the page of a run that is done brings along what it opens on. The script paints the diff from that, before it
// asks for a session, run, diff or event.
func TestFirstViewAsksForNothing(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	page := eval[string](p, `location.pathname`)
	p.onFirstDiff(`window.__asked = performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname)`)
	p.goTo(page)
	p.wait(`window.__asked`)
	for _, path := range eval[[]string](p, `window.__asked.filter((x) => /^\/(runs|diff|ir|api\/(runs|sessions)\/[^/]*$)/.test(x))`) {
		t.Errorf("before the first diff the page asks for %s", path)
	}
	p.wait(done)
}

// onFirstDiff has each page run a script when the first lines of a diff are there.
func (p *page) onFirstDiff(script string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: `
		new MutationObserver((_, watch) => {
			if (!document.querySelector(".code-row.is-add, .code-row.is-del, .code-row.is-mod")) return;
			watch.disconnect();
			` + script + `;
		}).observe(document, {childList: true, subtree: true});`}); err != nil {
		p.t.Fatal(err)
	}
}
