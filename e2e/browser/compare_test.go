package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// compared starts a session of a model of the real gallery and a second run of it with FuseOps off; it returns the address of their
// comparison.
func compared(p *page, model string) string {
	p.t.Helper()
	p.goTo("/")
	p.click(`[data-gallery="` + model + `"] .card-open`)
	p.wait(done)
	first := p.run()
	session := eval[string](p, `document.querySelector("#app").dataset.session`)
	second := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"disabled":["FuseOps"]}'}).then(r => r.json()).then(x => x.run.id)`, session))
	return fmt.Sprintf("/compare/%s/%s?a=%s&b=%[3]s", first, second, session)
}

const chosenPair = `document.querySelector('.pair[aria-selected="true"] .pair-name')?.textContent`

// TestCompare lays two runs side by side, follows them from where they part to the code, and comes back by the address.
func TestCompare(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(compared(p, "cnn"))
	p.wait(chosenPair + ` === "FuseOps"`)
	p.wait(`document.querySelector("#center-title").textContent === "First difference › FuseOps › main"`)
	p.wait(`document.querySelector('#center-title a[href="/passes/FuseOps"]')`)
	p.wait(`document.querySelectorAll("#code .code-row").length > 10`)
	p.wait(`document.querySelector(".figures").textContent.match(/outputs?(equal|≈ close)/)`) // a sum in another order is not wrong
	if got := p.text(".pair-fold"); !strings.Contains(got, "with the same result in both") {
		t.Errorf("the fold says %q", got)
	}
	if got := p.text(`.pair[aria-selected="true"]`); !strings.Contains(got, "off") || !strings.Contains(got, "≠") {
		t.Errorf("the chosen row says %q, want that #2 is off and that they differ", got)
	}

	// Another function of the row; the fold opens; keys go from row to row.
	p.click(`.pair-fn:not([aria-current])`)
	p.wait(`location.search.includes("function=fused_")`)
	p.click(".pair-fold")
	p.wait(`!document.querySelector(".pair-fold")`)
	p.press("j")
	p.wait(chosenPair + ` !== "FuseOps"`)
	p.press("k")
	p.wait(chosenPair + ` === "FuseOps"`)
	p.press("k")
	p.wait(`document.querySelector("#messages").textContent.includes("the same module")`)

	// The address keeps row and form; a session leads back.
	p.press("j")
	p.press("u")
	p.wait(`location.search.includes("view=unified") && !document.querySelector("#code .code-view").classList.contains("split")`)
	p.goTo(eval[string](p, `location.pathname + location.search`))
	p.wait(chosenPair + ` === "FuseOps"`)
	p.wait(`!document.querySelector("#code .code-view").classList.contains("split")`)

	p.press("2")
	p.wait(`document.querySelector("#outputs tbody th")?.textContent.match(/ equal$| close, by up to /)`)
	p.press("3")
	p.wait(`document.querySelector("#settings")?.textContent.includes("--disable-pass FuseOps")`)

	p.press("1")
	fuse := eval[string](p, `location.pathname + location.search`)

	// Metrics after the chosen step, and one of them over all steps; a pass leads to its row.
	p.press("4")
	p.wait(`document.querySelector("#metrics caption")?.textContent === "After FuseOps"`)
	p.click(`#metrics [data-metric="functions"]`)
	p.wait(`document.querySelectorAll("#metrics caption")[1].textContent === "Functions where they differ"`)
	if got := p.text(`#metrics tr.differs:has([data-metric="functions"])`); !strings.Contains(got, "−") {
		t.Errorf("without FuseOps the row of functions says %q", got)
	}
	eval[bool](p, `([...document.querySelectorAll("#metrics table:nth-of-type(2) .link")].at(-1).click(), true)`)
	p.wait(chosenPair + ` !== "FuseOps" && document.querySelector("#metrics caption").textContent === "After " + ` + chosenPair)
	p.goTo(eval[string](p, `location.pathname + location.search`))
	p.wait(`!document.querySelector("#metrics").hidden && document.querySelector("#metrics caption")`)
	p.goTo(fuse)
	p.wait(chosenPair + ` === "FuseOps" && document.querySelectorAll("#code .code-row").length > 3`)

	// z shows the lines as printed, and short again.
	p.wait(`document.querySelector("#compact").getAttribute("aria-pressed") === "true" && !document.querySelector("#code").textContent.includes("R.Tensor(")`)
	p.press("z")
	p.wait(`document.querySelector("#compact").getAttribute("aria-pressed") === "false" && document.querySelector("#code").textContent.includes("R.Tensor(")`)
	p.press("z")
	p.wait(`!document.querySelector("#code").textContent.includes("R.Tensor(")`)

	// What one sees is one link.
	eval[bool](p, `(navigator.clipboard.writeText = async (text) => { window.__copied = text; }, true)`)
	p.click("#copy-link")
	p.wait(`document.querySelector("#copy-link").textContent === "Copied" && window.__copied === location.href`)
	eval[bool](p, `(navigator.clipboard.writeText = async () => { throw new Error("not allowed"); }, true)`)
	p.wait(`document.querySelector("#copy-link").textContent === "Copy link"`)
	p.click("#copy-link")
	p.wait(`document.querySelector("#link")?.value === location.href && document.activeElement.id === "link"`)
	p.press(kb.Tab)
	p.wait(`!document.querySelector("#link")`)

	a := eval[string](p, `document.querySelector("#app").dataset.a`)
	p.click(`.topbar a[title^="Compare #2"]`)
	p.wait(fmt.Sprintf(`document.querySelector("#app")?.dataset.b === %q`, a))
	p.wait(chosenPair + ` === "FuseOps"`)
	p.click(`.run-chip.two`)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	if got := p.run(); got != a {
		t.Errorf("#2 leads to run %s, want %s", got, a)
	}
}

// TestCompareLooks runs axe over the comparison in both themes, and looks for what is wider than the window.
func TestCompareLooks(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {853, 480}, {390, 844}} {
		p := visit(t, base, size[0], size[1])
		p.goTo(compared(p, "mlp"))
		p.wait(`document.querySelectorAll("#code .code-row").length > 3`)
		p.inBoth(func(theme string) { audit(p, fmt.Sprintf("comparison at %d in %s", size[0], theme)) })
		if wide := eval[bool](p, `document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight`); wide {
			t.Errorf("at %v the page is larger than the window", size)
		}
		if got := p.text("#figures dt"); got != "output" {
			t.Errorf("at %v the first of the figures is %q, not whether the outputs are the same", size, got)
		}
		// On a phone lines are broken, and the place names the function.
		if size[0] < 600 {
			p.wait(`(v => v.scrollWidth <= v.clientWidth)(document.querySelector("#code .code-view"))`)
			if over := eval[float64](p, `(r => (r.selectNodeContents(document.querySelector("#center-title")), r.getBoundingClientRect().right - document.querySelector(".crumbs").getBoundingClientRect().right))(new Range())`); over > 1 {
				t.Errorf("at %v the place is %.0f pixels too long", size, over)
			}
		}
		p.press("4")
		p.wait(`!document.querySelector("#metrics").hidden && document.querySelector("#metrics caption")`)
		p.inBoth(func(theme string) { audit(p, fmt.Sprintf("metrics of a comparison at %d in %s", size[0], theme)) })
		if wide := eval[bool](p, `document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight || document.querySelector("#metrics").scrollWidth > document.querySelector("#metrics").clientWidth`); wide {
			t.Errorf("at %v the metrics are wider than their panel, or the page than the window", size)
		}
	}
}

// TestRunsOfASession shows the runs at the top, goes from one to the other, and on to their comparison by a key.
func TestRunsOfASession(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1920, 1080)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	first := p.run()
	p.wait(`document.querySelector('.run-chip[aria-current]')?.textContent.startsWith("#1O2")`)
	p.wait(`document.querySelector('.run-chip[aria-current]').textContent.includes("kernels")`)
	if p.count("#compare-runs") != 0 || p.count(".run-menu") != 0 {
		t.Error("a session with one run offers to compare it")
	}
	eval[bool](p, `(`+named("FuseOps")+`.querySelector(".tick").click(), true)`)
	p.notRun(first)
	p.wait(done)
	p.wait(`document.querySelector('.run-chip[aria-current]')?.textContent.startsWith("#2O2 −FuseOps")`)
	second := p.run()
	p.click(".run-chip.beside")
	p.wait(fmt.Sprintf(`new URLSearchParams(location.search).get("run") === %q`, first))
	p.wait(done)
	p.wait(`document.querySelector('.run-chip[aria-current]')?.textContent.startsWith("#1O2")`)
	p.click(".run-menu summary")
	p.click(".run-menu .menu-item")
	p.wait(fmt.Sprintf(`new URLSearchParams(location.search).get("run") === %q`, second))
	p.wait(done)
	if wide := eval[bool](p, `[...document.querySelectorAll(".topbar > *")].some((el, i, all) => i > 0 && el.getBoundingClientRect().width > 0 && all.slice(0, i).some((x) => x.getBoundingClientRect().right > el.getBoundingClientRect().left + 1 && x.getBoundingClientRect().width > 0))`); wide {
		t.Error("parts of the bar at the top overlap")
	}
	if cut := eval[[]string](p, `[...document.querySelectorAll("#runs > *")].filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.textContent)`); len(cut) > 0 || p.count("#runs > .run-chip") != 2 {
		t.Errorf("of the two runs at the top these do not fit into their places: %q", cut)
	}
	if dir := os.Getenv("E2E_SCREENS"); dir != "" {
		p.shot(filepath.Join(dir, "runs-1920.png"))
	}
	p.press("=")
	p.wait(fmt.Sprintf(`location.pathname === "/compare/%s/%s"`, first, second))
	p.wait(chosenPair + ` === "FuseOps"`)
}
