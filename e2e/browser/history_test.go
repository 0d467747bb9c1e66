package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// lived is true when the history of something is there.
const lived = `!document.querySelector("#history").hidden && document.querySelector("#value-body .h-event")`

// openText opens the text of a function after a pass of a model of the gallery, as printed.
func openText(p *page, model, step, function, view string) string {
	p.t.Helper()
	path := session(p, model)
	p.goTo(path)
	p.wait(done)
	at := path + "?pass=" + stepPath(p, step) + "&view=" + view + "&function=" + function + "&form=exact"
	p.goTo(at)
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	return at
}

// nameAt is the middle of the first place of a word in the text, as the browser draws it.
func nameAt(p *page, line int, word string) []float64 {
	p.t.Helper()
	js := fmt.Sprintf(`(() => {
		const row = [...document.querySelectorAll(".code-row")].find(x => x.querySelector('[data-line="%d"]'));
		const node = row && [...row.querySelectorAll(".tx")].at(-1).firstChild;
		const at = node?.textContent.indexOf(%q) ?? -1;
		if (at < 0) return null; // the text of the pass before is still there
		const r = new Range(); r.setStart(node, at); r.setEnd(node, at + %d);
		const b = r.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`, line, word, len(word))
	p.wait(js)
	return eval[[]float64](p, js)
}

// lineOf returns the number of the line after the pass that begins with a word.
func lineOf(p *page, word string) int {
	p.t.Helper()
	js := fmt.Sprintf(`[...document.querySelectorAll(".code-row")].filter(x => [...x.querySelectorAll(".tx")].at(-1)?.textContent.trimStart().startsWith(%q))
		.map(x => +(x.querySelector("[data-line]")?.dataset.line ?? 0)).find(n => n > 0) ?? 0`, word)
	p.wait(js)
	return eval[int](p, js)
}

// clickName clicks on a name in a line with the mouse, when it has been offered.
func clickName(p *page, line int, word string) {
	p.t.Helper()
	at := nameAt(p, line, word)
	// What offers names is loaded when the pointer comes near the text: it hears of the next move.
	p.until(word+" is offered", func() bool {
		p.do("point near "+word, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+1, at[1]))
		p.do("point at "+word, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		return eval[bool](p, `document.querySelector(".code-view.over-name") !== null`)
	})
	p.do("click "+word, chromedp.MouseClickXY(at[0], at[1]))
}

// sign is true when the history says that a pass did something.
func sign(pass, verb string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".h-event")].some(x => x.querySelector(".h-pass").textContent === %q && x.querySelector(".h-sign").classList.contains("v-%s"))`, pass, verb)
}

// TestHistoryByMouse clicks on a name in the IR and follows it to its code.
func TestHistoryByMouse(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => x.name.includes("/static/historyview-")).length`); n != 0 {
		t.Error("the script of histories is loaded before the reader comes near the text")
	}
	line := lineOf(p, "relu1_Relu:")
	eval[bool](p, `(document.querySelector(".code-view").dispatchEvent(new PointerEvent("pointerover", {bubbles: true})), true)`)
	p.wait(`performance.getEntriesByType("resource").some(x => x.name.includes("/static/historyview-"))`)
	p.until("the name is offered", func() bool {
		at := nameAt(p, line, "relu1_Relu")
		p.do("point", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		return eval[bool](p, `document.querySelector(".code-view.over-name") !== null`)
	})
	clickName(p, line, "relu1_Relu")
	p.wait(lived)
	p.wait(`document.querySelector("#history-title").textContent === "relu1_Relu"`)
	for _, c := range [][2]string{{"Import", "born"}, {"LegalizeOps", "lowered"}, {"FuseOps", "fused"}, {"Code generation", "lowered"}} {
		p.wait(sign(c[0], c[1]))
	}
	p.wait(`document.querySelector("#timeline-body").checkVisibility() === false`)
	p.wait(fmt.Sprintf(`document.querySelector('[data-line="%d"]').closest(".code-row").querySelector(".tx.lived")`, line))
	if got := p.text(".h-about"); !strings.Contains(got, "/conv1/Conv") || !strings.Contains(got, "/bn1/BatchNormalization") || !strings.Contains(got, "FuseOps") {
		t.Errorf("it is said to be %q", got)
	}

	// A link leads to the pass and line, and the text there is marked too.
	p.click(`.h-col[data-path$="/LegalizeOps"]`)
	p.wait(`location.search.includes("/LegalizeOps") && location.search.includes("history=")`)
	p.wait(`document.querySelector('.h-col[data-path$="/LegalizeOps"][aria-current="step"]')`)
	p.wait(`document.querySelector(".code-row.at-line .tx.lived")`)
	eval[bool](p, `([...document.querySelectorAll(".h-event")].find(x => x.querySelector(".h-pass").textContent === "Code generation").querySelector(".h-place button").click(), true)`)
	p.wait(`location.search.includes("view=code") && document.querySelector("#center-title").textContent.startsWith("Generated code of ")`)
	p.wait(`document.querySelector('.h-col[data-path="code"][aria-current="step"]')`)

	// A node of the model by itself, from a link in the head.
	eval[bool](p, `([...document.querySelectorAll(".h-about .link")].find(x => x.textContent === "/conv1/Conv").click(), true)`)
	p.wait(`document.querySelector("#history-title").textContent === "/conv1/Conv"`)
	p.wait(`location.search.includes("history=node")`)
	link := eval[string](p, `location.pathname + location.search`)

	// From the kernel: the button says what the code came from.
	p.click("#history-close")
	p.wait(`document.querySelector("#history").hidden && !document.querySelector("#details").checkVisibility() && !location.search.includes("history=")`)
	p.click("#show-history")
	p.wait(lived)
	p.wait(sign("FuseOps", "fused") + ` || ` + sign("FuseOps", "split"))
	p.wait(`document.querySelector(".h-about").textContent.includes("code in ")`)

	// A link opens it again.
	p.goTo(link)
	p.wait(done)
	p.wait(lived)
	p.wait(`document.querySelector("#history-title").textContent === "/conv1/Conv"`)

	// A selection of text is no click on a name.
	p.click("#history-close")
	openText(p, "cnn", "FuseOps", "main", "ir")
	at := nameAt(p, lineOf(p, "relu1_Relu:"), "relu1_Relu")
	p.mouse(input.DispatchMouseEventTypeMousePressed, at[0]-20, at[1])
	p.mouse(input.DispatchMouseEventTypeMouseMoved, at[0]+20, at[1])
	p.mouse(input.DispatchMouseEventTypeMouseReleased, at[0]+20, at[1])
	p.wait(`!getSelection().isCollapsed`)
	if eval[bool](p, `location.search.includes("history=")`) {
		t.Error("selecting text opens a history")
	}

	// A click on a node of the graph with Shift.
	openGraph(p, "FuseOps", "main")
	node := eval[[]float64](p, `(() => { const n = document.querySelector(".g-node.m-changed .g-shape"); n.scrollIntoView({block: "center"});
		const r = n.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.do("shift click", chromedp.MouseClickXY(node[0], node[1], chromedp.ButtonModifiers(chromedp.ModifierShift)))
	p.wait(lived)
	p.wait(`location.search.includes("view=graph")`)
}

// TestHistoryByKeyboard does the same without a mouse.
func TestHistoryByKeyboard(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "ir")
	p.tabTo(".code-view")
	p.press(kb.Enter)
	said := `document.querySelector("#announce").textContent`
	p.wait(said + `.includes("Enter shows its history")`)
	p.until("the mark is on relu1_Relu", func() bool {
		if strings.HasPrefix(eval[string](p, said), "relu1_Relu,") {
			return true
		}
		p.press(kb.ArrowDown)
		return false
	})
	line := eval[string](p, said)
	p.press(kb.ArrowRight)
	p.until("the mark went on", func() bool { return eval[string](p, said) != line })
	p.press(kb.ArrowLeft)
	p.until("the mark is back", func() bool { return eval[string](p, said) == line })
	p.press(kb.Enter)
	p.wait(lived)
	p.wait(`document.querySelector("#history-title").textContent === "relu1_Relu"`)
	// The focus is on the column of the pass; arrows go on, Enter opens.
	p.wait(`document.activeElement.matches('.h-col[data-path$="/FuseOps"]')`)
	p.press(kb.ArrowUp)
	p.wait(`document.activeElement.matches(".h-col.is-event:not([data-path$='/FuseOps'])")`)
	p.press(kb.ArrowRight)
	p.press(kb.End)
	p.wait(`document.activeElement.matches('.h-col[data-path="code"]')`)
	p.press(kb.Home)
	p.wait(`document.activeElement.matches('.h-col[data-path="import"]')`)
	p.press(kb.Enter)
	p.wait(`location.search.includes("pass=import")`)
	p.wait(`document.querySelector(".code-row.at-line .tx.lived")`)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden`)
	p.wait(`document.activeElement.matches(".code-view")`)

	// The line of a link, and the list of functions.
	p.press(".")
	p.wait(lived)
	p.wait(`location.search.includes("line%3D") || location.search.includes("line=")`)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden`)
	openText(p, "cnn", "FuseTIRInner", "", "unified")
	p.press("f")
	p.press(kb.Home)
	p.wait(`document.querySelector('.fn[aria-current]')`)
	p.until("a kernel is selected", func() bool {
		if eval[bool](p, `document.querySelector('.fn[aria-current]').dataset.key.startsWith("fused_")`) {
			return true
		}
		p.press(kb.ArrowDown)
		return false
	})
	p.press(".")
	p.wait(lived)
	p.wait(`document.querySelector(".h-about").textContent.startsWith("kernel in fused_")`)
	p.press(kb.Escape)

	// A node of the graph.
	openGraph(p, "FuseOps", "main")
	p.tabTo(".g-stage")
	p.press(kb.Tab)
	p.wait(`document.activeElement.matches(".g-node[data-line]")`)
	p.press(".")
	p.wait(lived)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden && document.activeElement.matches(".g-node")`)
	p.press("?")
	p.wait(`document.querySelector("#help").textContent.includes("its history")`)
}

// TestHistoryOfText follows a line of a text, from the text itself and back to it, and says what has none.
func TestHistoryOfText(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	path := "/s/" + eval[string](p, `fetch("/api/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({kind: "tvmscript", name: "m.py",
		source: "from tvm.script import relax as R\n\n@R.function\ndef main(x: R.Tensor((4,), 'float32')):\n    with R.dataflow():\n        y = R.exp(x)\n        z = R.add(y, x)\n        R.output(z)\n    return z\n"})}).then(r => r.json()).then(r => r.session.id)`)
	p.goTo(path + "?view=source&line=6")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.press(".")
	p.wait(lived)
	p.wait(`document.querySelector("#history-title").textContent === "line 6"`)
	p.wait(sign("LegalizeOps", "lowered"))
	p.wait(`document.querySelector(".h-lanes span").textContent === "Source"`)
	p.click(`.h-col[data-path="import"]`)
	p.wait(`location.search.includes("pass=import") && document.querySelector(".tx.lived")`)
	eval[bool](p, `([...document.querySelectorAll(".h-about .link")].find(x => x.textContent === "source line 6").click(), true)`)
	p.wait(`location.search.includes("view=source") && document.querySelector(".code-row.at-line [data-line='6']")`)

	p.goTo(path + "?history=node%3Dline+99")
	p.wait(`document.querySelector("#history .note")?.textContent.includes("line 99")`)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#history").hidden`)
}

// TestHistoryLooks runs axe over histories in both themes and at three widths, and looks for what is cut off. E2E_SCREENS names a
// folder for screenshots.
func TestHistoryLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	for name, node := range map[string]string{"conv": "/bn1/BatchNormalization", "weight": "conv1.weight"} {
		at := openText(p, "cnn", "FuseOps", "main", "unified")
		p.goTo(at + "&history=" + url.QueryEscape("node="+node))
		p.wait(lived)
		p.wait(done)
		p.wait(`[...document.querySelectorAll(".h-col")].at(-1).dataset.path === "code"`)
		p.wait(`document.querySelector(".tx.lived") || ` + fmt.Sprint(name == "weight"))
		p.looksAt("", "history-"+name, [][2]int64{{1440, 900}, {1024, 768}, {390, 844}}, audit)
	}
}
