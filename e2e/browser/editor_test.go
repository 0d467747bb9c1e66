package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// marked lists the texts that are underlined as errors.
const marked = `[...document.querySelectorAll(".cm-lintRange-error")].map(x => x.textContent).join("|")`

// ctrl presses keys with Ctrl held.
func (p *page) ctrl(keys string, more ...chromedp.Modifier) {
	p.t.Helper()
	p.do("press Ctrl+"+keys, strokes(keys, append(more, chromedp.ModifierCtrl)...))
}

// TestEditor goes the whole way with the keyboard and the real compiler: an error while typing, where it is, its repair, formatting,
// a session, its source, and a copy of it.
func TestEditor(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector("#paste")`)
	const loaded = `performance.getEntriesByType("resource").map(x => x.name).filter(x => /sourcepage|codemirror/.test(x)).length`
	if n := eval[int](p, loaded); n != 0 {
		t.Errorf("the first view loads %d scripts of the editor", n)
	}
	p.tabTo("#paste")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#editor-status.is-ok")?.textContent.startsWith("No errors: 1 Relax function")`)
	if n := eval[int](p, loaded); n != 2 {
		t.Errorf("the editor loads %d scripts of its own, want 2", n)
	}
	if eval[bool](p, `performance.getEntriesByType("resource").some(x => new URL(x.name).origin !== location.origin)`) {
		t.Error("something came from another host")
	}

	// An error: the name of an operator with a letter too many, in the middle of a line.
	p.tabTo(".cm-content")
	line := 1 + eval[int](p, `document.querySelector("#source").value.split("\n").findIndex(x => x.includes("R.nn.relu"))`)
	p.ctrl(kb.Home)
	p.press(strings.Repeat(kb.ArrowDown, line-1) + kb.End + strings.Repeat(kb.ArrowLeft, len("(lv1)")) + "u")
	p.wait(marked + ` === "R.nn.reluu"`)
	p.wait(`document.querySelector("#diagnostic-list .diagnostic-text").textContent.includes("reluu")`)
	if got, want := p.text("#diagnostic-list .diagnostic-place"), fmt.Sprintf("%d:19", line); got != want {
		t.Errorf("the error is listed at %s, want %s", got, want)
	}
	if n := p.count(".cm-lint-marker-error"); n != 1 {
		t.Errorf("the gutter has %d marks, want 1", n)
	}
	p.do("hover", chromedp.MouseEvent("mouseMoved", at(p, ".cm-lintRange-error")[0], at(p, ".cm-lintRange-error")[1]))
	p.wait(`document.querySelector(".cm-tooltip .cm-diagnostic-error")?.textContent.includes("reluu")`)
	p.press(kb.Escape)

	// The list leads to it; typing over the selection repairs it.
	p.click(".diagnostic-go")
	p.wait(`document.activeElement?.classList.contains("cm-content") && getSelection().toString() === "R.nn.reluu"`)
	p.press("R.nn.gelu")
	p.wait(`document.querySelector("#editor-status.is-ok") && document.querySelector("#diagnostics").hidden && ` + marked + ` === ""`)

	// Formatting takes superfluous blanks away, and can be undone.
	p.press(kb.End + "     ")
	p.ctrl("F", chromedp.ModifierShift)
	p.wait(`document.querySelector("#editor-status").textContent.startsWith("Formatted")`)
	p.wait(`[...document.querySelectorAll(".cm-line")].some(x => x.textContent.endsWith("= R.nn.gelu(lv1)"))`)
	text := `[...document.querySelectorAll(".cm-line")].map(x => x.textContent).join("\n")`
	formatted := eval[string](p, text)

	// Escape, then Tab leaves the editor.
	p.press(kb.Escape + kb.Tab)
	p.wait(`document.activeElement?.id === "format"`)
	p.tabTo("#start")
	p.press(kb.Enter)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(`document.querySelectorAll(".row").length > 5`)
	p.press("s")
	p.wait(`location.search.includes("view=source") && [...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("R.nn.gelu"))`)

	first := eval[string](p, `location.pathname`)
	p.click("#edit-source")
	p.wait(`document.querySelector("#editor-status.is-ok")`)
	if got := eval[string](p, text); got != formatted {
		t.Errorf("the copy reads %q, want %q", got, formatted)
	}
	p.click(".cm-content")
	p.ctrl(kb.Enter)
	p.wait(`location.pathname.startsWith("/s/") && location.pathname !== "` + first + `"`)
	p.wait(done)
	if got := eval[string](p, `fetch("/api/sessions/" + location.pathname.slice(3)).then(r => r.json()).then(r => r.session.parent)`); "/s/"+got != first {
		t.Errorf("the copy has the parent %q, want that of %s", got, first)
	}
}

// TestKernelText starts from a lone PrimFunc: it is executed and its output buffer shown.
func TestKernelText(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/new")
	p.wait(`document.querySelector("#editor-status.is-ok")`)
	p.click(`.examples [data-file="matmul.py"]`)
	p.wait(`document.querySelector("#editor-status.is-ok")?.textContent.includes("1 PrimFunc") && document.querySelector("#pipeline").value === "tir"`)
	p.click("#start")
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(`document.querySelector("#pipeline-name").textContent === "tir"`)
	p.click(`#center-tools [data-view=result]`)
	p.wait(`document.querySelector("#result .latency-value")`)
	if got := p.text("#result .tensor"); !strings.Contains(got, "C") || !strings.Contains(got, "float32 128×96") {
		t.Errorf("the output reads %q", got)
	}
}

// TestMessagesLeadToTheSource follows the place of a warning into the text that the session starts from, and sees why a module
// without main executes nothing.
func TestMessagesLeadToTheSource(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "constant.py", `@I.ir_module
class Module:
    @R.function
    def forward(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        c: R.Tensor((4,), dtype="float32") = metadata["relax.expr.Constant"][0]
        y = R.add(x, c)
        return y
`)}))
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(`[...document.querySelectorAll("#messages .note")].some(x => x.textContent.includes("nothing to execute: no Relax function main"))`)
	p.wait(`document.querySelector("#messages .note.warning [data-jump]")?.textContent.startsWith("constant.py:5:")`)
	p.click(`#messages .note.warning [data-jump]`)
	p.wait(`document.querySelector(".code-row.at-line .tx")?.textContent.includes("metadata") && location.search.includes("view=source") && location.search.includes("line=5")`)
}

// at returns the middle of an element.
func at(p *page, selector string) []float64 {
	p.t.Helper()
	return eval[[]float64](p, `(() => { const r = document.querySelector("`+selector+`").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
}

// TestErrorsHavePlaces checks ranges behind characters of several bytes, and that a draft is taken once.
func TestErrorsHavePlaces(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	open(p, "", draftPage, `document.querySelectorAll(".cm-lintRange-error").length === 2`)
	if got := eval[string](p, marked); got != "wrong|wrong" {
		t.Errorf("%q is marked, want the two errors", got)
	}
	if got := p.text("#editor-status"); got != "2 errors" {
		t.Errorf("the status reads %q", got)
	}
	p.click("#start")
	p.wait(`getSelection().toString() === "wrong"`)
	p.goTo("/new")
	p.wait(`document.querySelector("#editor-status.is-ok")`)
}

// TestPasteWithoutAFocus pastes while nothing has the focus: it takes the place of the example; in a field, it goes there.
func TestPasteWithoutAFocus(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo("/new")
	p.wait(`document.querySelector("#editor-status.is-ok")`)
	const paste = `(() => { const data = new DataTransfer(); data.setData("text/plain", "x = 1\n");
		return (document.activeElement ?? document.body).dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true})); })()`
	const text = `[...document.querySelectorAll(".cm-line")].map(x => x.textContent).join("\n")`
	eval[bool](p, `(document.querySelector("#source-name").focus(), true)`)
	if before := eval[string](p, text); !eval[bool](p, paste) || eval[string](p, text) != before {
		t.Error("what is pasted into the field of the name goes elsewhere")
	}
	eval[bool](p, `(document.activeElement.blur(), true)`)
	eval[bool](p, paste)
	p.wait(text + ` === "x = 1\n" && document.activeElement.classList.contains("cm-content")`)
	p.ctrl("z")
	p.wait(text + `.startsWith("# from")`)
}

// TestTextFileOnTheStartPage chooses files: a text starts a session, one with errors opens in the editor.
func TestTextFileOnTheStartPage(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	for _, tt := range []struct{ name, text, want string }{
		{"right.py", "x = 1\n", `location.pathname.startsWith("/s/")`},
		{"bad.tvmscript", "x = wrong\n", `location.pathname === "/new" && document.querySelector(".cm-lintRange-error")?.textContent === "wrong" && document.querySelector("#source-name").value === "bad.tvmscript"`},
		{"song.mp3", "x\n", `document.querySelector("#upload-error")?.textContent.includes("neither a model")`},
	} {
		p.goTo("/")
		p.wait(`document.querySelector("#model-file")`)
		p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, tt.name, tt.text)}))
		p.wait(tt.want)
	}
}

// TestEditorWithoutScript sends the form as it is: errors come back with their places, a right text starts a session.
func TestEditorWithoutScript(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.goTo("/new?example=matmul")
	p.click("#source")
	p.ctrl(kb.Home)
	p.press("wrong ")
	p.click("#start")
	p.wait(`document.querySelector(".diagnostic.is-error .diagnostic-place")?.textContent === "1:1" && document.querySelector("#source").value.startsWith("wrong # from")`)
	p.click("#source")
	p.ctrl(kb.Home)
	p.press(strings.Repeat(kb.Delete, len("wrong ")) + "   " + kb.Enter)
	p.click("#format")
	p.wait(`location.pathname === "/new" && document.querySelector("#source").value.startsWith("\n# from") && document.querySelector("#diagnostics").hidden`)
	p.click("#start")
	p.wait(`location.pathname.startsWith("/s/")`)
}
