package browser

import (
	"strings"
	"testing"
)

// TestFault finds a wrong pass of a user from the view Result, and opens the smallest module that shows it as a session.
func TestFault(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(wrongRun(p, "mlp"))
	p.wait(done)
	p.wait(`document.querySelector("#fault-find")`)
	p.tabTo("#fault-find")
	p.press("\r")
	p.wait(`document.querySelector("#fault-open")`)
	if got := p.text(".fault .beyond"); !strings.HasPrefix(got, "✕ user.Wrong: ") {
		t.Errorf("it says %q", got)
	}
	if got := p.text(".fault-facts"); !strings.Contains(got, "functionrelu") || !strings.Contains(got, `passesLegalizeOps{"kernels":"tuned"},user.Wrong`) || !strings.Contains(got, "+ T.min(") {
		t.Errorf("the facts are %q", got)
	}
	looksGood(p, "fault", "#fault-title")
	p.click("#fault-open")
	p.wait(`new URLSearchParams(location.search).get("pass") === "1.2/user.Wrong" && [...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("T.min("))`)
	// What does not show is said.
	p.goTo(eval[string](p, `location.pathname`) + "?view=result")
	p.wait(done)
	p.wait(`document.querySelector("#fault-kind")`)
	eval[bool](p, `(k => { k.value = "crash"; k.dispatchEvent(new Event("change")); })(document.querySelector("#fault-kind")), true`)
	p.click("#fault-find")
	p.wait(`document.querySelector(".fault-answer")?.textContent === "Nothing is at fault: no pass fails on this module."`)
}

// TestWhatIf shows what a run comes to with other passes, sorts it, and compares a variant.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "mlp") + "?view=result")
	p.wait(done)
	p.wait(`document.querySelector("#whatif-run")`)
	p.click("#whatif-run")
	p.wait(`document.querySelector("#whatif-run").textContent === "Again"`)
	const rows = `[aria-labelledby="whatif-title"] tbody tr`
	if n := p.count(rows); n < 50 {
		t.Errorf("there are %d rows", n)
	}
	p.tabTo("#whatif-code")
	p.press("\r")
	p.press("\r")
	p.wait(`document.querySelector('[aria-labelledby="whatif-title"] th[aria-sort]')?.ariaSort === "descending"`)
	if got := p.text(rows + ":first-child th"); got != "without DeadCodeElimination" {
		t.Errorf("the largest code is %q", got)
	}
	if got := eval[string](p, `document.activeElement.id`); got != "whatif-code" {
		t.Errorf("the focus is on %q", got)
	}
	looksGood(p, "whatif", "#whatif-title")
	p.click(rows + ":first-child button")
	p.wait(`location.pathname.startsWith("/compare/") && document.body.textContent.includes("DeadCodeElimination")`)
}

// looksGood runs axe in both themes and at several sizes, and looks for what is cut off.
func looksGood(p *page, name, title string) {
	p.t.Helper()
	p.looksAt("center", name, [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}}, func(p *page, at string) {
		eval[bool](p, `document.querySelector("`+title+`").scrollIntoView(), true`)
		audit(p, at)
		if n := eval[int](p, `document.querySelector(".result").scrollWidth - document.querySelector(".result").clientWidth`); n > 0 {
			p.t.Errorf("%s: the view is %d pixels wider than its pane", at, n)
		}
	})
}
