package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// wouldOf is what the list says that a pass would do.
func wouldOf(name string) string {
	return `document.querySelector('.registry-item[data-pass="` + name + `"] .registry-would')?.textContent ?? ""`
}

// TestWouldChange opens the list of passes behind a step: it says of each what it would change, and the run stays as it is.
func TestWouldChange(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "LegalizeOps", "main", "unified")
	run := p.run()
	p.press("a")
	p.wait(`document.querySelector("#registry[open]")`)
	p.wait(`[...document.querySelectorAll(".registry-item .registry-would")].filter(x => x.textContent.startsWith("would ")).length > 8`)
	p.screen("would-change")
	p.fill("#registry-query", "AnnotateTIROpPattern")
	p.wait(`/^would change \d+ of \d+ functions$/.test(` + wouldOf("AnnotateTIROpPattern") + `)`)
	p.wait(`document.querySelector("#registry-doc .registry-would").textContent.includes("Here it would change ")`)
	p.fill("#registry-query", "LegalizeOps")
	p.wait(wouldOf("LegalizeOps") + ` === "would change nothing"`)
	p.fill("#registry-query", "EliminateCommonSubexpr")
	p.wait(wouldOf("EliminateCommonSubexpr") + `.startsWith("would not run: ")`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#registry")`)
	if now := p.run(); now != run {
		t.Errorf("trying passes started the run %s", now)
	}

	// What it says is what happens.
	p.press("a")
	p.wait(`document.querySelector("#registry[open]")`)
	p.fill("#registry-query", "AnnotateTIROpPattern")
	p.wait(wouldOf("AnnotateTIROpPattern") + `.startsWith("would change ")`)
	said := strings.Fields(eval[string](p, wouldOf("AnnotateTIROpPattern")))[2]
	p.another(func() { p.press(kb.Enter) })
	p.wait(`location.search.includes("/AnnotateTIROpPattern")`)
	p.press("i")
	p.wait(`document.querySelector("#details-head .details-sum")?.textContent.startsWith("Changed ` + said + ` function")`)
}
