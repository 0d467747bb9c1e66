package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// focused is true when the focus is on an element that matches and can be seen.
func focused(selector string) string {
	return `document.activeElement?.matches('` + selector + `')`
}

// TestKeyboardOnly does everything without a mouse.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	p.tabTo(`[data-gallery="mlp"] .card-open`)
	p.press(kb.Enter)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)

	// The skip link is the first stop and leads to the code.
	p.press(kb.Tab)
	p.wait(focused(".skip"))

	// The tree: arrows move, Space turns a pass off.
	p.tabTo(`#tree`)
	p.press(kb.ArrowDown)
	p.wait(`location.search.includes("pass=1.5/LegalizeOps")`)
	p.press(kb.End)
	p.wait(`location.search.includes("pass=2.3/CallTIRRewrite")`)
	p.press(kb.ArrowLeft)
	p.wait(`location.search.includes("pass=2/dataflow_lower")`)
	p.press(kb.ArrowLeft)
	p.wait(`document.querySelector('[data-step="2/dataflow_lower"]').getAttribute("aria-expanded") === "false"`)
	p.press(kb.ArrowRight)
	p.wait(`document.querySelector('[data-step="2.3/CallTIRRewrite"]')`)
	p.press("k")
	p.wait(`location.search.includes("pass=1.10/ApplyDefaultSchedule")`)
	p.press(" ")
	p.wait(`document.querySelector("#command").textContent.includes("--disable-pass ApplyDefaultSchedule")`)
	p.wait(done)
	p.press("x")
	p.wait(`!document.querySelector("#command").textContent.includes("--disable-pass")`)
	p.wait(done)

	// Functions, hunks, views.
	p.press("k")
	p.press("f")
	p.wait(focused(`#tree[data-at="function"]`))
	first := p.text(`.fn[aria-current] .name`)
	p.press(kb.ArrowDown)
	p.until("another function is selected", func() bool { return p.text(`.fn[aria-current] .name`) != first })
	p.wait(`document.querySelector(".code-view").getAttribute("aria-label").endsWith(" to " + document.querySelector('.fn[aria-current] .name').textContent)`)
	p.press("n")
	p.wait(`document.querySelector("#hunk-count").textContent.startsWith("1 / ")`)
	p.press("u")
	p.wait(`location.search.includes("view=split")`)
	p.press("u")
	p.wait(`location.search.includes("view=unified")`)

	// Filter, help.
	p.press("F")
	p.wait(focused("#filter"))
	p.press(kb.Backspace) // the debugger sends the character of a key even where the page prevents it
	p.press("fuseops")
	p.wait(`document.querySelectorAll(".row:not(.group)").length === 1`)
	p.press(kb.Enter)
	p.wait(`location.search.includes("pass=1.8/FuseOps")`)
	p.wait(`document.querySelector(".empty-title")?.textContent === "FuseOps changed nothing"`)
	// Each tab says what it shows, and the help leads to the words.
	if bare := eval[[]string](p, `[...document.querySelectorAll("#views button")].filter(b => b.title.split("  ")[0].length <= b.textContent.length).map(b => b.textContent)`); len(bare) > 0 {
		t.Errorf("the tabs %v do not say what they show", bare)
	}
	p.press("?")
	p.wait(`document.querySelector('#help a[href="/docs/glossary"]')?.checkVisibility()`)
	p.wait(`document.querySelector("#help").open`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#help").open`)

	// The handles move with the arrow keys.
	p.tabTo(`#split-left`)
	width := eval[float64](p, `document.querySelector("#pipeline").offsetWidth`)
	p.press(kb.ArrowRight)
	p.until("the pipeline is wider", func() bool { return eval[float64](p, `document.querySelector("#pipeline").offsetWidth`) > width })
}

// TestFocusIsVisible walks over the whole page with Tab and looks for a stop without a mark, or one outside of the window.
func TestFocusIsVisible(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(done)
	for range 60 {
		p.press(kb.Tab)
		fault := eval[string](p, `(() => {
			const el = document.activeElement;
			if (!el || el === document.body) return "";
			const r = el.getBoundingClientRect();
			const mark = getComputedStyle(el), frame = el.closest("label") ? getComputedStyle(el.closest("label")) : mark;
			const name = el.id || el.className || el.tagName;
			if (r.right <= 0 || r.bottom <= 0 || r.left >= innerWidth || r.top >= innerHeight) return name + " has the focus out of sight";
			const seen = mark.outlineStyle !== "none" || frame.outlineStyle !== "none" || el.classList.contains("splitter");
			return seen ? "" : name + " has the focus without a mark";
		})()`)
		if fault != "" {
			t.Error(fault)
		}
	}
}
