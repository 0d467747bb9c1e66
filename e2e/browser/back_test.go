package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// step goes back (-1) or forth (1) in the history of the browser.
func (p *page) step(by int) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(setTimeout(() => history.go(%d)), true)`, by))
}

// at waits until the page shows a view of a pass, and says so in its address.
func (p *page) at(pass, view string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(q => q.get("pass")?.endsWith("/%s") && q.get("view") === %q)(new URLSearchParams(location.search))`, pass, view))
	p.wait(`document.querySelector("#center-title").textContent.length > 0`)
}

// TestBackLeadsBack follows ways across a session: from the result to the pass that is at fault, from a text to its history. Going back leads to
// what was left, with what was found there. Stepping from pass to pass leaves no steps behind.
func TestBackLeadsBack(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(wrongRun(p, "mlp"))
	p.wait(done)
	p.wait(`document.querySelector("#fault-find")`)
	left := eval[string](p, `location.search`)
	p.click("#fault-find")
	p.wait(`document.querySelector("#fault-show")`)
	p.click("#fault-show")
	p.at("user.Wrong", "unified")
	n := eval[int](p, `history.length`)
	p.press("jju")
	p.at("FuseOps", "split")
	p.press("u")
	p.at("FuseOps", "unified")
	if got := eval[int](p, `history.length`); got != n {
		t.Errorf("j and u made %d steps in the history of the browser", got-n)
	}
	p.press("g")
	p.at("FuseOps", "graph")
	p.step(-1)
	p.at("FuseOps", "unified")
	p.step(-1)
	p.wait(`document.querySelector("#fault-show")?.checkVisibility()`)
	if got := eval[string](p, `location.search`); got != left && !strings.Contains(got, "view=result") {
		t.Errorf("going back led to %s, not to %s", got, left)
	}
	p.step(2)
	p.at("FuseOps", "graph")

	// Without another pass: the inspector leads from one to what it needs.
	p.press("i")
	p.wait(`document.querySelector("#details-body")?.checkVisibility()`)
	p.click(`#details-rest button.link, #details-rest .needs button`)
	p.wait(`!location.search.includes("/FuseOps")`)
	p.step(-1)
	p.at("FuseOps", "graph")
}

// TestBackOnAPhone goes from the passes to the text, the details and back: each part of the page is a step, and the last leads out.
func TestBackOnAPhone(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	link := path + "?view=unified&pass=" + stepPath(p, "FuseOps")
	shows := func(tab string) {
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelector("#app").dataset.tab === %q && document.querySelector('.narrow-tabs [data-tab=%q]').ariaPressed === "true"`, tab, tab))
	}
	shows("passes")
	p.click(`#tree [data-step$="/FuseOps"] .name`)
	shows("center")
	p.at("FuseOps", "unified")
	p.click(`.narrow-tabs [data-tab="details"]`)
	shows("details")
	p.step(-1)
	shows("center")
	p.step(-1)
	shows("passes")
	p.step(1)
	shows("center")
	p.step(-2)
	p.wait(`location.pathname === "/"`)
	// A link opens on its text, and one step leads out.
	p.goTo(link)
	p.wait(done)
	shows("center")
	p.step(-1)
	p.wait(`location.pathname === "/"`)
}

// TestPhoneSaysThatARunFailed turns a pass off that the code needs: the passes say that the run failed, beside their number, as the text does above.
func TestPhoneSaysThatARunFailed(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	p.goTo(session(p, "mlp"))
	p.wait(done)
	p.click(`#tree [data-step$="/LegalizeOps"] .tick`)
	p.wait(`document.querySelector("dialog[open] .danger")`)
	p.click("dialog[open] .danger")
	p.wait(`getComputedStyle(document.querySelector("#pass-count"), "::after").content === '"failed"'`)
	if !eval[bool](p, `document.querySelector("#pass-count").checkVisibility()`) {
		t.Error("the passes do not say that the run failed")
	}
	p.click(`.narrow-tabs [data-tab="center"]`)
	p.wait(`(s => s.checkVisibility() && s.scrollWidth <= s.clientWidth)(document.querySelector("#run-state"))`)
	p.wait(`document.querySelector("#messages .error")?.checkVisibility()`)
	// There is no program, and no word about one.
	p.click("#session-menu summary")
	p.wait(`document.querySelector("#session-menu [data-export]").checkVisibility()`)
	if got := eval[[]string](p, `[...document.querySelectorAll("#session-menu .menu-doc")].filter(x => x.checkVisibility() && x.textContent.includes("irscope exec")).map(x => x.textContent)`); len(got) > 0 {
		t.Errorf("the menu says %q of a run that failed", got)
	}
}

// TestPassesOverTheText opens the passes in windows that have no room for them beside the text, such as one at twice the size: they lie over the text,
// which stays, take the focus, and go by a key, by a click on the text, or when one is chosen.
func TestPassesOverTheText(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 720, 450)
	p.goTo(session(p, "mlp") + "?view=unified")
	p.wait(done)
	for _, size := range [][2]int64{{720, 450}, {853, 480}, {768, 1024}} {
		p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
		p.wait(fmt.Sprintf(`innerWidth === %d && document.querySelector(".code-row .tx")`, size[0]))
		wide := eval[float64](p, `document.querySelector(".code-view").clientWidth`)
		p.click("#show-passes")
		p.wait(`document.querySelector("#pipeline").checkVisibility() && document.activeElement.id === "tree"`)
		if got := eval[float64](p, `document.querySelector(".code-view").clientWidth`); got != wide {
			t.Errorf("at %v the text has %.0f pixels below the passes, %.0f without", size, got, wide)
		}
		if !eval[bool](p, `!!document.elementFromPoint(innerWidth - 30, innerHeight - 60).closest(".code-view")`) {
			t.Errorf("at %v there is no text beside the passes", size)
		}
		p.press("\x1b")
		p.wait(`!document.querySelector("#pipeline").checkVisibility() && document.activeElement.id === "show-passes"`)
		p.click("#show-passes")
		p.wait(`document.querySelector("#pipeline").checkVisibility()`)
		p.do("click on the text", chromedp.MouseClickXY(float64(size[0]-30), float64(size[1]-60)))
		p.wait(`!document.querySelector("#pipeline").checkVisibility()`)
	}
}

// TestTextOfAnotherPlaceIsFaint delays what is asked of the server: while the title names a pass whose text is not there yet, the text that is gets
// faint, and the page says that it is busy.
func TestTextOfAnotherPlaceIsFaint(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "cnn"))
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	const opacity = `Number(getComputedStyle(document.querySelector("#code")).opacity)`
	eval[bool](p, `(() => {
		const ask = window.fetch;
		window.late = [];
		window.fetch = (...what) => new Promise((done) => window.late.push(done)).then(() => ask(...what));
		return true; })()`)
	p.click(`#tree [data-step$="/FuseOps"] .name`)
	p.wait(`document.querySelector("#center").ariaBusy === "true" && ` + opacity + ` < 0.5`)
	if got := p.text("#center-title"); !strings.HasPrefix(got, "FuseOps") {
		t.Errorf("the title is %q", got)
	}
	eval[bool](p, `(() => { window.late.forEach((go) => go()); window.late = { push: (go) => go() }; return true; })()`)
	p.wait(`[...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("fused_conv2d"))`)
	p.wait(`document.querySelector("#center").ariaBusy !== "true" && ` + opacity + ` === 1`)
}
