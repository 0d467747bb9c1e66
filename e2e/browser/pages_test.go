package browser

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture"
)

// views are the pages and states that are looked at as a whole: by axe, for overflow, and for screenshots.
var views = []struct {
	name, model, query, ready string
}{
	{"gallery", "", "", `document.querySelectorAll(".card").length > 0`},
	{"editor", "", "/new", `document.querySelector(".cm-content")?.textContent.includes("R.matmul") && document.querySelector("#editor-status.is-ok")`},
	{"errors", "", draftPage, `document.querySelectorAll(".cm-lintRange-error").length === 2 && document.querySelector(".cm-lint-marker-error")`},
	{"source", scriptModel, "?view=source&line=3", `document.querySelector(".code-row.at-line")`},
	{"unified", fixture.MLP, "?pass=1.9/FuseTIR&function=main", `document.querySelectorAll(".code-row.is-add").length > 0`},
	{"split", fixture.MLP, "?pass=1.10/ApplyDefaultSchedule&view=split", `document.querySelectorAll(".code-row.is-mod").length > 0`},
	{"ir", fixture.MLP, "?pass=2.3/CallTIRRewrite&view=ir&function=*", `document.querySelectorAll(".code-head").length > 0`},
	{"code", fixture.MLP, "?view=code", `document.querySelectorAll(".code-row").length > 5`},
	{"result", fixture.MLP, "?view=result", `document.querySelector("#result .latency-value")`},
	{"failed", fixture.Broken, "?pass=3.1/LowerAllocTensor", `document.querySelector(".empty .note.error")`},
}

// draftPage is the editor with a text with two errors.
const draftPage = "/new?draft"

// open shows a view and waits until it is there.
func open(p *page, model, query, ready string) {
	p.t.Helper()
	switch {
	case query == draftPage:
		p.goTo("/")
		eval[bool](p, `(sessionStorage.setItem("irscope.draft", JSON.stringify({name: "draft.py", text: "x = 1\ny = wrong + 'ä'\n\nz = [é, wrong]\n"})), true)`)
		p.goTo(query)
	case strings.HasPrefix(query, "/"):
		p.goTo(query)
	case model == "":
		p.goTo("/")
	default:
		p.goTo(session(p, model) + query)
		p.wait(`["ok", "failed"].includes(document.querySelector("#run-state").dataset.status)`)
	}
	if eval[bool](p, `matchMedia("(max-width: 599px)").matches && document.querySelector(".narrow-tabs") !== null`) {
		p.click(`.narrow-tabs [data-tab=center]`) // a narrow window shows one pane at a time
	}
	p.wait(ready)
}

// TestAccessibility runs axe over every view in both themes.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.theme("light")
	for _, v := range views {
		open(p, v.model, v.query, v.ready)
		p.inBoth(func(theme string) { audit(p, v.name+" in "+theme) })
	}
}

// looks has a session page in windows of several sizes and both themes, and ends with the first: it keeps screenshots, runs axe, and
// nothing may be wider than the window. Colors, which are all that the dark theme has of its own, are those of the first size and of
// the last, which shows other parts of the page.
func (p *page) looks(name string, sizes [][2]int64) {
	p.t.Helper()
	p.looksAt("center", name, sizes, audit)
}

// looksAt is looks for the page of any tab, which a narrow window shows alone, or "" where a dialog is in front, and with another check.
func (p *page) looksAt(tab, name string, sizes [][2]int64, check func(p *page, name string)) {
	p.t.Helper()
	for i, size := range sizes {
		p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
		if tab != "" && size[0] < 600 {
			p.click(`.narrow-tabs [data-tab="` + tab + `"]`)
		}
		if n := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
			p.t.Errorf("%s at %d: the page is %d pixels wider than the window", name, size[0], n)
		}
		p.inBoth(func(theme string) {
			at := fmt.Sprintf("%s-%s-%d", name, theme, size[0])
			p.screen(at)
			if theme == "light" || i == 0 || i == len(sizes)-1 {
				check(p, at)
			}
		})
	}
	p.do("resize", chromedp.EmulateViewport(sizes[0][0], sizes[0][1]))
}

// sizes are the windows in which the page must work.
var sizes = []struct{ width, height int64 }{{1440, 900}, {1024, 768}, {390, 844}}

// TestSizes shows every view in every size and theme: nothing may stick out at the side. With E2E_SCREENS it keeps screenshots.
func TestSizes(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	for _, size := range sizes {
		p := visit(t, base, size.width, size.height)
		for _, v := range views {
			open(p, v.model, v.query, v.ready)
			tabs := []string{""}
			if v.model != "" && size.width <= 760 {
				tabs = []string{"passes", "center", "details", "search"}
			}
			for _, tab := range tabs {
				if tab != "" {
					p.click(`.narrow-tabs [data-tab=` + tab + `]`)
				}
				p.inBoth(func(theme string) {
					if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
						t.Errorf("%s %s at %d in %s is %d pixels too wide", v.name, tab, size.width, theme, over)
					}
					p.screen(fmt.Sprintf("%s%s-%d-%s", v.name, tab, size.width, theme))
				})
			}
		}
	}
}

// TestWithoutScript shows the pass table and the first lines where scripts are off, and a form that works.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path)
	p.wait(done)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.goTo(path)
	p.wait(`document.querySelectorAll(".plain-passes tbody tr").length > 15`)
	p.wait(`document.querySelectorAll(".plain-row").length > 3`)
	if p.count(`#app [data-needs-js]:not([hidden])`) != 0 {
		t.Error("controls that need a script are shown without one")
	}
	if dir := os.Getenv("E2E_SCREENS"); dir != "" {
		p.shot(filepath.Join(dir, "noscript.png"))
	}
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(`document.querySelectorAll(".plain-passes").length > 0 || document.querySelector("#app")`)
}

// TestThemeMenu chooses a theme against the system's and finds it again after a reload.
func TestThemeMenu(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.theme("light")
	p.goTo("/")
	p.wait(`getComputedStyle(document.documentElement).backgroundColor === "rgb(255, 255, 255)"`)
	eval[bool](p, `(() => { const m = document.querySelector("#theme"); m.click(); m.click(); return true; })()`)
	p.wait(`getComputedStyle(document.documentElement).backgroundColor === "rgb(14, 17, 22)"`)
	p.goTo("/")
	p.wait(`getComputedStyle(document.documentElement).backgroundColor === "rgb(14, 17, 22)" && document.querySelector("#theme").dataset.theme === "dark"`)
}

func readGzip(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
