package browser

import (
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/e2e/fixture/goal"
)

// TestLargeDiff opens the diff of a function of 100,000 lines. The times are measured in the page, from the key to the
// frame in which the lines stand, and logged.
func TestLargeDiff(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.Large)
	p.goTo(path + "?pass=1.5/LegalizeOps")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	open := `(async () => {
		const frame = () => new Promise(requestAnimationFrame);
		const start = performance.now();
		document.querySelector('[data-step="1.4/DeadCodeElimination"]').click();
		for (;;) {
			await frame();
			const rows = document.querySelectorAll(".code-row .tx");
			if (document.querySelector("#center-title").textContent.startsWith("DeadCode") && rows.length > 20 && rows[5].textContent.includes("lv")) break;
		}
		return performance.now() - start; })()`
	first := eval[float64](p, open)
	p.press("j")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("LegalizeOps")`)
	// The best of three: the machine may be busy with other things.
	again := eval[float64](p, open)
	for range 2 {
		p.press("j")
		p.wait(`document.querySelector("#center-title").textContent.startsWith("LegalizeOps")`)
		again = min(again, eval[float64](p, open))
	}
	nodes := p.count(".code-view, .code-view *")
	t.Logf("100,000 lines: first open %.0f ms with the server's diff, again %.0f ms, %d elements", first, again, nodes)
	goal.Time(t, "opening a diff of 100,000 lines", time.Duration(again*float64(time.Millisecond)), 100*time.Millisecond)
	if nodes >= 300 {
		t.Errorf("the view has %d elements, want less than 300", nodes)
	}
	// Scrolling through all of it in 40 jumps: frames must come, and lines must appear.
	frames := eval[[]float64](p, `(async () => {
		const view = document.querySelector(".code-view"), frame = () => new Promise(requestAnimationFrame);
		const took = [];
		for (let i = 1; i <= 40; i++) {
			view.scrollTop = view.scrollHeight * i / 41;
			const start = performance.now();
			await frame();
			took.push(performance.now() - start);
		}
		return took.sort((a, b) => a - b); })()`)
	median := frames[len(frames)/2]
	t.Logf("frames while scrolling: median %.0f ms, longest %.0f ms", median, frames[len(frames)-1])
	goal.Time(t, "the median frame while scrolling", time.Duration(median*float64(time.Millisecond)), 50*time.Millisecond)
	long := 0
	for _, took := range frames {
		if took > 50 {
			long++
		}
	}
	t.Logf("%d of %d frames took more than 50 ms", long, len(frames))
	if goal.Strict() && long > 2 {
		t.Errorf("%d frames took more than 50 ms, want at most 2", long)
	}
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("lv9"))`)
	scrollWrapped(p)
	if n := p.count(".code-view, .code-view *"); n >= 300 {
		t.Errorf("after scrolling the view has %d elements, want less than 300", n)
	}
}

// scrollWrapped breaks long lines and scrolls through all rows, by jumps and by the wheel: rows are measured as they come.
func scrollWrapped(p *page) {
	p.t.Helper()
	p.alt("z")
	p.wait(`document.querySelector("#wrap").ariaPressed === "true"`)
	frames := eval[[]float64](p, `(async () => {
		const view = document.querySelector(".code-view"), frame = () => new Promise(requestAnimationFrame);
		const took = [];
		for (let i = 1; i <= 80; i++) {
			if (i <= 40) view.scrollTop = view.scrollHeight * i / 41;
			else view.scrollTop -= 300;
			const start = performance.now();
			await frame();
			took.push(performance.now() - start);
		}
		return took.sort((a, b) => a - b); })()`)
	median := frames[len(frames)/2]
	p.t.Logf("frames while scrolling broken lines: median %.0f ms, longest %.0f ms", median, frames[len(frames)-1])
	goal.Time(p.t, "the median frame while scrolling broken lines", time.Duration(median*float64(time.Millisecond)), 50*time.Millisecond)
	p.alt("z")
	p.wait(`document.querySelector("#wrap").ariaPressed === "false"`)
}
