package browser

import (
	"fmt"
	"testing"
)

// stepOf returns the path of the first step of a name in the run that the page shows.
func stepOf(p *page, name string) string {
	p.t.Helper()
	path := eval[string](p, fmt.Sprintf(`fetch("/api/runs/%s/events").then(r => r.json())
		.then(r => r.events.find(e => e.type === "pass_finished" && e.body.name === %q)?.step ?? "")`, p.run(), name))
	if path == "" {
		p.t.Fatalf("the run has no step %s", name)
	}
	return path
}

// TestFindLooks runs axe over the search, the marks of lines and the metrics in both themes and at three widths, and looks for what
// sticks out. E2E_SCREENS names a folder for screenshots.
func TestFindLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	look := func(tab, name string) {
		t.Helper()
		p.looksAt(tab, name, [][2]int64{{1440, 900}, {1024, 768}, {390, 844}}, audit)
	}
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	moving := stepOf(p, "tir.PlanAndUpdateBufferAllocationLocation")
	p.goTo(path + "?pass=" + moving + "&view=unified")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.is-moved")`)
	look("center", "moved")
	p.goTo(path + "?pass=" + moving + "&view=split")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.is-moved")`)
	look("center", "moved-split")
	p.goTo(path + "?pass=" + stepOf(p, "tir.FlattenBuffer") + "&view=unified")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.is-renamed")`)
	look("center", "renamed")
	p.goTo(path + "?pass=" + moving + "&view=metrics")
	p.wait(done)
	p.wait(`document.querySelector("#module-metrics tr.differs") || document.querySelector("#module-metrics tbody tr")`)
	look("center", "metrics")
	for name, query := range map[string]string{"found": "relu", "gone": "gone:matmul", "wrong": "gone:$x"} {
		p.goTo(path + "?pass=" + moving + "&view=unified&search=" + query)
		p.wait(done)
		p.wait(`document.querySelector(".found, #search-wrong")`)
		p.wait(`document.querySelector(".code-row")`)
		look("search", "search-"+name)
	}
	p.goTo(path)
	p.wait(done)
	p.press("/")
	p.wait(`document.querySelector(".search-hint")`)
	look("search", "search-hints")
	p.click("#session-menu summary")
	p.wait(`document.querySelector("#expiry-now").checkVisibility()`)
	look("", "expiry")
	p.press("\x1b")
	p.press("?")
	p.wait(`document.querySelector("#help").open`)
	look("", "help")
}
