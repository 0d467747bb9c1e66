package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// heads are the passes of the columns.
const heads = `[...document.querySelectorAll(".column .column-pass")].map(x => x.selectedOptions[0]?.textContent).join(" ")`

// nameIn is the middle of a word in a column.
func nameIn(p *page, column int, word string) []float64 {
	p.t.Helper()
	find := fmt.Sprintf(`(() => {
		for (const tx of document.querySelectorAll(".column")[%d].querySelectorAll(".tx")) {
			const at = tx.textContent.indexOf(%q);
			if (at < 0) continue;
			const r = new Range(); r.setStart(tx.firstChild, at); r.setEnd(tx.firstChild, at + 4);
			const b = r.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2];
		}
		return null; })()`, column, word)
	p.wait(find)
	return eval[[]float64](p, find)
}

// TestColumns puts one function after several passes side by side, with the keyboard, and finds a value in all of them.
func TestColumns(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "LegalizeOps", "main", "unified")
	p.press("v")
	p.wait(heads + ` === "FoldScaleToConv2D LegalizeOps"`)
	p.wait(`[...document.querySelectorAll(".column")].every(c => c.querySelectorAll(".code-row .tx").length > 10)`)

	// V keeps the pass; j goes on beside it, up to four.
	p.press("V")
	p.press("j")
	p.wait(heads + ` === "LegalizeOps AnnotateTIROpPattern" || ` + heads + ` === "LegalizeOps FoldConstant"`)
	p.press("V")
	p.press("j")
	p.press("V")
	p.press("j")
	p.wait(`document.querySelectorAll(".column").length === 4`)
	four := eval[string](p, heads)
	p.wait(`new URLSearchParams(location.search).getAll("column").length === 3`)
	link := eval[string](p, `location.pathname + location.search`)

	// A name that is clicked is lit in all of them; Escape ends that.
	at := nameIn(p, 0, "lv1")
	p.do("click", chromedp.MouseClickXY(at[0], at[1]))
	p.wait(`[...document.querySelectorAll(".column")].filter(c => c.querySelector(".tx.lived")).length >= 3`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector(".column .tx.lived")`)

	// The link shows the same columns. One is removed, another shows another pass.
	p.goTo(link)
	p.wait(done)
	p.wait(fmt.Sprintf(`%s === %q`, heads, four))
	p.click(".column .column-head button:not([hidden])")
	p.wait(`document.querySelectorAll(".column").length === 3`)
	eval[bool](p, `(() => { const s = document.querySelector(".column:not(.is-selected) select"); s.value = "import"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.wait(heads + `.startsWith("Imported module ")`)
	p.wait(`document.querySelector(".column .tx")?.checkVisibility()`)

	// The short form, as anywhere.
	p.press("z")
	p.wait(`[...document.querySelectorAll(".column")].every(c => c.querySelector(".tx") && ![...c.querySelectorAll(".tx")].some(x => x.textContent.includes("R.Tensor")))`)
}

// TestColumnsLook runs axe over the columns in both themes and at three widths. E2E_SCREENS names a folder for screenshots.
func TestColumnsLook(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "columns")
	p.goTo(strings.Replace(at, "form=exact", "form=compact", 1) + "&column=import&column=" + stepPath(p, "LegalizeOps"))
	p.wait(done)
	p.wait(`document.querySelectorAll(".column").length === 3 && [...document.querySelectorAll(".column")].every(c => c.querySelectorAll(".code-row .tx").length > 10)`)
	p.looks("columns", [][2]int64{{1440, 900}, {1024, 768}, {390, 844}})
}
