package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// listed opens a diff of a model of the gallery and asks for what the pass reports: the run goes on as it was.
func listed(p *page, step string) {
	p.t.Helper()
	openText(p, "mlp", step, "main", "unified")
	run := p.run()
	p.click("#list-rewrites")
	p.wait(`document.querySelector("#rewrites .rw-name")`)
	if now := p.run(); now != run {
		p.t.Errorf("listing the rewrites of a step started the run %s", now)
	}
}

// rowsMarked returns the texts of the lines that the selected rewrite is about.
const rowsMarked = `[...document.querySelectorAll(".code-row .tx.rewritten")].map(x => x.textContent.trim()).join("\n")`

// TestRewrites lists the rewrites of a pass, steps through them, and reads why something was not done.
func TestRewrites(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	listed(p, "FuseOps")
	if got := p.text("#rewrites .rw-names"); !strings.HasPrefix(got, "fuse a group of kernels ") {
		t.Errorf("the names are %q", got)
	}
	n := eval[int](p, `document.querySelectorAll(".tx.rewritten").length`)
	if n != 0 {
		t.Errorf("%d lines are marked before a rewrite is selected", n)
	}

	// The keys step through them; the lines before and after are marked in the diff.
	p.press(")")
	p.wait(`document.querySelector("#rewrites .rw-steps .num").textContent.startsWith("1 / ")`)
	p.wait(`document.querySelectorAll(".code-row.is-del .tx.rewritten").length > 1 && document.querySelectorAll(".code-row.is-add .tx.rewritten").length === 1`)
	first := eval[string](p, rowsMarked)
	if !strings.Contains(first, "cls.fused_") || !strings.Contains(first, "R.call_tir(") {
		t.Errorf("the marked lines are\n%s", first)
	}
	if got := p.text("#rewrites .rw-current"); !strings.Contains(got, "main:") || !strings.Contains(got, "cls.fused_") {
		t.Errorf("the rewrite is shown as %q", got)
	}
	p.press(")")
	p.wait(`document.querySelector("#rewrites .rw-steps .num").textContent.startsWith("2 / ")`)
	p.wait(fmt.Sprintf(`%s !== %q && document.querySelector(".tx.rewritten")`, rowsMarked, first))
	second := eval[string](p, rowsMarked)

	// A link carries the selected one, in the other form of the diff too.
	p.wait(`new URLSearchParams(location.search).get("rewrite") === "2"`)
	link := eval[string](p, `location.pathname + location.search`)
	p.goTo(strings.Replace(link, "view=unified", "view=split", 1))
	p.wait(done)
	p.wait(`document.querySelector("#rewrites .rw-steps .num")?.textContent.startsWith("2 / ")`)
	p.wait(`document.querySelector(".code-view.split .half.del .tx.rewritten") && document.querySelector(".code-view.split .half.add .tx.rewritten")`)
	p.goTo(link)
	p.wait(fmt.Sprintf(`%s === %q`, rowsMarked, second))
	p.press("(")
	p.wait(fmt.Sprintf(`%s === %q`, rowsMarked, first))

	// A decision says which condition failed, and leads to its line.
	p.press("}")
	p.wait(`document.querySelector('#rewrites .rw-decision[aria-current="true"]')`)
	if got := p.text(`#rewrites .rw-decision[aria-current="true"]`); !strings.Contains(got, "did not fuse") {
		t.Errorf("the decision is %q", got)
	}
	p.wait(`new URLSearchParams(location.search).get("rewrite") === "d1" && document.querySelectorAll(".tx.rewritten").length === 1`)

	// Another pass has others; what is selected does not go along.
	p.press("j")
	p.wait(`!new URLSearchParams(location.search).has("rewrite") && document.querySelectorAll(".tx.rewritten").length === 0`)
	p.wait(`document.querySelector("#rewrites .rw-names")?.textContent.includes("join the kernels of a group")`)

	// One name alone, with the keyboard only.
	p.tabTo("#rewrites .rw-name")
	p.press(kb.Tab)
	p.press(kb.Enter)
	p.wait(`document.querySelectorAll('#rewrites .rw-name[aria-pressed="true"]').length === 1`)
	p.wait(`document.activeElement.matches('#rewrites .rw-name[aria-pressed="true"]')`)
	name := eval[string](p, `document.activeElement.firstChild.textContent`)
	if got := p.text("#rewrites .rw-title"); got != name {
		t.Errorf("%q is selected, the name is %q", got, name)
	}
}

// TestRewritesLook runs axe over rewrites in both themes and at three widths, and looks for what is cut off. E2E_SCREENS names a
// folder for screenshots.
func TestRewritesLook(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, width := range []int64{1440, 1000, 390} {
		p := visit(t, base, width, 900)
		path := session(p, "mlp")
		p.goTo(path)
		p.wait(done)
		at := path + "?view=unified&function=main&pass=" + stepPath(p, "FuseOps")
		p.goTo(at)
		p.wait(done)
		if width < 761 {
			p.click(`.narrow-tabs [data-tab="details"]`)
		} else {
			p.press("i")
		}
		p.click("#list-rewrites")
		p.wait(`document.querySelector("#rewrites .rw-name")`)
		p.press(")")
		p.wait(`document.querySelector("#rewrites .rw-current")`)
		if width < 761 { // the code came to the front, with the rewrite in it
			p.screen(fmt.Sprintf("rewrites-%d-diff", width))
			p.click(`.narrow-tabs [data-tab="details"]`)
		}
		p.wait(`document.querySelector("#rewrites").checkVisibility()`)
		p.inBoth(func(theme string) {
			name := fmt.Sprintf("rewrites-%s-%d", theme, width)
			p.screen(name)
			audit(p, name)
			if n := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
				t.Errorf("%s: the page is %d pixels wider than the window", name, n)
			}
			if bad := eval[string](p, `[...document.querySelectorAll("#rewrites button")].filter(b => b.scrollWidth > b.clientWidth + 1).map(b => b.textContent).join("; ")`); bad != "" {
				t.Errorf("%s: cut off: %s", name, bad)
			}
		})
	}
}
