package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// told is true when the life of a value is shown.
const told = `document.querySelector("#biography:not([hidden])")`

// TestBiography rests the pointer on a value: its life is told in a line, every place of it is lit, and the history is a click away. What
// was chosen stays while the reader goes from pass to pass.
func TestBiography(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "unified")

	// The first click of a visitor is not lost while the script is on its way, nor are the script's own clicks doubled.
	p.goTo(at)
	p.wait(done)
	line := lineOf(p, "relu1_Relu:")
	spot := nameAt(p, line, "relu1_Relu")
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => x.name.includes("/static/historyview-")).length`); n != 0 {
		t.Error("the script of histories was there before the click")
	}
	p.do("click at once", chromedp.MouseClickXY(spot[0], spot[1]))
	p.wait(lived)
	p.wait(`document.querySelector("#history-title").textContent === "relu1_Relu"`)
	p.press("k")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("AnnotateTIROpPattern") || !location.search.includes("/FuseOps")`)
	p.wait(`location.search.includes("history=") && document.querySelector("#history-title").textContent === "relu1_Relu"`)
	p.press("j")
	p.wait(`location.search.includes("/FuseOps") && document.querySelector(".tx.lived")`)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden`)

	// Under the pointer: lit wherever it stands, and its life after a moment.
	spot = nameAt(p, line, "relu1_Relu")
	p.do("away", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0], spot[1]+300))
	p.do("point", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0], spot[1]))
	p.wait(`document.querySelector(".code-view.over-name") && CSS.highlights.get("name-lit")?.size > 1`)
	p.wait(told)
	life := p.text("#biography")
	for _, want := range []string{"relu1_Relu", "Born in the import from", "fused in FuseOps", "lowered in code generation", "Open the history"} {
		if !strings.Contains(life, want) {
			t.Errorf("its life is %q, expected %q in it", life, want)
		}
	}
	p.click("#biography .bio-foot .link")
	p.wait(lived)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden`)

	// Why, from the value.
	p.do("away", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0], spot[1]+300))
	spot = nameAt(p, line, "relu1_Relu")
	p.do("point", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0], spot[1]))
	p.wait(told)
	eval[bool](p, `([...document.querySelectorAll("#biography .link")].find(x => x.textContent === "Why here").click(), true)`)
	p.wait(answered)
	if got := p.text("#why"); !strings.Contains(got, fmt.Sprintf("line %d", line)) {
		t.Errorf("the value is explained by %q", got)
	}
}

// TestBiographyLooks runs axe over the line in both themes. E2E_SCREENS names a folder for screenshots.
func TestBiographyLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "unified")
	p.goTo(strings.Replace(at, "form=exact", "form=compact", 1))
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row.is-add .tx").length > 1`)
	spot := eval[[]float64](p, `(() => { const n = document.querySelector(".code-row.is-add .tx").firstChild, i = n.textContent.search(/\w/);
		const r = new Range(); r.setStart(n, i); r.setEnd(n, i + 4); const b = r.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	p.until("the life is told", func() bool {
		p.do("near", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0]+1, spot[1]))
		p.do("point", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot[0], spot[1]))
		return eval[bool](p, "!!"+told)
	})
	p.inBoth(func(theme string) {
		p.screen("biography-" + theme)
		audit(p, "biography-"+theme)
	})
}
