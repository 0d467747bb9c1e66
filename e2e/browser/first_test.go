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
	parts := eval[string](p, `(() => {
		const n = performance.getEntriesByType("navigation")[0];
		const scripts = performance.getEntriesByType("resource").filter((e) => e.initiatorType === "script" || e.name.endsWith(".js"));
		const paint = performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint");
		return [["answer begins", n.responseStart], ["ends", n.responseEnd], ["scripts are there", Math.max(...scripts.map((e) => e.responseEnd < window.__firstDiff ? e.responseEnd : 0))],
			["first paint", paint?.startTime], ["document is read", n.domInteractive]].map(([name, ms]) => name + " " + Math.round(ms)).join(", ");
	})()`)
	t.Logf("%s: %.0f ms from the click to the first diff (%s)", model, ms, parts)
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

// TestFirstRowsStay: the rows that the page comes with stand where those of the script will stand, and say the same.
func TestFirstRowsStay(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, theme := range []string{"light", "dark"} {
		p := visit(t, base, 1440, 900)
		p.theme(theme)
		p.goTo("/")
		p.click(`[data-gallery="transformer"] .card-open`)
		p.wait(done)
		page := eval[string](p, `location.pathname`)
		rows := `[...document.querySelectorAll(":is(.plain-row, .code-row)")].slice(0, 30).map((row) => [...row.querySelectorAll(".tx, .ty")].map((x) => {
			const box = x.getBoundingClientRect();
			return [x.textContent, Math.round(box.left), Math.round(box.top), getComputedStyle(row).backgroundColor].join(" ");
		}).join(" | ")).join("\n")`
		// A page that is read in parts has rows that end in the middle, until the next part is there.
		p.onFirstDiff(`requestAnimationFrame(function look() {
			if (document.readyState === "loading" && document.querySelectorAll(".plain-row").length < 40) return requestAnimationFrame(look);
			window.__plain = document.querySelector(".plain-code") && ` + rows + `;
		})`)
		p.goTo(page)
		p.wait(`"__plain" in window`)
		p.wait(done)
		plain, made := eval[string](p, `window.__plain ?? ""`), eval[string](p, rows)
		if plain == "" {
			t.Logf("%s: the script was there first", theme)
		} else if plain != made {
			t.Errorf("%s: the page came with\n%s\nand the script made\n%s", theme, plain, made)
		}
	}
}

// onFirstDiff has each page run a script when the first lines of a diff are there.
func (p *page) onFirstDiff(script string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: `
		new MutationObserver((_, watch) => {
			if (!document.querySelector(":is(.code-row, .plain-row):is(.is-add, .is-del, .is-mod)")) return;
			watch.disconnect();
			` + script + `;
		}).observe(document, {childList: true, subtree: true});`}); err != nil {
		p.t.Fatal(err)
	}
}
