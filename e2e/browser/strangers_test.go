package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// media has the system ask for something beside a theme: more contrast, colors of its own.
func (p *page) media(name, value string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: name, Value: value}},
	})
	if err != nil {
		p.t.Fatalf("set %s: %v", name, err)
	}
}

// cutTabs lists the tabs of the views that are not wholly in their bar and in the window, and those that another element lies over.
const cutTabs = `(() => {
	const bar = document.querySelector("#views").getBoundingClientRect(), right = Math.min(bar.right, innerWidth);
	return [...document.querySelectorAll("#views > button")].filter((b) => {
		const r = b.getBoundingClientRect();
		return r.left < bar.left - 0.5 || r.right > right + 0.5 || !b.contains(document.elementFromPoint(r.right - 4, r.y + r.height / 2));
	}).map((b) => b.textContent); })()`

// TestTabsOfViews shows the text of a kernel with a long name in windows of all widths: every view has its tab, whole, and in one window the
// tabs stay where they are from view to view.
func TestTabsOfViews(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "tir.PlanAndUpdateBufferAllocationLocation", "main", "unified")
	p.goTo(eval[string](p, `location.pathname + location.search.replace(/function=[^&]*/, "")`))
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3 && document.querySelector("#center-title").textContent.length > 60`)
	for _, size := range [][2]int64{{1920, 1080}, {1440, 900}, {1366, 768}, {1280, 720}, {1024, 768}, {853, 480}, {768, 1024}, {640, 400}, {390, 844}, {360, 740}} {
		p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
		if size[0] < 600 {
			p.click(`.narrow-tabs [data-tab="center"]`)
		}
		p.wait(`document.fonts.status === "loaded"`)
		if got := eval[[]string](p, cutTabs); len(got) > 0 {
			t.Errorf("at %v these tabs are cut: %q", size, got)
		}
	}
	p.do("resize", chromedp.EmulateViewport(1280, 720))
	places := map[float64][]string{}
	for _, view := range eval[[]string](p, `[...document.querySelectorAll("#views [data-view]")].map((b) => b.dataset.view)`) {
		p.click(`#views [data-view="` + view + `"]`)
		p.wait(`document.querySelector('#views [data-view="` + view + `"]').ariaPressed === "true"`)
		at := eval[float64](p, `document.querySelector("#views").getBoundingClientRect().x`)
		places[at] = append(places[at], view)
	}
	if len(places) != 1 {
		t.Errorf("the tabs stand at %v", places)
	}
}

// TestMarksMenu turns the marks of lines off and on in their menu, by mouse and by keyboard: the menu says what is on and which key does it.
func TestMarksMenu(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	openDiff(p, "cnn", "LegalizeOps", "")
	p.wait(lit("word-add") + `.length > 3`)
	p.click("#words")
	p.wait(`document.querySelector("#words").ariaPressed === "false" && !document.querySelector("#marks-menu").open`)
	p.wait(lit("word-add") + `.length === 0`)
	p.tabTo("#marks-menu > summary")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#marks-menu").open`)
	audit(p, "the menu of marks")
	p.tabTo("#words")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#words").ariaPressed === "true"`)
	p.wait(lit("word-add") + `.length > 3`)
	if got := p.text("#words kbd"); got != "w" {
		t.Errorf("the menu names the key %q", got)
	}
}

// TestOnePopover asks why a pass did something, and then for the life of a value: one panel takes the place of the other, and the pointer on
// its way over the text closes none.
func TestOnePopover(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	const open = `[...document.querySelectorAll(".popover:not([hidden])")].map((x) => x.id).join()`
	p.press("y")
	p.wait(open + ` === "why"`)
	line := eval[int](p, `+document.querySelector('.code-row:last-child [data-line]').dataset.line`)
	at := nameAt(p, line, "return")
	p.do("point at a word", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+60, at[1]))
	eval[bool](p, `new Promise((done) => setTimeout(() => done(true), 700))`) // longer than the pointer must rest
	if got := eval[string](p, open); got != "why" {
		t.Errorf("the pointer on its way over the text leaves %q open", got)
	}
	p.press(".")
	p.wait(open + ` === "biography"`)
	p.press(kb.Escape)
	p.wait(open + ` === ""`)
}

// TestPhoneSearch searches on a phone: the search is a part of its own, a result leads to the code, which is whole.
func TestPhoneSearch(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	openText(p, "cnn", "FuseOps", "main", "unified")
	const share = `((el) => el.checkVisibility() ? el.getBoundingClientRect().height / innerHeight : 0)`
	p.click(`.narrow-tabs [data-tab="search"]`)
	p.wait(`document.querySelector('.narrow-tabs [data-tab="search"]').ariaPressed === "true"`)
	p.wait(share + `(document.querySelector("#search")) > 0.7 && ` + share + `(document.querySelector("#code")) === 0`)
	p.wait(`document.activeElement.id === "search-field"`)
	p.press("relu")
	p.wait(`document.querySelector(".found")`)
	audit(p, "search on a phone")
	p.screen("phone-search")
	p.click(`.narrow-tabs [data-tab="center"]`)
	p.wait(share + `(document.querySelector("#code")) > 0.55 && ` + share + `(document.querySelector("#search")) === 0`)
	p.click(`.narrow-tabs [data-tab="search"]`)
	p.click(".found")
	p.wait(`document.querySelector('.narrow-tabs [data-tab="center"]').ariaPressed === "true" && document.querySelector(".code-row.at-line")`)
	p.wait(share + `(document.querySelector("#code")) > 0.55`)
}

// TestForcedColors shows a session in the colors of a system that allows only its own: what is chosen, turned on or a picture is still told
// from the rest, and text is not painted over.
func TestForcedColors(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.media("forced-colors", "active")
	p.wait(`matchMedia("(forced-colors: active)").matches`)
	for what, same := range map[string]string{
		"the selected pass has no outline":   `getComputedStyle(document.querySelector('.row[aria-selected="true"]')).outlineStyle !== "solid"`,
		"the layout that is on has none":     `getComputedStyle(document.querySelector('#layouts [aria-pressed="true"]')).outlineStyle !== "solid"`,
		"a layout that is off has one":       `getComputedStyle(document.querySelector('#layouts [aria-pressed="false"]')).outlineStyle === "solid"`,
		"the chosen tab has no line":         `getComputedStyle(document.querySelector('#views [aria-pressed="true"]'), "::after").backgroundColor === getComputedStyle(document.body).backgroundColor`,
		"cells of the strip are as the page": `getComputedStyle(document.querySelector('.cell.is-changed'), "::before").backgroundColor === getComputedStyle(document.body).backgroundColor`,
		"the selected cell is as the others": `getComputedStyle(document.querySelector('.cell[aria-selected="true"]'), "::before").backgroundColor === getComputedStyle(document.querySelector('.cell.is-changed:not([aria-selected="true"])'), "::before").backgroundColor`,
		"names of a text are painted over":   `getComputedStyle(document.querySelector(".code-row .tx")).forcedColorAdjust !== "none"`,
	} {
		if eval[bool](p, same) {
			t.Errorf("in forced colors %s", what)
		}
	}
	p.screen("forced-colors")
	p.media("prefers-contrast", "more")
	if eval[bool](p, `(() => { const of = (n) => getComputedStyle(document.documentElement).getPropertyValue(n); return of("--text-2").trim() !== of("--text").trim(); })()`) {
		t.Error("text is not darker where more contrast is asked for")
	}
	p.screen("more-contrast")
}

// TestNarrowMetrics shows the metrics on a phone: no word of theirs is broken.
func TestNarrowMetrics(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 360, 740)
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.press("m")
	p.wait(`document.querySelector("#module-metrics tbody tr")`)
	if got := eval[[]string](p, `[...document.querySelectorAll("#module-metrics tbody th .link")].filter((x) => {
		const words = document.createTreeWalker(x, NodeFilter.SHOW_TEXT), r = new Range();
		for (let n; (n = words.nextNode()); ) for (const m of n.data.matchAll(/\S+/g)) {
			r.setStart(n, m.index); r.setEnd(n, m.index + m[0].length);
			if (r.getClientRects().length > 1) return true;
		}
		return false; }).map((x) => x.textContent)`); len(got) > 0 {
		t.Errorf("these words are broken: %q", got)
	}
	if n := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
		t.Errorf("the page is %d pixels too wide", n)
	}
}

// TestNarrowDocuments opens pages of documents on a phone: the bar is whole, and what was asked for begins in the first screen.
func TestNarrowDocuments(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 360, 740)
	for _, path := range []string{"/", "/lessons", "/docs", "/docs/page", "/passes", "/passes/FuseOps", "/operators", "/operators/nn.conv2d"} {
		p.goTo(path)
		p.wait(`document.querySelector("#theme").checkVisibility()`)
		if out := eval[[]string](p, `[...document.querySelectorAll(".topbar > *")].filter((x) => x.getBoundingClientRect().right > innerWidth).map((x) => x.textContent || x.id)`); len(out) > 0 {
			t.Errorf("%s: %q sticks out of the window", path, out)
		}
		if top := eval[float64](p, `document.querySelector("h1").getBoundingClientRect().top`); top > 200 {
			t.Errorf("%s: the title begins at %v", path, top)
		}
		if got := eval[[]string](p, `[...document.querySelectorAll(".doc td:first-child code")].filter((x) => x.getClientRects().length > 1).map((x) => x.textContent)`); len(got) > 0 {
			t.Errorf("%s: these names are broken: %q", path, got)
		}
		if p.count(`.sections a`) != 4 {
			t.Errorf("%s does not lead to what there is to read", path)
		}
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			audit(p, fmt.Sprintf("%s in %s", path, theme))
		}
	}
}

// TestNarrowFailure opens a damaged model on a phone: what is wrong with it is what is shown.
func TestNarrowFailure(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	p.goTo("/")
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "damaged.onnx", "\x08\x07\x3a\x7f")}))
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(`document.querySelector("#messages").checkVisibility() && document.querySelector("#messages").textContent.includes("damaged.onnx cannot be read")`)
	p.click(`.narrow-tabs [data-tab="passes"]`)
	p.wait(`document.querySelector("#tree").checkVisibility()`)
}

// TestLabelsAreWhole looks at the names of phases above the strip, of which a few letters tell nothing, and at the line below the chosen
// view, which is as wide as its name.
func TestLabelsAreWhole(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1600, 900)
	openText(p, "cnn", "FuseOps", "main", "ir")
	for _, width := range []int64{1600, 1440, 1280, 1024} {
		p.do("resize", chromedp.EmulateViewport(width, 900))
		p.wait(`document.fonts.status === "loaded"`)
		if cut := eval[[]string](p, `[...document.querySelectorAll("#phases .phase-name")].filter((x) => x.checkVisibility({visibilityProperty: true}) && x.clientWidth < 0.8 * x.scrollWidth).map((x) => x.textContent + " " + x.clientWidth)`); len(cut) > 0 {
			t.Errorf("at %d these names of phases are cut: %q", width, cut)
		}
		if lines := eval[[]string](p, `[...document.querySelectorAll("#views [aria-pressed=true]")].map((x) => {
			const r = new Range();
			r.selectNodeContents(x);
			const line = getComputedStyle(x, "::after");
			return r.getBoundingClientRect().width - parseFloat(line.width) > 2 ? x.textContent + ": " + line.width : ""; }).filter(Boolean)`); len(lines) > 0 {
			t.Errorf("at %d the line below the chosen view is shorter than its name: %q", width, lines)
		}
	}
}

// TestPanelsEndInTheWindow opens every view in a low window: what is longer than its place scrolls there.
func TestPanelsEndInTheWindow(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 600)
	path := session(p, "cnn")
	p.goTo(path)
	p.wait(done)
	at := path + "?pass=" + stepOf(p, "tir.FlattenBuffer") + "&function=softmax&view="
	long := 0
	for _, view := range eval[[]string](p, `[...document.querySelectorAll("#views [data-view]")].map((b) => b.dataset.view)`) {
		p.goTo(at + view)
		p.wait(done)
		p.wait(`document.querySelector('#views [data-view="` + view + `"]').ariaPressed === "true" && document.querySelector("#code:not([hidden]) .code-row, #code:not([hidden]) .empty:not([hidden]), #code[hidden] ~ :not([hidden]) *")`)
		if view == "loops" {
			p.wait(`document.querySelectorAll("#loops .loop-row").length > 20`)
		}
		for _, size := range [][2]int64{{1280, 600}, {390, 844}} {
			p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
			if size[0] < 600 {
				p.click(`.narrow-tabs [data-tab="center"]`)
			}
			if got := eval[[]string](p, `(() => {
				const end = document.querySelector(".narrow-tabs").checkVisibility() ? document.querySelector(".narrow-tabs").getBoundingClientRect().top : innerHeight;
				return [...document.querySelectorAll("#center > *, #center > * > *")].filter((x) => x.checkVisibility() && x.getBoundingClientRect().bottom > end + 0.5 && getComputedStyle(x.parentElement).overflowY === "visible").map((x) => x.id || x.className); })()`); len(got) > 0 {
				t.Errorf("%s at %v: %q goes on below the window", view, size, got)
			}
		}
		long += eval[int](p, `[...document.querySelectorAll("#center *")].filter((x) => x.checkVisibility() && x.scrollHeight > x.clientHeight + 100 && getComputedStyle(x).overflowY === "auto").length`)
		p.do("resize", chromedp.EmulateViewport(1280, 600))
	}
	if long < 3 {
		t.Errorf("only %d of the views are longer than their place: this test tells little", long)
	}
}
