package browser

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// editing tells that the dialog is open with its editor focused.
const editing = `document.querySelector("#edit-dialog[open]") && document.activeElement.classList.contains("cm-content")`

// TestEditTheIR goes the whole way with the keyboard: the IR after a pass, an error and where it is, the run that goes on from the
// edited IR, what it reused, the edit turned off and on, edited again, and removed.
func TestEditTheIR(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => /editir|codemirror/.test(x.name)).length`); n != 0 {
		t.Errorf("%d scripts to edit IR are loaded before it is edited", n)
	}
	// FoldConstant, which takes away what the edit leaves unused, changes something in the second run only.
	const rows = `[...document.querySelectorAll(".row")].map(x => x.dataset.step).filter(x => !/\/edit\.|\/FoldConstant$/.test(x)).slice(0, 12).join()`
	before := eval[string](p, rows)
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.tabTo(`#center-tools [data-view="ir"]`)
	p.press(kb.Enter)
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("= cls.relu(fc1)"))`)
	p.screen("edit-button-1440")
	p.press("e")
	p.wait(editing)
	p.wait(`document.querySelector("#ei-title").textContent === "Edit main after LegalizeOps"`)
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent.includes("result of the step")`)
	if !eval[bool](p, `[...document.querySelectorAll(".cm-line")].some(x => x.textContent.includes("metadata["))`) {
		t.Error("the text has no constants")
	}
	audit(p, "the editor of IR")

	// An error is marked where it is, and is not taken.
	line := p.behind("relu1_Relu = R.call_tir(cls.relu")
	p.press(strings.Repeat(kb.Backspace, len("relu")) + "nothing")
	p.wait(marked + ` === "cls.nothing"`)
	p.wait(fmt.Sprintf(`document.querySelector("#edit-dialog .diagnostic-place")?.textContent.startsWith("%d:")`, line))
	p.screen("edit-error-1440")
	audit(p, "an error in edited IR")
	p.ctrl(kb.Enter)
	p.wait(`getSelection().toString() === "cls.nothing" && document.querySelector("#edit-dialog[open]")`)
	p.press("cls.relu")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent.includes("result of the step")`)
	p.behind("relu1_Relu = R.call_tir(cls.relu, (fc1_Gemm")
	p.press("_matmul")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent === "No errors: 1 function edited: main."`)

	// Closed, it is there when it is opened again.
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#edit-dialog[open]")`)
	p.press("e")
	p.wait(editing + ` && [...document.querySelectorAll(".cm-line")].some(x => x.textContent.includes("(fc1_Gemm_matmul,)"))`)
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent.includes("main")`)
	p.another(func() { p.ctrl(kb.Enter) })
	p.wait(named("edit.LegalizeOps") + `?.getAttribute("aria-selected") === "true"`)
	p.wait(`document.querySelector("#details-body .written")?.textContent.includes("edited by hand after LegalizeOps: main replaces")`)
	p.timeline()
	if said := p.text("#timeline-total"); !regexp.MustCompile(`^reused \d+ of \d+ passes, [\d.]+ .?s instead of [\d.]+ .?s · `).MatchString(said) {
		t.Errorf("the page says %q about what was reused", said)
	}
	if said := p.text("#announce"); !strings.Contains(said, "reused") || !strings.Contains(said, "instead of") {
		t.Errorf("a screen reader is told %q", said)
	}
	if after := eval[string](p, rows); after != before {
		t.Errorf("the steps were\n%s\nand are\n%s", before, after)
	}
	if got := eval[string](p, named("LegalizeOps")+`.querySelector(".time").textContent`); !strings.Contains(got, "reused") {
		t.Errorf("the step before the edit took %q, want it reused", got)
	}
	if got := p.text("#command"); !strings.Contains(got, "--patch LegalizeOps=edit.LegalizeOps.py") {
		t.Errorf("the command line is %q", got)
	}
	p.press("u")
	p.wait(`[...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("= cls.relu(fc1_matmul)"))`)
	p.screen("edit-done-1440")
	audit(p, "an edited step")
	file := eval[string](p, `fetch(document.querySelector("#details-body .written a").href).then(r => r.text())`)
	if !strings.Contains(file, "(fc1_Gemm_matmul,)") || !strings.Contains(file, "@R.function") {
		t.Errorf("the file for the command line is\n%s", file)
	}

	// Off, on, edited again, removed: all by key.
	p.another(func() { p.press("x") })
	p.wait(named("edit.LegalizeOps") + `.classList.contains("is-skipped")`)
	p.another(func() { p.press("x") })
	p.wait(named("edit.LegalizeOps") + `.classList.contains("is-changed")`)
	p.press("i")
	p.tabTo("#edit-again")
	p.press(kb.Enter)
	p.wait(editing + ` && document.querySelector("#ei-title").textContent === "Edit again after LegalizeOps"`)
	p.wait(`document.querySelector("#ei-status.is-ok")`)
	p.behind("relu2_Relu = R.call_tir(cls.relu1, (fc2_Gemm")
	p.press("_matmul")
	p.wait(`document.querySelector("#ei-status.is-ok")`)
	p.tabTo("#ei-continue")
	p.another(func() { p.press(kb.Enter) })
	p.wait(`[...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("= cls.relu1(fc2_matmul)"))`)
	p.another(func() { p.tabTo("#edit-remove"); p.press(kb.Enter) })
	p.wait(`!(` + named("edit.LegalizeOps") + `)`)
	p.another(func() { p.ctrl("z") })
	p.wait(named("edit.LegalizeOps") + `?.classList.contains("is-changed")`)
}

// behind moves the cursor behind the first place of a text in the editor and returns the number of its line.
func (p *page) behind(text string) int {
	p.t.Helper()
	at := eval[[]int](p, fmt.Sprintf(`(() => {
		const lines = [...document.querySelectorAll(".cm-line")].map(x => x.textContent);
		const i = lines.findIndex(x => x.includes(%[1]q));
		return i < 0 ? [] : [i, lines[i].trimStart().indexOf(%[1]q) + %[2]d]; })()`, text, len(text)))
	if len(at) == 0 {
		p.t.Fatalf("the editor has no %q", text)
	}
	p.ctrl(kb.Home)
	p.press(strings.Repeat(kb.ArrowDown, at[0]) + kb.End + kb.Home + strings.Repeat(kb.ArrowRight, at[1]))
	return at[0] + 1
}

// TestEditsWithTheMouse edits the imported module as a whole, in dark and narrow windows, a kernel further down, and takes the step
// away that an edit is behind.
func TestEditsWithTheMouse(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1024, 768)
	p.theme("dark")
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	eval[bool](p, `(document.querySelector(".row.imported").click(), true)`)
	p.click(`#center-tools [data-view="ir"]`)
	p.click("#edit-ir")
	p.wait(editing + ` && document.querySelector("#ei-title").textContent === "Edit main as imported"`)
	p.wait(`document.querySelector("#ei-status.is-ok")`)
	p.behind("R.nn.relu")
	p.press(strings.Repeat(kb.Backspace, len("nn.relu")) + "tanh")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent === "No errors: 1 function edited: main."`)
	p.behind("relu2_Relu:")
	p.press("   ")
	p.click("#ei-format")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent === "Formatted."`)
	p.wait(`[...document.querySelectorAll(".cm-line")].some(x => x.textContent.includes("relu2_Relu: R.Tensor"))`)
	p.screen("edit-whole-1024-dark")
	p.another(func() { p.click("#ei-continue") })
	p.wait(named("edit.import") + `?.dataset.step === "1.0e/edit.import"`)
	audit(p, "an edited import in dark")
	p.screen("edit-import-1024-dark")

	// A kernel behind FuseTIR; then FuseTIR goes.
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.click(`#center-tools [data-view="ir"]`)
	p.wait(`[...document.querySelectorAll("#tree .fn")].some(x => x.textContent.includes("tanh"))`)
	eval[bool](p, `([...document.querySelectorAll("#tree .fn")].find(x => x.textContent.includes("tanh")).click(), true)`)
	p.click("#edit-ir")
	p.wait(editing + ` && document.querySelector("#ei-title").textContent === "Edit tanh after LegalizeOps"`)
	p.wait(`document.querySelector("#ei-status.is-ok")`)
	p.behind("compute[v_i0, v_i1] = ")
	p.press("T.float32(1) + ")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent.includes("1 function edited: tanh")`)
	p.another(func() { p.click("#ei-continue") })
	p.wait(named("edit.LegalizeOps") + `?.classList.contains("is-changed")`)
	settings := eval[string](p, `fetch("/api/runs/`+p.run()+`").then(r => r.json()).then(r => JSON.stringify(r.run.settings))`)
	eval[bool](p, fmt.Sprintf(`fetch("/api" + location.pathname.replace("/s/", "/sessions/") + "/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({...%s, steps: [{name: "FoldConstant"}], pipeline: "zero"})}).then(r => r.ok)`, settings))
	p.goTo(eval[string](p, `location.pathname`))
	p.wait(`[...document.querySelectorAll("#messages .note")].some(x => x.textContent.includes("the edit of the IR after LegalizeOps is left out"))`)
	p.screen("edit-left-out-1024-dark")
	audit(p, "an edit that is left out")
	p.click(`[data-remove-edit="LegalizeOps"]`)
	p.wait(`!document.querySelector("[data-remove-edit]") && !document.querySelector("#messages").textContent.includes("left out")`)

	p = visit(t, p.base, 390, 844)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.click(`#center-tools [data-view="ir"]`)
	p.click("#edit-ir")
	p.wait(editing)
	p.wait(`document.querySelector("#ei-status.is-ok")`)
	p.screen("edit-390")
	audit(p, "the editor of IR in a narrow window")
	if w := eval[int](p, `document.documentElement.scrollWidth`); w > 390 {
		t.Errorf("the page is %d pixels wide", w)
	}
}

// TestThePageSaysWhatWasReused turns a pass off with the mouse: the steps before it are marked, and the page says how many they are
// and what that saved.
func TestThePageSaysWhatWasReused(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	p.theme("dark")
	p.goTo("/")
	p.click(`[data-gallery="cnn"] .card-open`)
	p.wait(done)
	p.timeline()
	if said := p.text("#timeline-total"); strings.Contains(said, "reused") {
		t.Errorf("the first run says %q", said)
	}
	p.another(func() {
		eval[bool](p, `(`+named("FuseOps")+`.querySelector(".tick").click(), true)`)
	})
	p.wait(named("LegalizeOps") + `?.querySelector(".time").textContent.includes("reused")`)
	p.timeline()
	p.wait(`document.querySelector("#timeline-total").checkVisibility()`)
	said := p.text("#timeline-total")
	m := regexp.MustCompile(`^reused (\d+) of (\d+) passes, `).FindStringSubmatch(said)
	marked := eval[int](p, `fetch("/api/runs/`+p.run()+`/events").then(r => r.json()).then(r => r.events.filter(e => e.type === "pass_finished" && e.reused).length)`)
	if m == nil || m[1] != fmt.Sprint(marked) || m[1] == m[2] {
		t.Errorf("the page says %q, %d steps were reused", said, marked)
	}
	p.screen("reuse-timeline-390-dark")
	p.click(`.narrow-tabs [data-tab="center"]`)
	p.click(`#center-tools [data-view="ir"]`)
	p.wait(`document.querySelector("#edit-ir")?.checkVisibility()`)
	p.screen("edit-button-390-dark")
	audit(p, "the button to edit IR in a narrow window")
}

// TestEditAtFault bisects a run whose edited IR makes the output wrong: the smallest module opens with the edit behind the step that is left before it.
func TestEditAtFault(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	eval[bool](p, `(`+named("AnnotateTIROpPattern")+`.click(), true)`)
	p.press("e")
	p.wait(editing)
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent.includes("result of the step")`)
	p.behind("NT_matmul[v_i0, v_i1] = T.float32(0.0")
	p.press("1")
	p.wait(`document.querySelector("#ei-status.is-ok")?.textContent === "No errors: 1 function edited: NT_matmul."`)
	p.another(func() { p.ctrl(kb.Enter) })
	p.goTo(eval[string](p, `location.pathname + "?view=result"`))
	p.wait(done)
	p.wait(`document.querySelector("#fault-find")`)
	p.click("#fault-find")
	p.wait(`document.querySelector("#fault-open")`)
	if got := p.text(".fault"); !strings.Contains(got, "✕ edit.AnnotateTIROpPattern: ") || strings.Contains(got, "before NT_matmul") {
		t.Errorf("it says %q", got)
	}
	p.screen("fault-edit-1440")
	p.click("#fault-open")
	p.wait(`new URLSearchParams(location.search).get("pass") === "1.1e/edit.LegalizeOps"`)
	p.wait(named("edit.LegalizeOps") + `?.getAttribute("aria-selected") === "true" && [...document.querySelectorAll("#code .is-add")].some(x => x.textContent.includes("T.float32(0.01)"))`)
}
