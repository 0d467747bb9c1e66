package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// named finds the row of a pass.
func named(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".row")].find(x => x.querySelector(".name").textContent === %q)`, name)
}

// scriptsLoaded counts what was loaded to write passes.
const scriptsLoaded = `performance.getEntriesByType("resource").map(x => x.name).filter(x => /userpass|codemirror/.test(x)).length`

// screen keeps a screenshot with E2E_SCREENS.
func (p *page) screen(name string) {
	p.t.Helper()
	if dir := os.Getenv("E2E_SCREENS"); dir != "" {
		p.shot(filepath.Join(dir, name+".png"))
	}
}

// TestWriteAPass goes the whole way with the keyboard: an example from the start page, its diff, an error, where it is, its repair,
// a run with what it prints, and a second pass at the place of the selected step.
func TestWriteAPass(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector("[data-script]")`)
	audit(p, "the start page")
	p.tabTo(`[data-script="collapse_if"] .card-open`)
	p.screen("userpass-gallery-1440")
	p.press(kb.Enter)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(named("user.CollapseIf") + `?.getAttribute("aria-selected") === "true"`)
	p.wait(`[...document.querySelectorAll(".code-row.is-del .tx")].some(x => x.textContent.trimStart().startsWith("if "))`)
	p.wait(`document.querySelector("#details-body .written")?.textContent.includes("collapse_if.star")`)
	if n := eval[int](p, scriptsLoaded); n != 1 {
		t.Errorf("%d scripts to write passes are loaded before one is written, want the one that describes them", n)
	}
	if got := p.text("#command"); !strings.HasPrefix(got, "irscope run collapse_if.py --target wasm --opt-level 2 --script collapse_if.star --passes user.CollapseIf,") {
		t.Errorf("the command line is %q", got)
	}

	// Edit opens the script; an error is marked where it is.
	p.press("i")
	p.tabTo("#edit-pass")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#passes-dialog[open]") && document.activeElement.classList.contains("cm-content")`)
	p.wait(`document.querySelector("#up-status.is-ok")?.textContent.includes("the pass user.CollapseIf")`)
	p.ctrl(kb.Home)
	p.press(`print("so", nowhere)` + kb.Enter)
	p.wait(marked + ` === "nowhere"`)
	p.wait(`document.querySelector(".up-wrong .diagnostic-place")?.textContent === "1:13"`)
	audit(p, "an error in a script")
	p.screen("userpass-error-1440")
	p.ctrl(kb.Enter)
	p.wait(`getSelection().toString() === "nowhere"`) // it is not saved, and the error is shown
	p.press(`"said"`)
	p.wait(`document.querySelector("#up-status.is-ok")`)
	p.ctrl(kb.End)
	p.press(`def look(func): print("looked at", len(func.params)); return func` + kb.Enter + `look_pass = function_pass(look, opt_level=0, name="Look")` + kb.Enter)
	p.wait(`document.querySelector("#up-status.is-ok")?.textContent.includes("the pass user.Look")`)
	run := p.run()
	p.tabTo("#up-add")
	p.press(kb.Enter)
	p.wait(fmt.Sprintf(`!document.querySelector("#passes-dialog[open]") && new URLSearchParams(location.search).get("run") !== %q`, run))
	p.wait(done)
	p.wait(named("user.Look") + `?.getAttribute("aria-selected") === "true"`)
	p.wait(`document.querySelector("#details-body .printed pre")?.textContent === "looked at 2"`)
	p.wait(`[...document.querySelectorAll("#messages .printed pre")].some(x => x.textContent === "so said")`)
	if got := eval[string](p, named("user.Look")+`.dataset.step`); got != "1.2/user.Look" {
		t.Errorf("the second pass is step %s, want it after the selected one", got)
	}
	audit(p, "a step that prints")

	// A pass that fails is ✕; the message leads to its line.
	p.click("#write-pass")
	p.wait(`document.querySelector("#passes-dialog[open]") && document.querySelector("#up-status.is-ok")`)
	p.ctrl(kb.End)
	p.press(`bad = module_pass(lambda mod: mod.nothing, opt_level=0, name="Bad")`)
	p.wait(`document.querySelector("#up-status.is-ok")?.textContent.includes("user.Bad")`)
	p.ctrl(kb.Enter)
	p.wait(`document.querySelector("#run-state").dataset.status === "failed"`)
	p.wait(named("user.Bad") + `?.classList.contains("is-failed")`)
	p.wait(`document.querySelector("#details-body .note.error [data-jump]")?.textContent.startsWith("collapse_if.star:")`)
	p.wait(named("user.CollapseIf") + `.classList.contains("is-changed")`)
	p.tabTo(`#details-body .note.error [data-jump]`)
	p.press(kb.Enter)
	p.wait(`document.querySelector("#passes-dialog[open]") && document.querySelector(".cm-activeLineGutter")?.textContent`)
	p.wait(`[...document.querySelectorAll(".cm-line")].some(x => x.textContent.startsWith("bad ="))`)

	// Taken out, the pipeline is the named one again.
	p.click("#up-remove")
	p.wait(done)
	p.wait(`document.querySelector("#pipeline-name").textContent === "default" && document.querySelector("#write-pass").textContent === "Write a pass"`)
	if n := eval[int](p, `[...document.querySelectorAll(".row .name")].filter(x => x.textContent.startsWith("user.")).length`); n != 0 {
		t.Errorf("%d passes of the script are left", n)
	}
}

// TestCallCounter opens the instrument of the start page, sees its lines at a step, and puts another pass into a model of the gallery.
func TestCallCounter(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	p := visit(t, base, 1440, 900)
	p.theme("dark")
	p.goTo("/")
	if n := eval[int](p, scriptsLoaded); n != 0 {
		t.Errorf("the start page loads %d scripts to write passes", n)
	}
	p.click(`[data-script="counter"] .card-open`)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(named("LegalizeOps"))
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.wait(`document.querySelector("#details-body .printed pre")?.textContent.includes("relax.matmul 2 -> 0")`)
	audit(p, "printed lines in dark")
	p.screen("userpass-counter-1440-dark")

	p = visit(t, base, 1024, 768)
	p.theme("dark")
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	if n := eval[int](p, scriptsLoaded); n != 0 {
		t.Errorf("a session without passes of users loads %d scripts to write them", n)
	}
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.click("#write-pass")
	p.wait(`document.querySelectorAll(".up-card").length === 4`)
	audit(p, "what there is to start from, in dark")
	p.screen("userpass-start-1024-dark")
	p.click(`.up-card[data-example="fold_constant"]`)
	p.wait(`document.querySelector("#up-place")?.textContent === "It will run after LegalizeOps."`)
	p.wait(`document.querySelector("#up-status.is-ok")`)
	audit(p, "the editor in dark")
	p.screen("userpass-editor-1024-dark")
	p.click("#up-add")
	p.wait(named("user.FoldElementwise") + `?.getAttribute("aria-selected") === "true"`)
	p.wait(done)
	path := eval[string](p, named("user.FoldElementwise")+`.dataset.step`)
	before := eval[string](p, `fetch("/runs/`+p.run()+`/events").then(r => r.json()).then(a => { const s = a.events[0].body.plan.map(x => x.name); return s[s.indexOf("user.FoldElementwise") - 1]; })`)
	if before != "LegalizeOps" {
		t.Errorf("the pass is step %s after %s", path, before)
	}
	p.click("#write-pass")
	p.wait(`document.querySelector("#up-add").textContent === "Save and run" && document.querySelector("#up-remove").checkVisibility()`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#passes-dialog[open]")`)
	// It can be turned off like any other.
	eval[bool](p, `(`+named("user.FoldElementwise")+`.querySelector(".tick").click(), true)`)
	p.wait(named("user.FoldElementwise") + `?.querySelector(".reason")?.textContent === "off"`)
	p.wait(done)
}

// TestWriteAPassInANarrowWindow looks at the dialog and the details where there is little room.
func TestWriteAPassInANarrowWindow(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, theme := range []string{"light", "dark"} {
		p := visit(t, base, 390, 844)
		p.theme(theme)
		wide := func(what string) {
			if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s is %d pixels too wide", what, over)
			}
			p.screen("userpass-" + strings.ReplaceAll(what, " ", "-") + "-390-" + theme)
		}
		p.goTo("/")
		p.wait(`document.querySelector("[data-script]")`)
		eval[bool](p, `(document.querySelector("[data-script]").scrollIntoView(), true)`)
		wide("start page")
		p.click(`[data-script="fold_constant"] .card-open`)
		p.wait(`location.pathname.startsWith("/s/")`)
		p.wait(done)
		wide("session")
		p.click(`.narrow-tabs [data-tab=details]`)
		p.wait(`document.querySelector("#edit-pass")?.checkVisibility()`)
		p.click(".written summary")
		wide("details")
		p.click("#edit-pass")
		p.wait(`document.querySelector("#up-status.is-ok")`)
		wide("editor")
		p.do("type", strokes("x = = 1\n"))
		p.wait(`document.querySelector(".up-wrong .diagnostic")`)
		wide("error")
		p.press(kb.Escape)
		p.wait(`!document.querySelector("#passes-dialog[open]")`)
	}
}
