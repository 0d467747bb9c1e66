package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// answered is true when reasons are shown.
const answered = `document.querySelector("#why:not([hidden]) .why-item")`

// TestWhyAtAHunk asks why at a hunk with the mouse, and at a line that did not change with the keyboard. The run recorded nothing and stays
// the one that is shown.
func TestWhyAtAHunk(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	run := p.run()
	p.wait(`document.querySelector(".why[data-hunk]")`)
	p.click(".why[data-hunk]")
	p.wait(answered)
	if got := p.text("#why"); !strings.Contains(got, "fuse a group of kernels") || !strings.Contains(got, "FuseOps in main") {
		t.Errorf("the hunk is explained by %q", got)
	}
	// A reason leads to its lines.
	p.click("#why .why-item")
	p.wait(`document.querySelector("#why").hidden && document.querySelector(".tx.rewritten")`)
	p.wait(`new URLSearchParams(location.search).has("rewrite")`)

	// A line that did not change: which rule was tried, and what did not hold.
	line := lineOf(p, "maxpool")
	p.click(fmt.Sprintf(`.ln[data-line="%d"]`, line))
	p.wait(`document.querySelector(".code-row.is-same.at-line .why")`)
	p.press("y")
	p.wait(answered)
	if got := p.text("#why"); !strings.Contains(got, "did not fuse") || !strings.Contains(got, fmt.Sprintf("line %d", line)) {
		t.Errorf("the line that did not change is explained by %q", got)
	}
	p.wait(`document.querySelector("#why").contains(document.activeElement)`)
	p.press(kb.Escape)
	p.wait(`document.querySelector("#why").hidden && document.activeElement.matches(".code-view")`)

	// The same line in the IR is another number than before the pass.
	p.press(kb.Tab)
	eval[bool](p, `(document.querySelector('[data-view="ir"]').click(), true)`)
	p.wait(`location.search.includes("view=ir") && !document.querySelector(".code-row.is-del")`)
	p.click(fmt.Sprintf(`.ln[data-line="%d"]`, lineOf(p, "maxpool")))
	p.press("y")
	p.wait(answered)
	if got := p.text("#why"); !strings.Contains(got, "did not fuse") {
		t.Errorf("the same line in the IR is explained by %q", got)
	}
	if now := p.run(); now != run {
		t.Errorf("asking why started the run %s", now)
	}

	// Side by side the button takes no room of the texts, and unified none behind the window.
	const edges = `[...new Set([...document.querySelectorAll(".half + .half")].map(x => x.getBoundingClientRect().left))]`
	p.press(kb.Escape)
	p.click(`[data-view="split"]`)
	p.wait(`document.querySelector(".code-view.split .why[data-hunk]")`)
	if got := eval[[]float64](p, edges); len(got) != 1 {
		t.Errorf("the later text begins at %v", got)
	}
	p.press("u")
	p.wait(`document.querySelector(".code-view:not(.split) .why[data-hunk]")`)
	if got := eval[int](p, `Math.max(...[...document.querySelectorAll(".why-cell")].map(x => x.getBoundingClientRect().right - x.lastChild.getBoundingClientRect().right))`); got < 5 {
		t.Errorf("behind the button are %d pixels, want the room of a finger, 5", got)
	}
}

// TestWhyWaitsForTheText chooses a pass whose text is slow to come: until it is there, nothing is said of the lines of the one before it.
func TestWhyWaitsForTheText(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "LegalizeOps", "main", "unified")
	p.wait(`document.querySelector(".why[data-hunk]")`)
	eval[bool](p, `(() => {
		const now = window.fetch, held = [];
		window.fetch = (path, ...rest) => String(path).startsWith("/diff/") ? new Promise((go) => held.push(go)).then(() => now(path, ...rest)) : now(path, ...rest);
		window.letGo = () => { window.fetch = now; held.forEach((go) => go()); return true; };
		return true; })()`)
	p.click(`[data-step$="/FuseTIRInner"]`)
	p.wait(`document.querySelector("#center[aria-busy]")`)
	old := eval[string](p, `document.querySelector(".code-view").ariaLabel`)
	eval[bool](p, `(document.querySelector(".why[data-hunk]").click(), true)`)
	p.press("y")
	eval[bool](p, `new Promise((done) => setTimeout(() => done(true), 300))`) // longer than an answer takes to show that it is looked for
	if got := eval[string](p, `document.querySelector("#why:not([hidden])")?.textContent ?? ""`); got != "" {
		t.Errorf("of the text of another pass it says %q", got)
	}
	eval[bool](p, `letGo()`)
	p.wait(answered)
	if now := eval[string](p, `document.querySelector(".code-view").ariaLabel`); now == old {
		t.Errorf("the answer came beside %s", now)
	}
	if got := p.text("#why"); !strings.Contains(got, "FuseTIRInner in ") {
		t.Errorf("the text of the pass is explained by %q", got)
	}
}

// TestWhyShowsLines reads what a pass did in the lines of the page, short or as printed: a few of them, and all where they are asked for.
func TestWhyShowsLines(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	lines := func() []string {
		return eval[[]string](p, `[...document.querySelector("#why .why-lines").querySelectorAll(".why-text")].map((x) => x.textContent)`)
	}
	short := func(pass string) {
		openText(p, "cnn", pass, "main", "unified")
		p.press("z")
		p.wait(`document.querySelector(".why[data-hunk]") && !document.querySelector("#code").textContent.includes("R.Tensor(")`)
	}
	short("FoldScaleToConv2D")
	p.press("y")
	p.wait(`document.querySelector("#why .why-more")`)
	if got := lines(); len(got) != 3 || got[0] != "−bn1 = bn1_batch_norm[0]" || !strings.HasPrefix(got[1], "+lv = add(") {
		t.Errorf("of the rewrite of a scale these lines are shown: %q", got)
	}
	if got := p.text("#why"); strings.Contains(got, "R.Tensor") || strings.Contains(got, "metadata[") {
		t.Errorf("beside short lines stand printed ones: %q", got)
	}
	p.click("#why .why-more")
	p.wait(`!document.querySelector("#why .why-lines .why-more")`)
	if got := lines(); len(got) != 14 {
		t.Errorf("all lines of the rewrite are %d: %q", len(got), got)
	}
	p.press(kb.Escape)
	p.wait(`document.querySelector("#why").hidden`)
	p.press("z")
	p.wait(`document.querySelector("#code").textContent.includes("R.Tensor(")`)
	p.press("y")
	p.wait(`document.querySelector("#why .why-lines")?.textContent.includes("R.Tensor(")`)
	p.press(kb.Escape)

	// Both sides of a rewrite of one line.
	short("LegalizeOps")
	p.press("y")
	p.wait(`document.querySelector("#why .why-lines")`)
	if got := lines(); len(got) != 2 || !strings.HasPrefix(got[0], "−lv = add(") || !strings.HasPrefix(got[1], "+lv = cls.add(") {
		t.Errorf("a lowered addition is shown as %q", got)
	}
	p.press(kb.Escape)

	// A part of a line is what was rewritten, not the line.
	openText(p, "cnn", "tir.Simplify", "softmax", "unified")
	p.wait(`document.querySelector(".why[data-hunk]")`)
	p.press("y")
	p.wait(`document.querySelector("#why .why-code")?.textContent.includes(" → ")`)
}

// TestWhyLooks runs axe over the answer in both themes, and looks whether it is in the window. E2E_SCREENS names a folder for screenshots.
func TestWhyLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	for _, size := range [][2]int64{{1440, 900}, {853, 480}, {390, 844}} {
		p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
		if size[0] < 600 {
			p.click(`.narrow-tabs [data-tab="center"]`)
		}
		p.wait(`document.querySelector(".why[data-hunk]")`)
		p.press("y")
		p.wait(answered)
		p.inBoth(func(theme string) {
			name := fmt.Sprintf("why-%s-%d", theme, size[0])
			p.screen(name)
			audit(p, name)
			if bad := eval[bool](p, `(() => { const r = document.querySelector("#why").getBoundingClientRect(); return r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight; })()`); bad {
				t.Errorf("%s: the answer is not whole in the window", name)
			}
		})
		p.press(kb.Escape)
		p.wait(`document.querySelector("#why").hidden`)
	}
}

// TestWhyNothing asks why a pass changed nothing.
func TestWhyNothing(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	p.goTo(path + "?view=unified&pass=FoldConstant")
	p.wait(done)
	p.wait(`[...document.querySelectorAll("#code .empty .btn")].some(x => x.textContent === "Why")`)
	eval[bool](p, `([...document.querySelectorAll("#code .empty .btn")].find(x => x.textContent === "Why").click(), true)`)
	p.wait(`document.querySelector("#why:not([hidden])")?.textContent.startsWith("FoldConstant changed nothing")`)
	p.screen("why-nothing")
	p.press(kb.Escape)
	p.wait(`document.querySelector("#why").hidden`)
	p.press("y")
	p.wait(`document.querySelector("#why:not([hidden])")?.textContent.startsWith("FoldConstant changed nothing")`)
}

// TestWhyATile asks why a convolution has its tile: the numbers of the target, and the tiles that lost. E2E_SCREENS names a folder for screenshots.
func TestWhyATile(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "ApplyDefaultSchedule", "fused_conv2d_add_relu_conv1_Conv_conv2d1", "unified")
	p.wait(`document.querySelectorAll(".why[data-hunk]").length > 2`)
	eval[bool](p, `(document.querySelectorAll(".why[data-hunk]")[2].click(), true)`) // the loops
	p.wait(answered)
	got := p.text("#why")
	for _, want := range []string{"tile a reduction", "vectors of 4 lanes of", "that may hold sums", "did not take another tile", "did not unroll a reduction"} {
		if !strings.Contains(got, want) {
			t.Errorf("the schedule is explained without %q by %q", want, got)
		}
	}
	p.inBoth(func(theme string) { p.screen("why-tile-" + theme) })
}
