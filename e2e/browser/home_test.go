package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// played is true when the recorded run on the start page has ended.
const played = `document.querySelectorAll("#live-strip .cell").length > 40 && document.querySelectorAll("#live-strip .is-waiting, #live-strip .is-running").length === 0`

// TestLiveStrip plays the recorded run of the start page; its passes are looked at with the pointer and the keys.
func TestLiveStrip(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector("#live-strip .is-running") && document.querySelector("#live-strip .is-waiting")`)
	eval[bool](p, watchLayout)
	p.wait(played)
	p.wait(`document.querySelector("#live-pass").textContent === "FuseOps"`)
	p.wait(`document.querySelectorAll("#live-code .is-del").length === 5 && document.querySelectorAll("#live-code .is-add").length === 1`)
	p.still("the recorded run")
	p.click(`#live-strip [aria-label^="LegalizeOps"]`)
	p.wait(`document.querySelector("#live-pass").textContent === "LegalizeOps"`)
	p.press(kb.ArrowRight)
	p.wait(`document.querySelector("#live-pass").textContent === "AnnotateTIROpPattern" && document.activeElement.ariaSelected === "true"`)
	eval[bool](p, `(new MutationObserver((all) => { window.__again ||= all.some((m) => m.target.classList.contains("is-waiting")); }).observe(document.querySelector("#live-strip"), {subtree: true, attributes: true}), true)`)
	p.wait(`getComputedStyle(document.querySelector("#live-again")).visibility === "visible"`)
	p.click("#live-again")
	p.wait(`window.__again`)
	p.wait(played)

	// Who wants no motion sees the end at once, and has nothing to play.
	q := visit(t, p.base, 1440, 900)
	if _, err := chromedp.Call(q.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		t.Fatal(err)
	}
	q.goTo("/")
	q.wait(`document.querySelector("#live-strip .cell")`)
	if !eval[bool](q, played) || !eval[bool](q, `document.querySelector("#live-again").hidden`) {
		t.Error("the run is played for who wants no motion")
	}
}

// TestDocs goes from the foot of the start page to the tutorial, its pictures and another document, in both themes.
func TestDocs(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		p := visit(t, base, size[0], size[1])
		p.goTo("/")
		p.click(`.home-foot [href="/docs"]`)
		p.wait(`document.querySelector("h1")?.textContent === "Documents"`)
		p.click(`#doc [href="/docs/tutorial"]`)
		p.wait(`document.querySelector("h1")?.textContent === "Five minutes with irscope"`)
		p.wait(`[...document.images].length === 3 && [...document.images].every((x) => x.complete && x.naturalWidth === 1200)`)
		for _, name := range []string{"docs/tutorial", "docs/from-tvm", "docs/protocol", "passes", "passes/FuseOps", "passes/tir.PlanAndUpdateBufferAllocationLocation", "operators", "operators/vision.non_max_suppression"} {
			p.goTo("/" + name)
			p.wait(`document.querySelector(".doc h1")`)
			if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d is %d pixels too wide", name, size[0], over)
			}
			if size[0] == 1440 && strings.Count(name, "/") == 1 { // where the page is among all of them
				p.wait(`(() => { const r = document.querySelector(".doc-nav [aria-current]").getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; })()`)
			}
			p.inBoth(func(theme string) {
				if size[0] == 1440 {
					audit(p, name+" in "+theme)
				}
				p.screen(fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(name, "/", "-"), size[0], theme))
			})
		}
	}
}

// TestHomeLooks shows the start page at several sizes in both themes: axe finds nothing, nothing sticks out. E2E_SCREENS names a folder for
// screenshots.
func TestHomeLooks(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, size := range [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}} {
		p := visit(t, base, size[0], size[1])
		p.goTo("/")
		p.wait(played)
		if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("the start page at %d is %d pixels too wide", size[0], over)
		}
		p.inBoth(func(theme string) {
			if size[0] == 1440 || size[0] == 390 {
				audit(p, fmt.Sprintf("start page at %d in %s", size[0], theme))
			}
			p.screen(fmt.Sprintf("home-%d-%s", size[0], theme))
		})
	}
	p := visit(t, base, 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector("#model-file")`)
	eval[bool](p, `(() => {
		const input = document.querySelector("#model-file"), files = new DataTransfer();
		files.items.add(new File([new Uint8Array(65 << 20)], "large.onnx"));
		input.files = files.files;
		return input.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	p.wait(`document.querySelector(".drop .error, .drop [role=alert]")?.textContent.includes("65.0 MiB; the limit is 64.0 MiB. The command line has none: irscope run large.onnx")`)
}
