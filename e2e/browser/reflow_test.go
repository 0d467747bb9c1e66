package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestReflow opens every page in a window of 320x480 pixels, which is one of 1280 at four times the size: none is wider than the window, the place in
// the head of the text names the function, and a graph has room below its tools and above its words.
func TestReflow(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 320, 480)
	session := openText(p, "cnn", "FuseOps", "main", "unified")
	run := p.run()
	paths := []string{"/", "/lessons", "/new", "/passes", "/operators", "/passes/FuseOps", "/operators/nn.conv2d", "/compare/" + run + "/" + run, session, "/docs"}
	p.goTo("/docs")
	paths = append(paths, eval[[]string](p, `[...new Set([...document.querySelectorAll("main a[href^='/docs/']")].map(a => a.pathname))]`)...)
	if len(paths) < 20 {
		t.Errorf("there are only the pages %q", paths)
	}
	for _, path := range paths {
		p.goTo(path)
		p.wait(`document.fonts.status === "loaded"`)
		if got := eval[int](p, `document.documentElement.scrollWidth`); got > 320 {
			t.Errorf("%s is %d pixels wide", path, got)
		}
	}
	p.goTo("/")
	eval[bool](p, `document.querySelector(".hero .whole").textContent = "x86-64 machine code", true`)
	for width := int64(320); width <= 440; width += 8 {
		p.do("resize", chromedp.EmulateViewport(width, 740))
		if n := eval[int](p, `document.querySelector(".hero .whole").getClientRects().length`); n != 1 {
			t.Errorf("in a window of %d pixels the kind of code stands on %d lines", width, n)
		}
		if got := eval[int64](p, `document.documentElement.scrollWidth`); got > width {
			t.Errorf("the start page is %d pixels wide in a window of %d", got, width)
		}
	}
	p.goTo(session)
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	const cut = `[...document.querySelectorAll("#center-title > *")].filter((x, i, all) => i + 1 === all.length && x.getBoundingClientRect().right > x.closest(".crumbs").getBoundingClientRect().right + 1).map(x => x.textContent)`
	for _, width := range []int64{320, 360, 390} {
		p.do("resize", chromedp.EmulateViewport(width, 740))
		p.goTo(session)
		p.wait(done)
		p.wait(`document.querySelector("#center-title").children.length > 1`)
		if got := eval[[]string](p, cut); len(got) > 0 {
			t.Errorf("in a window of %d pixels the place ends before %q", width, got)
		}
	}
	p.click(`#views [data-view="result"]`)
	p.wait(`document.querySelector("#result h3")`)
	if got := eval[int](p, `document.querySelector("#result").scrollWidth`); got > 390 { // the name of a target has no blanks
		t.Errorf("the result is %d pixels wide in a window of 390", got)
	}
	fingers(p)
	p.do("resize", chromedp.EmulateViewport(320, 480))
	p.click(`#views [data-view="graph"]`)
	p.wait(`document.querySelector(".g-stage svg, .g-stage canvas, .g-room") && document.querySelector(".g-counts")?.textContent`)
	if got := eval[float64](p, `document.querySelector(".g-about").getBoundingClientRect().width`); got < 100 {
		t.Errorf("what a node is has %.0f pixels", got)
	}
	if got := eval[float64](p, `document.querySelector(".g-foot").getBoundingClientRect().top - document.querySelector(".g-tools").getBoundingClientRect().bottom`); got < 120 {
		t.Errorf("the graph has %.0f pixels", got)
	}
}

// fingers expects room of 24 pixels for a finger on what is pressed on the page of a session, but for the cells of the strip, which are
// in the list too, and what stands in a sentence.
func fingers(p *page) {
	p.t.Helper()
	const small = `[...document.querySelectorAll("button, a[href], summary")].filter((el) => {
		if (!el.checkVisibility({visibilityProperty: true}) || el.closest("p, li, .skip, .code-view")) return false;
		const r = el.getBoundingClientRect(), more = getComputedStyle(el, "::before");
		const room = more.content !== "none" && more.position === "absolute" ? ["top", "right", "bottom", "left"].map((side) => -parseFloat(more[side])) : [0, 0, 0, 0];
		return r.width > 1 && (r.width + room[1] + room[3] < 24 || r.height + room[0] + room[2] < 24);
	}).map((el) => el.outerHTML.slice(0, 100))`
	for _, part := range []string{"passes", "center", "details"} {
		p.click(`.narrow-tabs [data-tab="` + part + `"]`)
		if got := eval[[]string](p, small); len(got) > 0 {
			p.t.Errorf("a finger has no room on %s: %q", part, got)
		}
	}
	p.click(`.narrow-tabs [data-tab="center"]`)
	for _, view := range []string{"metrics", "loops"} {
		p.click(`#views [data-view="` + view + `"]`)
		p.wait(`document.querySelector("#` + view + ` .link")`)
		if got := eval[[]string](p, small); len(got) > 0 {
			p.t.Errorf("a finger has no room in the view %s: %q", view, got)
		}
	}
}
