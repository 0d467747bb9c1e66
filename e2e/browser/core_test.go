package browser

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
)

// done is true when the run on the page has ended well.
const done = `document.querySelector("#run-state").dataset.status === "ok" && document.querySelector("#run-state-text").textContent.startsWith("Done")`

// row is a selector for the row of a step in the tree.
func row(step string) string { return fmt.Sprintf(`.row[data-step="%s"]`, step) }

// TestCoreFlow goes the way of every visitor: a model from the gallery, the diffs, a pass turned off, another level, the result.
// E2E_REPEAT says how often, each time as a new visitor of a new server: a test that fails one time in a hundred is found so.
func TestCoreFlow(t *testing.T) {
	t.Parallel()
	n := 1
	if text := os.Getenv("E2E_REPEAT"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("E2E_REPEAT is %q, want a number from 1 on", text)
		}
	}
	for i := range n {
		if !t.Run(strconv.Itoa(i+1), coreFlow) {
			return
		}
	}
}

func coreFlow(t *testing.T) {
	p := visit(t, serve(t, &fixture.Runner{Reuse: true}), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)

	// The first pass that changed something is open, with its diff.
	p.wait(`document.querySelector("` + `[aria-selected=true][data-step='1.4/DeadCodeElimination']` + `")`)
	p.wait(`[...document.querySelectorAll(".code-row.is-del .tx")].some(x => x.textContent.includes("unused"))`)
	if got := p.text(row("1.3/EliminateCommonSubexpr") + " .reason"); got != "from O3" {
		t.Errorf("a pass above the level says %q, want its reason", got)
	}
	if got := p.text(row("1.4/DeadCodeElimination") + " .delta"); got != "+0 −1" {
		t.Errorf("DeadCodeElimination shows %q, want +0 −1", got)
	}
	if p.count(row("1.8/FuseOps")) != 0 {
		t.Error("a pass that changed nothing is listed although only changed ones are asked for")
	}
	if got := p.text("#hidden-count"); !strings.Contains(got, "hidden") {
		t.Errorf("the count of hidden passes is %q", got)
	}

	// j and k walk over the changed passes; the functions are sorted by size of change.
	p.press("j")
	p.wait(`document.querySelector("#center-title").textContent === "LegalizeOps › main"`)
	p.wait(`document.querySelector(".fn[aria-current] .name").textContent === "main"`)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 5`)
	p.press("j")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseTIR › ")`)
	p.press("k")
	p.wait(`document.querySelector("#center-title").textContent === "LegalizeOps › main"`)
	p.press("J")
	p.wait(`location.search.includes("pass=1.9/FuseTIR")`)

	// Turning a pass off runs again.
	run := p.run()
	p.click(row("1.9/FuseTIR") + " .tick")
	p.notRun(run)
	p.wait(done)
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.textContent === "off"`, row("1.9/FuseTIR")+" .reason"))
	if got := eval[string](p, fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-checked")`, row("1.9/FuseTIR"))); got != "false" {
		t.Errorf("the tick of a pass that is off is %s", got)
	}
	if got := p.text("#command"); !strings.Contains(got, "--disable-pass FuseTIR") {
		t.Errorf("the command line is %q, want it to turn FuseTIR off", got)
	}

	if got := p.text(row("1.5/LegalizeOps") + " .time"); !strings.Contains(got, "↺") || !strings.Contains(got, "reused") {
		t.Errorf("a step before the first difference shows the time %q, want it marked as reused", got)
	}
	if got := p.text(row("2.3/CallTIRRewrite") + " .time"); strings.Contains(got, "↺") {
		t.Errorf("a step after the first difference shows the time %q, want it not marked as reused", got)
	}

	// A lowering pass warns first.
	p.click(row("1.5/LegalizeOps") + " .tick")
	p.click("dialog.ask [data-yes]")
	p.wait(`document.querySelector("#messages .note.warning")?.textContent.includes("LegalizeOps is a lowering pass")`)
	p.click("#reset-passes")
	p.wait(`!document.querySelector("#messages .note.warning")`)
	p.wait(done)

	// Another level.
	p.click(`input[name=opt_level][value="3"]`)
	p.wait(`document.querySelector("#command").textContent.includes("--opt-level 3")`)
	p.wait(done)
	p.wait(fmt.Sprintf(`!document.querySelector(%q)`, row("1.3/EliminateCommonSubexpr")))

	// The result, and the code of a kernel.
	p.click(`#center-tools [data-view=result]`)
	p.wait(`document.querySelector("#result .latency-value")`)
	if got := p.text("#result .tensor"); !strings.Contains(got, "probs") || !strings.Contains(got, "float32 1×10") || !strings.Contains(got, "0.4501") {
		t.Errorf("the output reads %q", got)
	}
	p.click(`#result .kernels .link`)
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("f32x4.mul"))`)
}

// TestSplitAndFolds looks at the side-by-side view, word marks, and a fold that opens.
func TestSplitAndFolds(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo(session(p, fixture.MLP) + "?pass=1.4/DeadCodeElimination")
	p.wait(`document.querySelectorAll(".fold").length === 2`)
	before := p.count(".code-row")
	p.click(`.fold`)
	p.wait(fmt.Sprintf(`document.querySelectorAll(".fold").length === 1 && document.querySelectorAll(".code-row").length > %d`, before))
	p.wait(`document.querySelector(".code-row .tx").textContent === "@R.function"`)
	p.press("u")
	p.wait(`document.querySelector(".code-view").classList.contains("split")`)
	p.goTo(session(p, fixture.MLP) + "?pass=1.10/ApplyDefaultSchedule&view=split")
	p.wait(`document.querySelectorAll(".code-row.is-mod").length > 2`)
	if n := eval[int](p, `CSS.highlights.get("word-add")?.size ?? 0`); n == 0 {
		t.Error("no words are marked")
	}
	p.press("w")
	p.wait(`(CSS.highlights.get("word-add")?.size ?? 0) === 0`)
}

// TestFailure checks that everything before a failed pass stays, and that the page leads to the pass.
func TestFailure(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo(session(p, fixture.Broken))
	p.wait(`document.querySelector("#run-state").dataset.status === "failed"`)
	const shown = `document.querySelector(".empty-title")?.textContent === "LowerAllocTensor failed"`
	p.wait(shown)
	if got := p.text("#run-state-text"); !strings.HasPrefix(got, "Failed in LowerAllocTensor") {
		t.Errorf("the state reads %q", got)
	}
	p.selectRow("LegalizeOps")
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.wait(`document.querySelector("#messages .note.error")?.textContent.includes("unknown shape")`)
	p.click(`[data-culprit]`)
	p.wait(shown)
	if got := p.text(row("3.1/LowerAllocTensor") + " .glyph"); got != "✕" {
		t.Errorf("the failed pass has the mark %q", got)
	}
	p.click(`.empty .btn`)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
}

// TestMarkupIsText runs a model whose names and texts are markup.
func TestMarkupIsText(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo(session(p, fixture.Hostile) + "?pass=1.5/LegalizeOps")
	p.wait(done)
	p.click("#only-changed")
	p.wait(`[...document.querySelectorAll(".row .name")].some(x => x.textContent === '<b id="pwned">Pass</b>')`)
	p.wait(`[...document.querySelectorAll(".fn .name")].some(x => x.textContent.startsWith("<img"))`)
	eval[bool](p, `[...document.querySelectorAll(".fn")].find(x => x.textContent.includes("<img")).click(), true`)
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("<script>"))`)
	for _, view := range []string{"ir", "result", "code"} {
		p.click(`#center-tools [data-view=` + view + `]`)
	}
	if eval[bool](p, `"__pwned" in window || document.getElementById("pwned") !== null || document.querySelector("img, .app script") !== null`) {
		t.Error("markup from a model became part of the page")
	}
}
