package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// found is true when the search has results and no request is under way.
const found = `document.querySelector(".found") && !document.querySelector("#search[aria-busy]")`

// typed types a query into the field of the search, in place of what is in it.
func (p *page) typed(query string) {
	p.t.Helper()
	p.fill("#search-field", query)
}

// TestSearch asks for the pass that took an operator away, with the mouse: the result leads to the line, and a link opens on the results.
func TestSearch(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => x.name.includes("/static/searchview-")).length`); n != 0 {
		t.Error("the script of the search is loaded before it is opened")
	}
	p.press("/")
	p.wait(focused("#search-field"))
	p.click(`.search-hint[data-query^="gone:"]`)
	p.wait(found)
	query := eval[string](p, `document.querySelector("#search-field").value`)
	p.wait(fmt.Sprintf(`new URLSearchParams(location.search).get("search") === %q`, query))
	if got := p.text(".search-pass .name"); got != "LegalizeOps" {
		t.Errorf("%s is gone after %s", query, got)
	}
	if word := query[strings.LastIndexAny(query, ":.")+1:]; p.text(".found mark") != word && !strings.HasSuffix(p.text(".found mark"), "."+word) {
		t.Errorf("the mark is on %q, want %q", p.text(".found mark"), word)
	}
	p.click(".found")
	p.wait(`location.search.includes("pass=` + stepPath(p, "LegalizeOps") + `") && location.search.includes("view=unified") && location.search.includes("function=main")`)
	p.wait(`document.querySelector(".code-row.at-line.is-del")`)
	line := strings.TrimPrefix(p.text(".found .found-line"), "−")
	if got := p.text(".code-row.at-line.is-del .ln"); !strings.HasPrefix(got, line+" ") {
		t.Errorf("the result names line %s before the pass, the page shows %q", line, got)
	}
	if got := p.text(`#found-0[aria-selected="true"] .found-line`); got != "−"+line {
		t.Errorf("the result that is shown has line %s", got)
	}

	// A link opens with the results; another query takes their place, and more can be asked for.
	p.goTo(eval[string](p, `location.pathname + location.search`))
	p.wait(done)
	p.wait(found)
	p.click("#search-field")
	p.typed("T.")
	p.wait(`document.querySelectorAll(".found").length === 100`)
	p.wait(`document.querySelector("#search-count").textContent.includes("there are more")`)
	p.click("#search-more")
	p.wait(`document.querySelectorAll(".found").length === 200`)
	eval[bool](p, `(document.querySelector("#search-kind").value = "code", document.querySelector("#search-kind").dispatchEvent(new Event("change")))`)
	p.wait(`document.querySelector("#search-count").textContent === "nothing found"`)
	p.click("#search-field")
	p.typed("local.get")
	p.wait(found)
	p.click(".found")
	p.wait(`location.search.includes("view=code") && document.querySelector(".code-row.at-line")`)
	p.click("#search-close")
	p.wait(`document.querySelector("#search").hidden && !location.search.includes("search=")`)
}

// TestSearchKeyboard searches without a mouse, and makes errors.
func TestSearchKeyboard(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "mlp"))
	p.wait(done)
	p.press("/")
	p.wait(focused("#search-field"))
	p.typed("gone:$x")
	p.wait(`document.querySelector("#search-wrong mark")?.textContent === "$"`)
	if got := p.text("#search-error p"); !strings.Contains(got, "column 6") {
		t.Errorf("the error reads %q", got)
	}
	p.wait(`document.querySelector("#search-field[aria-invalid]")`)
	p.typed("nothing_has_this_name")
	p.wait(`document.querySelector("#search-count").textContent === "nothing found" && !document.querySelector("#search-error, #search-field[aria-invalid]")`)
	p.typed("gone:nothing_has_this_name")
	p.wait(`document.querySelector(".search-note")?.textContent.includes("nothing_has_this_name")`)
	p.typed("touches:relu1_Relu fn:main")
	p.wait(found)
	p.press(kb.ArrowDown)
	p.press(kb.ArrowDown)
	p.wait(`document.querySelector("#search-field").getAttribute("aria-activedescendant") === "found-1" && document.querySelector("#found-1").ariaSelected === "true"`)
	link := eval[string](p, `document.querySelector("#found-1").search`)
	p.press(kb.Enter)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.until("the address is that of the result", func() bool {
		return strings.HasPrefix(eval[string](p, `location.search`), link)
	})
	p.wait(focused("#search-field"))
	p.press(kb.Escape)
	p.wait(`document.querySelector("#search").hidden && document.activeElement.matches(".code-view")`)
	p.press("F")
	p.wait(focused("#filter"))
}

// TestSearchWhileItRuns finds what is there so far, and more when the run goes on.
func TestSearchWhileItRuns(t *testing.T) {
	t.Parallel()
	g := holding(t, "FuseTIR")
	p := visit(t, serve(t, &fixture.Runner{Hold: g.hold}), 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(`document.querySelector("#run-state-text").textContent.includes("FuseTIR")`)
	p.press("/")
	p.wait(focused("#search-field"))
	p.typed("R.call_tir")
	p.wait(found)
	p.wait(`document.querySelector("#search-count").textContent.endsWith("so far; the run is still in progress")`)
	p.press(kb.ArrowDown)
	p.wait(`document.querySelector("#found-0").ariaSelected === "true"`)
	n, link := p.count(".found"), eval[string](p, `document.querySelector("#found-0").search`)
	g.release("FuseTIR")
	p.wait(done)
	p.until("there are more results", func() bool { return p.count(".found") > n })
	p.wait(`!document.querySelector("#search-count").textContent.includes("so far")`)
	if got := eval[string](p, `document.querySelector(".found[aria-selected=true]")?.search ?? ""`); got != link {
		t.Errorf("the chosen result is %q, want %q", got, link)
	}
}

// TestSearchForgetsLateAnswers holds the answer to a query until that to a later one is there.
func TestSearchForgetsLateAnswers(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "mlp"))
	p.wait(done)
	eval[bool](p, `(window.fetch = (own => (u, init) => String(u).includes("q=relu")
		? new Promise(go => (window.late = async () => go(await own(u)))) : own(u, init))(window.fetch), true)`)
	p.press("/")
	p.wait(focused("#search-field"))
	p.typed("relu")
	p.wait(`window.late`)
	p.typed("softmax")
	p.wait(found)
	eval[bool](p, `window.late().then(() => new Promise(r => requestAnimationFrame(() => setTimeout(() => r(true)))))`)
	if got := eval[int](p, `[...document.querySelectorAll(".found mark")].filter(x => x.textContent.toLowerCase() !== "softmax").length`); got != 0 {
		t.Errorf("%d marks are on something else than softmax", got)
	}
}

// TestSearchIsText shows names and texts that are markup as they are.
func TestSearchIsText(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo(session(p, fixture.Hostile) + "?search=" + `%22%3C%22`)
	p.wait(done)
	p.wait(found)
	if got := p.text(".found mark"); got != "<" {
		t.Errorf("the mark is on %q", got)
	}
	if n := eval[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, "#search :is(script, img, b, iframe)")); n != 0 || eval[bool](p, `"__pwned" in window`) {
		t.Errorf("%d elements came out of a text", n)
	}
}

// TestSearchShortNames asks for a name as the text shows it, shorter than it is printed: the search offers the name in full.
func TestSearchShortNames(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.press("z")
	p.wait(`document.querySelector("#code").textContent.includes("relu1 = cls.")`)
	p.press("/")
	p.wait(`document.activeElement.id === "search-field"`)
	p.press("touches:relu1 fn:main")
	p.wait(`document.querySelector(".search-short")?.textContent.startsWith("relu1 is short for relu1_Relu")`)
	if n := eval[int](p, `[...document.querySelectorAll("#search-results [role=option]")].filter((x) => x.textContent.includes("relu1_Relu =") && !x.textContent.includes("block1")).length`); n != 0 {
		t.Errorf("%d results of the short name are lines with the long one", n)
	}
	p.click(".search-short .link")
	p.wait(`document.querySelector("#search-field").value === "touches:relu1_Relu fn:main" && !document.querySelector(".search-short")`)
	p.wait(`[...document.querySelectorAll("#search-results [role=option]")].some((x) => x.textContent.includes("relu1_Relu"))`)
}
