package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestEditBesideTheCode edits IR while the code stays in view: the difference follows the typing, and the keys of the page go on.
func TestEditBesideTheCode(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "mlp", "LegalizeOps", "main", "unified")
	p.press("e")
	p.wait(editing)
	if eval[bool](p, `(() => { const a = document.querySelector("#code").getBoundingClientRect(), b = document.querySelector("#edit-dialog").getBoundingClientRect();
		return a.width < 300 || b.width < 300 || a.right > b.left + 1; })()`) {
		t.Error("the editor does not stand beside the code")
	}
	p.wait(`document.querySelector("#edit-dialog .live").hidden`)
	p.behind("relu1_Relu = R.call_tir(cls.relu, (fc1_Gemm")
	p.press("_matmul")
	p.wait(`document.querySelectorAll("#edit-dialog .live .code-row.is-add").length === 1 && document.querySelectorAll("#edit-dialog .live .code-row.is-del").length === 1`)
	p.screen("edit-beside-1440")
	audit(p, "the editor beside the code")

	// Spaces alone change nothing, and that is said.
	p.press(strings.Repeat(kb.Backspace, len("_matmul")))
	p.wait(`document.querySelector("#edit-dialog .live").hidden`)

	// The page goes on: another pass is read beside the editor, which stays.
	p.click("#center-title")
	eval[bool](p, `(document.querySelector("#code .code-view").focus(), true)`)
	p.press("j")
	p.wait(`!location.search.includes("/LegalizeOps")`)
	p.wait(`document.querySelector("#edit-dialog[open]") && document.querySelector("#ei-title").textContent === "Edit main after LegalizeOps"`)
	eval[bool](p, `(document.querySelector(".cm-content").focus(), true)`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#edit-dialog[open]")`)
	if eval[float64](p, `document.querySelector("#code").getBoundingClientRect().width / document.querySelector("#center").getBoundingClientRect().width`) < 0.99 {
		t.Error("the code does not get its place back")
	}
}

// TestEditorTakesTheRoomOfTheInspector opens an editor while the inspector is open: where not all three have room, the inspector goes, can be
// asked for, and is back in the end.
func TestEditorTakesTheRoomOfTheInspector(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "mlp", "LegalizeOps", "main", "unified")
	const inspector = `document.querySelector("#app").matches(".with-inspector")`
	width := func() float64 {
		return eval[float64](p, `document.querySelector("#edit-dialog").getBoundingClientRect().width`)
	}
	p.press("i")
	p.wait(inspector)
	p.press("e")
	p.wait(editing)
	p.wait("!(" + inspector + `) && document.querySelector("#toggle-details").getAttribute("aria-pressed") === "false"`)
	if w := width(); w < 520 {
		t.Errorf("the editor is %.0f pixels wide", w)
	}
	p.press(kb.Escape)
	p.wait(inspector)

	// The reader's own choice stands: opened beside the editor, closed again, it stays closed.
	p.press("e")
	p.wait(editing + " && !(" + inspector + ")")
	p.click("#toggle-details")
	p.wait(inspector)
	p.click("#toggle-details")
	p.wait("!(" + inspector + ")")
	eval[bool](p, `(document.querySelector("#edit-dialog .cm-content").focus(), true)`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#edit-dialog[open]")`)
	if eval[bool](p, inspector) {
		t.Error("the inspector was closed by the reader, and is back")
	}

	// In a wide window all three stand.
	p.do("widen", chromedp.EmulateViewport(1920, 1080))
	p.press("i")
	p.wait(inspector)
	p.press("e")
	p.wait(editing)
	if !eval[bool](p, inspector) || width() < 520 {
		t.Errorf("in a wide window the editor is %.0f pixels wide", width())
	}
}

// TestPassBesideTheCode writes a pass and sees what it would do as it is typed; one that would change nothing says why.
func TestPassBesideTheCode(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "mlp", "EliminateCommonSubexpr", "main", "ir")
	run := p.run()
	p.press("E")
	p.wait(`document.querySelector("#passes-dialog[open] .up-card")`)
	p.click(`[data-example="empty"]`)
	p.wait(`document.querySelector("#passes-dialog .live-said")?.textContent.startsWith("user.MyPass would change nothing ")`)
	if said := p.text("#passes-dialog .live-said"); !strings.Contains(said, "it ran on 1 Relax function and returned it as it was") {
		t.Errorf("it says %q", said)
	}
	p.behind("call = self.visit_default(call)")
	p.press(kb.Enter + `if call.op == op("relax.nn.relu"):` + kb.Enter + "return call.args[0]")
	p.wait(`document.querySelector("#passes-dialog .live-said")?.textContent.includes("would change 1 of 1 function")`)
	p.wait(`document.querySelectorAll("#passes-dialog .live .code-row.is-del").length > 0`)
	p.screen("pass-beside-1440")
	audit(p, "a pass beside the code")
	p.behind("call = self.visit_default(call)")
	p.press(kb.Enter + `fail("enough")`)
	p.wait(`document.querySelector("#passes-dialog .live-said")?.textContent.match(/^(After|In) .*, user.MyPass would fail: .*enough\.$/)`)
	if now := p.run(); now != run {
		t.Errorf("typing started the run %s", now)
	}
}

// TestBesideLooks runs axe over the editor in both themes and at four sizes. E2E_SCREENS names a folder for screenshots.
func TestBesideLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "mlp", "LegalizeOps", "main", "unified")
	p.press("e")
	p.wait(editing)
	p.behind("relu1_Relu = R.call_tir(cls.relu, (fc1_Gemm")
	p.press("_matmul")
	p.wait(`document.querySelectorAll("#edit-dialog .live .code-row.is-add").length === 1`)
	p.looks("beside", [][2]int64{{1280, 720}, {1024, 768}, {853, 480}, {390, 844}})
}
