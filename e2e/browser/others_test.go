package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestOthersSeeChanges changes a session in one tab: another visitor, and another tab of the owner, see it at once, without loading
// anything anew, and stay where they are.
func TestOthersSeeChanges(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path)
	p.wait(done)
	other := visit(t, p.base, 1440, 900)
	other.goTo(path + "?pass=1.9/FuseTIR&view=split&function=main&line=8")
	other.wait(done)
	other.wait(`document.querySelector(".code-row.at-line")`)
	here := eval[string](other, place)
	run := other.run()
	eval[bool](other, `(window.__here = true)`)
	stays := func(after string) {
		t.Helper()
		if got := eval[string](other, place); got != here || other.run() != run || !eval[bool](other, `window.__here === true`) {
			t.Errorf("after %s the other tab is at %q of %s, was at %q of %s", after, got, other.run(), here, run)
		}
	}
	other.wait(`document.querySelector("#runs .run-chip")`)

	p.click("#rename")
	p.fill("#rename-field", "Renamed <b>")
	p.press(kb.Tab)
	other.wait(`document.querySelector("#title").textContent === "Renamed <b>" && document.title.includes("Renamed <b>")`)
	stays("a new title")

	p.note("seen by all")
	other.wait(`document.querySelector("#notes-count").textContent === "1"`)
	stays("a note")

	p.another(func() { p.click(`input[name=opt_level][value="1"]`) })
	other.wait(`document.querySelectorAll("#runs .run-chip").length === 2 && document.querySelector("#runs").textContent.includes("O1")`)
	other.wait(`document.querySelector("#announce").textContent.startsWith("A new run: #2")`)
	stays("a run")
	// How it ended is seen too, and it is a click away.
	other.wait(`/#2.*O1.*\d/.test(document.querySelector("#runs .run-chip.beside").textContent)`)
	second := eval[string](other, `document.querySelector("#runs .run-chip.beside").dataset.run`)
	eval[bool](other, `(document.querySelector("#runs .run-chip.beside").click(), true)`) // in the list beside it where there is no room
	other.wait(fmt.Sprintf(`location.search.includes(%q)`, second))

	// What goes is seen too.
	p.press("i")
	p.click(`[aria-label^="Delete the note"]`)
	p.click(`dialog[open] [data-yes]`)
	other.wait(`document.querySelector("#notes-count").textContent === ""`)
}
