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
	base := serveCompiler(t)
	for _, size := range sizes {
		p := visit(t, base, size.width, size.height)
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			look := func(name string) {
				t.Helper()
				audit(p, fmt.Sprintf("%s %d %s", name, size.width, theme))
				if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s at %d is %.0f pixels too wide", name, size.width, over)
				}
				p.screen(fmt.Sprintf("%s-%d-%s", name, size.width, theme))
			}
			path := session(p, "mlp")
			p.goTo(path)
			p.wait(done)
			moving := stepOf(p, "tir.PlanAndUpdateBufferAllocationLocation")
			p.goTo(path + "?pass=" + moving + "&view=unified")
			p.wait(done)
			p.wait(`document.querySelector(".code-row.is-moved")`)
			look("moved")
			p.goTo(path + "?pass=" + moving + "&view=split")
			p.wait(done)
			p.wait(`document.querySelector(".code-row.is-moved")`)
			look("moved-split")
			p.goTo(path + "?pass=" + stepOf(p, "tir.FlattenBuffer") + "&view=unified")
			p.wait(done)
			// In a narrow window the row lies below those that are broken.
			p.wait(`document.querySelector(".code-row.is-renamed") ?? void (document.querySelector(".code-view").scrollTop += 200)`)
			look("renamed")
			p.goTo(path + "?pass=" + moving + "&view=metrics")
			p.wait(done)
			p.wait(`document.querySelector("#module-metrics tr.differs") || document.querySelector("#module-metrics tbody tr")`)
			look("metrics")
			for name, query := range map[string]string{"found": "relu", "gone": "gone:matmul", "wrong": "gone:$x"} {
				p.goTo(path + "?pass=" + moving + "&view=unified&search=" + query)
				p.wait(done)
				p.wait(`document.querySelector(".found, #search-wrong")`)
				p.wait(`document.querySelector(".code-row")`)
				look("search-" + name)
			}
			p.goTo(path)
			p.wait(done)
			if size.width <= 599 {
				p.click(`.narrow-tabs [data-tab=search]`)
			} else {
				p.press("/")
			}
			p.wait(`document.querySelector(".search-hint")`)
			look("search-hints")
			p.click("#session-menu summary")
			p.wait(`document.querySelector("#expiry-now").checkVisibility()`)
			look("expiry")
			p.press("\x1b")
			p.press("?")
			p.wait(`document.querySelector("#help").open`)
			look("help")
		}
	}
}
