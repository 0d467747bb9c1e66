package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// palette opens the palette and types into it.
func (p *page) palette(query string) {
	p.t.Helper()
	p.do("Ctrl+K", strokes("k", chromedp.ModifierCtrl))
	p.wait(`document.activeElement?.id === "palette-field"`)
	p.do("type "+query, strokes(query))
	p.wait(fmt.Sprintf(`document.activeElement.value === %q`, query))
}

// wouldDo is what the palette would do.
const wouldDo = `document.querySelector('.palette-row[aria-selected="true"]')?.textContent ?? ""`

// find waits until the palette would do what begins with a text, and has it done.
func (p *page) find(query, want string) {
	p.t.Helper()
	p.palette(query)
	p.wait(fmt.Sprintf(`(%s).startsWith(%q)`, wouldDo, want))
	if got := eval[string](p, `document.querySelector("#palette-field").getAttribute("aria-activedescendant")`); got != "palette-0" {
		p.t.Errorf("the field points to %q", got)
	}
	p.press(kb.Enter)
	p.wait(`!document.querySelector("#palette")`)
}

// TestPalette goes through the page by a few letters.
func TestPalette(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector("#search-button").checkVisibility()`)
	p.find("conv net", "modelConvolutional network")
	p.wait(done)
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => /commands|palette/.test(x.name)).length`); n != 0 {
		t.Errorf("%d parts of the palette are loaded before it is opened", n)
	}

	// What is offered before anything is asked for says the keys that do the same.
	p.palette("")
	p.wait(`document.querySelectorAll(".palette-row").length > 40`)
	without := eval[[]string](p, `[...document.querySelectorAll(".palette-row")].filter(x => x.querySelector(".palette-kind").textContent === "action" && !x.querySelector("kbd")).map(x => x.querySelector(".palette-name").textContent)`)
	if len(without) > 10 {
		t.Errorf("these actions have no key: %q", without)
	}
	if got := eval[string](p, `[...document.querySelectorAll(".palette-row")].find(x => x.textContent.includes("Next changed pass"))?.querySelector("kbd")?.textContent ?? ""`); got != "j" {
		t.Errorf("the key of the next changed pass is said to be %q", got)
	}
	p.press("\x1b")
	p.wait(`!document.querySelector("#palette")`)

	p.find("fuseops", "passFuseOps")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › main")`)
	p.find("fused_conv2d block1_conv1", "functionfused_conv2d")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › fused_")`)
	p.find("metrics", "viewMetrics")
	p.wait(`document.querySelector('[data-view="metrics"][aria-pressed="true"]')`)
	p.another(func() { p.find("opt_level 3", "settingopt_level 3") })
	p.wait(`document.querySelector("#level").textContent === "O3"`)
	p.another(func() { p.find("turn off fuseops", "turnTurn off FuseOps") })
	p.wait(`document.querySelector('#tree [data-step$="/FuseOps"]').getAttribute("aria-checked") === "false"`)
	run := p.run()
	p.palette("run #1")
	p.wait(`(` + wouldDo + `).startsWith("run#1 O2")`)
	p.press(kb.Enter)
	p.notRun(run)
	p.wait(done)
	p.wait(`document.querySelector("#level").textContent === "O2"`)
	p.find("setting bound_checkers", "settingtir.instrument_bound_checkers")
	p.wait(`document.querySelector("dialog[open]") !== null`)
	p.press("\x1b")
	p.wait(`document.querySelector("dialog[open]") === null`)

	// What has no name is searched for in the passes.
	p.find("gone:nn.conv2d", "searchSearch all passes for “gone:nn.conv2d”")
	p.wait(`document.querySelector("#search-field")?.value === "gone:nn.conv2d" && document.querySelectorAll(".found").length > 0`)

	// The pointer, and the other session.
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	p.click("#search-button")
	p.wait(`document.querySelector("#palette[open]")`)
	p.do("type", strokes("convolutional"))
	p.wait(`(` + wouldDo + `).startsWith("sessionConvolutional network")`)
	p.click(`.palette-row[aria-selected="true"]`)
	p.wait(`document.querySelector("#title")?.textContent === "Convolutional network"`)
	p.wait(done)
}

// TestPaletteLooks runs axe over the palette in both themes, and looks whether it fits the window. E2E_SCREENS names a folder for
// screenshots.
func TestPaletteLooks(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, size := range [][2]int64{{1440, 900}, {853, 480}, {390, 844}} {
		p := visit(t, base, size[0], size[1])
		p.goTo("/")
		p.click(`[data-gallery="mlp"] .card-open`)
		p.wait(done)
		for _, query := range []string{"", "fo", "zzz"} {
			p.palette(query)
			p.wait(`document.querySelectorAll(".palette-row").length > 0`)
			p.inBoth(func(theme string) {
				if out := eval[string](p, `(() => { const r = document.querySelector("#palette").getBoundingClientRect(); return r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight ? JSON.stringify(r) : ""; })()`); out != "" {
					t.Errorf("the palette is outside of the window at %d: %s", size[0], out)
				}
				if size[0] == 1440 {
					audit(p, strings.TrimSpace("palette "+query+" in "+theme))
				}
				p.screen(fmt.Sprintf("palette-%s-%d-%s", query, size[0], theme))
			})
			p.press("\x1b")
			p.wait(`!document.querySelector("#palette")`)
		}
	}
}
