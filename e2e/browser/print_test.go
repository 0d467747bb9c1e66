package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestPrint puts a diff, a graph, and metrics on paper: all of what the reader looks at, and nothing that is pressed.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1100, 700)
	path := session(p, "cnn")
	p.goTo(path)
	p.wait(done)
	print := func(media string) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: features}); err != nil {
			t.Fatalf("emulate %q: %v", media, err)
		}
		event := map[string]string{"print": "beforeprint", "": "afterprint"}[media]
		eval[bool](p, `(dispatchEvent(new Event("`+event+`")), true)`)
	}
	p.goTo(path + "?pass=" + stepPath(p, "LegalizeOps") + "&function=main&view=ir")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	before := p.count(".code-row")
	print("print")
	p.until("all rows are there", func() bool { return p.count(".code-row") > before })
	paper := func(what string) {
		t.Helper()
		if got := eval[string](p, `getComputedStyle(document.documentElement).colorScheme`); got != "light" {
			t.Errorf("%s: the colors are %s", what, got)
		}
		if n := eval[int](p, `[...document.querySelectorAll("button, input, select, nav, summary")].filter(x => x.checkVisibility() && !x.closest("h1, td, th, caption")).length`); n != 0 {
			t.Errorf("%s: %d things to press are on paper, the first is %s", what, n,
				eval[string](p, `[...document.querySelectorAll("button, input, select, nav, summary")].find(x => x.checkVisibility() && !x.closest("h1, td, th, caption")).outerHTML.slice(0, 120)`))
		}
		if n := eval[int](p, `[...document.querySelectorAll("main *")].filter(x => x.checkVisibility() && x.scrollHeight > x.clientHeight + 2 && getComputedStyle(x).overflowY !== "visible").length`); n != 0 {
			t.Errorf("%s: %d parts scroll", what, n)
		}
	}
	paper("IR")
	if high := eval[float64](p, `document.documentElement.scrollHeight - 19 * document.querySelectorAll(".code-row").length`); high < 0 {
		t.Errorf("the rows do not stand below one another: %.0f pixels are missing", -high)
	}
	p.screen("print-ir")
	print("")
	p.until("rows out of view are gone", func() bool { return p.count(".code-row") == before })
	for _, view := range []string{"graph", "metrics"} {
		p.goTo(path + "?pass=" + stepPath(p, "LegalizeOps") + "&function=main&view=" + view)
		p.wait(done)
		p.wait(`document.querySelector("#` + view + `:not([hidden])") && document.querySelector(".g-node, .metrics-table td")`)
		print("print")
		paper(view)
		p.screen("print-" + view)
		print("")
	}
}
