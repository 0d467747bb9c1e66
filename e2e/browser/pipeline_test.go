package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// names is an expression for the names of the rows in order, the tree's own order being that of their places.
const names = `[...document.querySelectorAll(".row")].map(x => x.querySelector(".name").textContent)`

// selectedRow is an expression for the name of the selected row.
const selectedRow = `document.querySelector('.row[aria-selected="true"] .name')?.textContent`

// openModel opens a model of the gallery of the real compiler with all of its passes in sight.
func openModel(t *testing.T, base string, width, height int64, theme string) *page {
	t.Helper()
	p := visit(t, base, width, height)
	p.theme(theme)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(`document.querySelector("#pipeline-menu").checkVisibility()`)
	eval[bool](p, `(document.querySelector("#only-changed").click(), true)`)
	p.wait(`document.querySelector("#hidden-count").textContent === ""`)
	return p
}

// alt presses a key with Alt.
func (p *page) alt(key string) {
	p.t.Helper()
	p.do("press Alt+"+key, strokes(key, chromedp.ModifierAlt))
}

// selectRow selects the row of a pass and gives the focus to the tree.
func (p *page) selectRow(name string) {
	p.t.Helper()
	p.inSight(name)
	eval[bool](p, `(`+named(name)+`.click(), document.querySelector("#tree").focus(), true)`)
	p.wait(selectedRow + fmt.Sprintf(` === %q`, name))
}

// inSight scrolls the tree until it has the row of a pass, well within it.
func (p *page) inSight(name string) {
	p.t.Helper()
	found := eval[bool](p, `(async () => {
		const tree = document.querySelector("#tree");
		for (let y = 0; y <= tree.scrollHeight; y += 100) {
			tree.scrollTop = y;
			await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
			const row = `+named(name)+`;
			if (row) { row.scrollIntoView({block: "center"}); await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); return true; }
		}
		return false; })()`)
	if !found {
		p.t.Fatalf("the tree has no row %s", name)
	}
}

// follows waits until a pass stands right after another.
func (p *page) follows(name, after string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`%s.indexOf(%q) === %s.indexOf(%q) + 1`, names, name, names, after))
}

// selected waits until the row of a pass is selected, at a level of the tree and right behind another row. Numbers of steps differ with each pass
// that the pipeline gets.
func (p *page) selected(name string, level int, after string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(() => {
		const rows = [...document.querySelectorAll(".row")], at = rows.findIndex(x => x.getAttribute("aria-selected") === "true"), name = i => rows[i]?.querySelector(".name").textContent;
		return name(at) === %q && name(at - 1) === %q && rows[at].getAttribute("aria-level") === "%d"; })()`, name, after, level))
}

// settled waits until the run of the settings has ended.
func (p *page) settled() {
	p.t.Helper()
	p.wait(`!document.querySelector("#tree").classList.contains("stale")`)
	p.wait(`["ok", "failed"].includes(document.querySelector("#run-state").dataset.status)`)
}

// TestReorderWithKeys moves a pass up and down, in and out of a sequence, undoes it, and resets.
func TestReorderWithKeys(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	p.selectRow("FoldConstant")
	p.screen("pipeline-selected-1440")
	p.alt(kb.ArrowUp)
	p.follows("FoldConstant", "LegalizeOps")
	p.wait(selectedRow + ` === "FoldConstant"`)
	p.wait(`document.activeElement.id === "tree"`)
	p.wait(`location.search.includes("pass=` + stepPath(p, "FoldConstant") + `")`)
	p.settled()
	p.wait(`document.querySelector("#pipeline-name").textContent === "custom"`)
	p.wait(`/--passes \S+,LegalizeOps,FoldConstant,AnnotateTIROpPattern,FuseOps,FuseTIR,\S+,finalize,tir\b/.test(document.querySelector("#command").textContent)`)
	if got := p.text(row(stepPath(p, "LegalizeOps")) + " .time"); !strings.Contains(got, "↺") {
		t.Errorf("a step before the first difference took %q, want it reused", got)
	}
	p.screen("pipeline-moved-1440")
	audit(p, "a pipeline in another order")

	p.ctrl("z")
	p.follows("FoldConstant", "AnnotateTIROpPattern")
	p.wait(`document.querySelector("#announce").textContent === "Undone" || document.querySelector("#run-state-text").textContent.startsWith("Done")`)
	p.settled()
	p.wait(`document.querySelector("#pipeline-name").textContent === "default"`)

	// Down past a sequence that is a pass by itself, then into one that holds passes, and out again.
	p.selectRow("ApplyDefaultSchedule")
	p.alt(kb.ArrowDown)
	p.follows("ApplyDefaultSchedule", "LiftConstantCalls")
	p.alt(kb.ArrowDown)
	p.follows("ApplyDefaultSchedule", "dataflow_lower")
	p.selected("ApplyDefaultSchedule", 2, "dataflow_lower")
	p.alt(kb.ArrowUp)
	p.selected("ApplyDefaultSchedule", 1, "LiftConstantCalls")
	p.alt(kb.ArrowUp)
	p.selected("ApplyDefaultSchedule", 1, "DeadCodeElimination")
	p.alt(kb.ArrowUp)
	p.selected("ApplyDefaultSchedule", 1, "FuseOps")
	p.settled()
	p.wait(`[...document.querySelectorAll(".row .reason.order")].some(x => x.textContent.includes("a schedule of single kernels is lost when they are fused"))`)
	p.screen("pipeline-order-1440")
	audit(p, "an order that breaks a constraint")
	p.click("#reset-passes")
	p.wait(`document.querySelectorAll(".reason.order").length === 0 && document.querySelector("#reset-passes").hidden`)
	p.follows("LiftConstantCalls", "ApplyDefaultSchedule")
	p.settled()
	p.wait(done)
}

// mouse sends an event of the mouse with its left button.
func (p *page) mouse(kind input.DispatchMouseEventType, x, y float64) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
	})
	if err != nil {
		p.t.Fatalf("%s at %v, %v: %v", kind, x, y, err)
	}
}

// nameOf returns where the name of a row is: its left end and the upper and lower edges of the row.
func (p *page) nameOf(name string) (x, top, bottom float64) {
	p.t.Helper()
	at := eval[[]float64](p, `(() => { const r = `+named(name)+`, b = r.getBoundingClientRect(); return [r.querySelector(".name").getBoundingClientRect().x + 10, b.top, b.bottom]; })()`)
	return at[0], at[1], at[2]
}

// TestReorderWithTheMouse drags rows, watches the line, and uses the buttons of a row.
func TestReorderWithTheMouse(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "dark")
	drag := func(name string, x, y float64) {
		x0, top, bottom := p.nameOf(name)
		p.mouse(chromedp.MousePressed, x0, (top+bottom)/2)
		p.mouse(chromedp.MouseMoved, x0, (top+bottom)/2+8)
		p.mouse(chromedp.MouseMoved, x, y)
		p.wait(`document.querySelector(".drop-line")?.checkVisibility()`)
	}
	x, top, _ := p.nameOf("CanonicalizeBindings")
	drag("DeadCodeElimination", x, top+3)
	if gap := eval[float64](p, `Math.abs(document.querySelector(".drop-line").getBoundingClientRect().top - `+named("CanonicalizeBindings")+`.getBoundingClientRect().top)`); gap > 3 {
		t.Errorf("the line is %v pixels from where the row goes", gap)
	}
	p.screen("pipeline-drag-1440-dark")
	p.mouse(chromedp.MouseReleased, x, top+3)
	p.follows("DeadCodeElimination", "DecomposeOps")
	p.wait(selectedRow + ` === "DeadCodeElimination"`)
	p.settled()

	// Escape gives a drag up.
	order := eval[string](p, names+`.join()`)
	_, top, _ = p.nameOf("FuseOps")
	drag("DecomposeOps", x, top+2)
	p.press(kb.Escape)
	p.wait(`!document.querySelector(".drop-line")`)
	p.mouse(chromedp.MouseReleased, x, top+2)
	if got := eval[string](p, names+`.join()`); got != order {
		t.Errorf("after Escape the order is %s", got)
	}

	// Into a sequence.
	p.inSight("dataflow_lower")
	_, _, bottom := p.nameOf("dataflow_lower")
	drag("ApplyDefaultSchedule", x, bottom-3)
	p.mouse(chromedp.MouseReleased, x, bottom-3)
	p.selected("ApplyDefaultSchedule", 2, "dataflow_lower")
	p.settled()
	p.wait(`document.querySelector("#command").textContent.includes("dataflow_lower[ApplyDefaultSchedule,RewriteDataflowReshape,")`)

	// The menu of the row.
	p.act(`.row[aria-selected="true"]`, "up")
	p.selected("ApplyDefaultSchedule", 1, "LiftConstantCalls")
	p.wait(`document.activeElement.id === "tree"`)
	p.act(`.row[aria-selected="true"]`, "remove")
	p.wait(`!` + named("ApplyDefaultSchedule"))
	p.wait(selectedRow + ` === "dataflow_lower"`)
	p.settled()
	p.wait(done)

	// Its last item leads to the page on the pass. The order stays with the session.
	session := eval[string](p, `location.pathname`)
	p.selectRow("FuseOps")
	p.act(`.row[aria-selected="true"]`, "page")
	p.wait(`location.pathname === "/passes/FuseOps"`)
	p.goTo(session)
	p.wait(done)
	p.follows("DeadCodeElimination", "DecomposeOps")
	p.wait(`document.querySelector("#edited-text").textContent === "Changed: steps"`)
}

// TestAClickMayLastARun holds the button of the mouse down on a tick while a whole run comes in, and lets it go.
func TestAClickMayLastARun(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	p.click(`#run-form input[value="1"]`) // the line that tells what was changed is there from now on
	p.wait(`document.querySelector("#edited-text").checkVisibility()`)
	p.settled()
	p.hover(row(stepPath(p, "FuseOps")))
	at := eval[[]float64](p, `(() => { const b = `+named("FuseOps")+`.querySelector(".tick").getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	ticked := named("FuseOps") + `.querySelector(".tick").classList.contains("on")`
	if !eval[bool](p, ticked) {
		t.Fatal("FuseOps is off")
	}
	first := p.run()
	p.mouse(chromedp.MousePressed, at[0], at[1])
	eval[bool](p, `(document.querySelector('#run-form input[value="3"]').click(), true)`) // without the mouse
	p.notRun(first)
	p.wait(done)
	p.mouse(chromedp.MouseReleased, at[0], at[1])
	p.wait(`!(` + ticked + `)`)
	p.settled()
}

// TestAddAPass finds a pass by a few of its letters, reads about it and adds it, twice.
func TestAddAPass(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	p.selectRow("FuseOps")
	p.press("a")
	p.wait(`document.querySelector("#registry[open]") && document.activeElement.id === "registry-query"`)
	p.screen("pipeline-registry-1440")
	p.ctrl("a") // the debugger sends the character of a key even where the page prevents it
	p.press("fldcnst")
	p.wait(`document.querySelector('.registry-item[aria-selected="true"]').dataset.pass === "FoldConstant"`)
	p.wait(`document.querySelector("#registry-doc h3").textContent === "FoldConstant" && document.querySelector("#registry-doc").textContent.includes("what it folds are calls of kernels")`)
	audit(p, "the registry")
	p.screen("pipeline-registry-search-1440")
	p.press(kb.Enter)
	p.wait(`!document.querySelector("#registry")`)
	p.selected("FoldConstant", 1, "FuseOps")
	p.wait(`document.activeElement.id === "tree"`)
	p.settled()
	p.wait(done)

	// Words of the doc, a kind, a level.
	p.press("a")
	p.wait(`document.activeElement.id === "registry-query"`)
	p.ctrl("a")
	p.press("vector loops")
	p.wait(`[...document.querySelectorAll(".registry-item")].some(x => x.dataset.pass === "tir.VectorizeLoop")`)
	eval[bool](p, `(() => { const s = document.querySelector('#registry select[aria-label="Kind"]'); s.value = "function"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.wait(`document.querySelectorAll(".registry-item").length === 0 && document.querySelector("#registry-add").disabled`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#registry")`)

	// Removed with its key.
	eval[bool](p, `(document.querySelector("#tree").focus(), true)`)
	p.press(kb.Delete)
	p.wait(names + `.filter(x => x === "FoldConstant").length === 1`)
	p.settled()
	p.wait(`document.querySelector("#pipeline-name").textContent === "default"`)
}

// TestLoweringPassesWarn turns a lowering pass off and removes it: what fails is said before.
func TestLoweringPassesWarn(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	p.selectRow("CallTIRRewrite")
	p.press("x")
	p.wait(`document.querySelector("dialog.ask[open]")?.textContent.includes("StaticPlanBlockMemory needs CallTIRRewrite")`)
	audit(p, "the warning before a lowering pass is turned off")
	p.screen("pipeline-warning-1440")
	p.press(kb.Escape)
	p.wait(`!document.querySelector("dialog.ask")`)
	if got := eval[string](p, named("CallTIRRewrite")+`.getAttribute("aria-checked")`); got != "true" {
		t.Errorf("after the warning was dismissed the pass is %s", got)
	}
	p.press(" ")
	p.wait(`document.querySelector("dialog.ask[open]")`)
	p.click("dialog.ask [data-yes]")
	p.inSight("CallTIRRewrite")
	p.wait(named("CallTIRRewrite") + `?.querySelector(".reason")?.textContent === "off"`)
	p.settled()
	p.inSight("StaticPlanBlockMemory")
	p.wait(named("StaticPlanBlockMemory") + `?.querySelector(".reason.order, .reason.failed")`)
	p.ctrl("z")
	p.settled()
	p.wait(done)
	// An optional pass goes without a question.
	p.selectRow("FoldConstant")
	p.press("x")
	p.wait(named("FoldConstant") + `?.querySelector(".reason")?.textContent === "off"`)
	p.settled()
}

// TestOptions sets options of a pass and of the context, with errors, and finds them in the tree and on the command line.
func TestOptions(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	p.selectRow("FuseOps")
	p.wait(`document.querySelector('#pass-options [data-option="fuse_opt_level"] input')?.value === "-1"`)
	p.press("o")
	p.wait(`document.activeElement.closest('[data-option="fuse_opt_level"]')`)
	p.ctrl("a")
	p.press("two")
	p.wait(`document.querySelector('#pass-options .option-wrong').textContent === 'option fuse_opt_level of pass FuseOps needs a value of type int, got "two"'`)
	p.screen("pipeline-options-wrong-1440")
	audit(p, "a wrong option")
	p.ctrl("a")
	p.press("0")
	p.wait(`document.querySelector('#pass-options .option-wrong').textContent === ""`)
	p.wait(named("FuseOps") + `?.querySelector(".optioned")?.title === "fuse_opt_level = 0"`)
	p.settled()
	p.wait(`document.querySelector("#command").textContent.includes('FuseOps{"fuse_opt_level":0}')`)
	p.wait(`document.activeElement.closest('[data-option="fuse_opt_level"]')`)
	p.screen("pipeline-options-1440")
	p.click(`#pass-options .option-back`)
	p.settled()
	p.wait(`document.querySelector("#pipeline-name").textContent === "default"`)

	// A choice, a list, a tick box.
	p.selectRow("tir.NarrowDataType")
	p.wait(`document.querySelectorAll('#pass-options select option').length === 2`)
	p.selectRow("LegalizeOps")
	p.wait(`document.querySelector('[data-option="skip_ops"] textarea')?.value === "[]"`)
	p.click(`[data-option="enable_warning"] input`)
	p.wait(`document.querySelector('[data-option="enable_warning"]').classList.contains("changed")`)
	p.settled()
	p.click(`[data-option="skip_ops"] textarea`)
	p.ctrl("a")
	p.press(`[1]`)
	p.wait(`document.querySelector('[data-option="skip_ops"] .option-wrong').textContent.includes("list of str")`)
	p.click("#reset-passes")
	p.settled()

	// The context.
	p.click("#context")
	p.wait(`document.querySelector("#context-dialog[open]")`)
	p.screen("pipeline-context-1440")
	p.press("disable_vectorize")
	p.wait(`[...document.querySelectorAll("#context-dialog .option")].filter(x => x.checkVisibility()).length === 1`)
	p.click(`[data-option="tir.disable_vectorize"] input`)
	p.wait(`document.querySelector("#command").textContent.includes("--config tir.disable_vectorize=true")`)
	p.click("#context-query")
	p.ctrl("a")
	p.press("auto_max_step")
	p.click(`[data-option="tir.UnrollLoop.auto_max_step"] input`)
	p.ctrl("a")
	p.press("16")
	p.wait(`document.querySelector("#command").textContent.includes("--config tir.UnrollLoop.auto_max_step=16")`)
	p.click("#require-name")
	p.press("Nothing" + kb.Enter)
	p.wait(`document.querySelector("#context-dialog > .option-wrong").textContent.includes('unknown pass "Nothing"')`)
	audit(p, "the settings of a run")
	p.ctrl("a")
	p.press("EliminateCommonSubexpr" + kb.Enter)
	p.wait(`document.querySelector(".required-list li")?.textContent.includes("EliminateCommonSubexpr")`)
	p.press(kb.Escape)
	p.settled()
	p.wait(done)
	p.wait(`document.querySelector("#edited-text").textContent === "Changed: 1 required, 2 settings"`)
}

// TestRequiredPasses runs a pass of a user that requires another: the row of that says why it ran, and cannot be moved. The
// registry has the passes of users too.
func TestRequiredPasses(t *testing.T) {
	t.Parallel()
	p := openModel(t, serveCompiler(t), 1440, 900, "light")
	const script = `def look(mod):\n    return mod\n\nneeds = module_pass(look, opt_level=0, name=\"Needs\", required=[\"DeadCodeElimination\"])\n`
	eval[bool](p, `fetch("/api" + location.pathname.replace("/s/", "/sessions/") + "/runs", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({opt_level: 0, scripts: [{name: "needs.star", source: "`+script+`"}], steps: [{name: "user.Needs"}, {name: "LegalizeOps"}, {name: "dataflow_lower"}, {name: "finalize"}, {name: "tir"}]})}).then(r => r.ok)`)
	p.goTo(eval[string](p, `location.pathname`))
	p.wait(done)
	p.wait(named("DeadCodeElimination") + `?.querySelector(".reason.why")?.textContent === "required by user.Needs"`)
	p.selectRow("DeadCodeElimination")
	p.click(`.row[aria-selected="true"] [data-more]`)
	p.wait(`document.querySelector('.popmenu [data-act="toggle"]')`)
	if p.count(`.popmenu [data-act="up"], .popmenu [data-act="remove"]`) != 0 {
		t.Error("a pass that another requires can be moved")
	}
	p.press(kb.Escape)
	p.wait(`document.activeElement.id === "tree"`)
	p.alt(kb.ArrowDown)
	p.wait(`document.querySelector("#announce").textContent === "DeadCodeElimination is here because it is required by user.Needs"`)
	p.screen("pipeline-required-1440")
	p.selectRow("LegalizeOps")
	p.click("#add-pass")
	p.wait(`document.activeElement.id === "registry-query"`)
	p.press("needs")
	p.wait(`document.querySelector('.registry-item[aria-selected="true"]').dataset.pass === "user.Needs"`)
	p.wait(`document.querySelector("#registry-doc").textContent.includes("Requires")`)
	p.press(kb.Enter)
	p.wait(names + `.filter(x => x === "user.Needs").length === 2`)
	p.settled()
	p.wait(done)
}

// TestPipelineOfAnother opens a session of another visitor: nothing is moved and the reason is said.
func TestPipelineOfAnother(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	p := openModel(t, base, 1440, 900, "light")
	path := eval[string](p, `location.pathname`)
	other := visit(t, base, 1440, 900)
	other.goTo(path)
	other.wait(done)
	other.selectRow("LegalizeOps")
	other.alt(kb.ArrowUp)
	other.wait(`document.querySelector("#announce").textContent.length > 20 && !document.querySelector("#announce").textContent.startsWith("Done")`)
	if n := other.count("[data-more]"); n > 0 {
		t.Errorf("%d rows have tools for who may not change them", n)
	}
	other.wait(`document.querySelector("#add-pass").hidden && document.querySelector('#pass-options [data-option="skip_ops"] textarea').disabled`)
	other.screen("pipeline-fixed-1440")
}

// TestPipelineInSmallWindows looks at the parts of the editor where there is little room, in both themes.
func TestPipelineInSmallWindows(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, size := range [][2]int64{{1024, 768}, {390, 844}} {
		p := openModel(t, base, size[0], size[1], "light")
		look := func(what string) {
			t.Helper()
			if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d is %d pixels too wide", what, size[0], over)
			}
			p.inBoth(func(theme string) {
				audit(p, fmt.Sprintf("%s at %d in %s", what, size[0], theme))
				p.screen(fmt.Sprintf("pipeline-%s-%d-%s", what, size[0], theme))
			})
		}
		p.inSight("FoldConstant")
		eval[bool](p, `(`+named("FoldConstant")+`.click(), document.querySelector('.narrow-tabs [data-tab="passes"]').click(), document.querySelector("#tree").focus(), true)`)
		p.alt(kb.ArrowDown)
		p.follows("FoldConstant", "FuseOps")
		p.settled()
		look("tree")
		p.click("#add-pass")
		p.wait(`document.querySelector("#registry[open]")`)
		look("registry")
		p.press(kb.Escape)
		p.click("#context")
		p.wait(`document.querySelector("#context-dialog[open]")`)
		look("context")
		p.press(kb.Escape)
		p.inSight("LegalizeOps")
		eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
		p.press("o")
		p.wait(`document.activeElement.closest("#pass-options")`)
		look("options")
	}
}
