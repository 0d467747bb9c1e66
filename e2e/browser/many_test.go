package browser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestManyFunctions opens a session whose module has 2,000 functions and 100,000 lines, all of them changed by one pass. It logs how
// long the page takes from selecting a function to the frame in which its diff stands, and while the list scrolls; what it checks is
// that no list has as many elements as functions.
func TestManyFunctions(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.Many)
	p.goTo(path)
	p.wait(done)
	// Opened again, nothing waits for the run.
	p.goTo(path + "?pass=1.4/DeadCodeElimination")
	p.wait(`document.querySelectorAll(".code-row .tx").length > 10 && document.querySelector("#tree .rows").offsetHeight > 60 * 24`)
	t.Logf("from the request to the diff of the first function, at most: %.0f ms", eval[float64](p, `performance.now()`))

	// All of them are listed when they are asked for.
	p.until("the list ends with the functions that are not listed", func() bool {
		eval[bool](p, `(document.querySelector("#tree").scrollTop = 62 * 24, new Promise(done => setTimeout(done, 200, true)))`)
		return eval[bool](p, `(more => more?.textContent === "1,941 more functions" && (more.click(), true))(document.querySelector(".fn.more"))`)
	})
	p.wait(`document.querySelectorAll("#tree .rows")[0].offsetHeight > 2000 * 24`)

	// Functions all over the list, by the keys of the list: each is new to the page and to the server.
	var took []float64
	for _, keys := range [][]string{{"PageDown", "ArrowDown"}, {"ArrowDown", "PageDown"}, {"End", "PageUp"}, {"PageUp", "ArrowUp"}, {"Home", "PageDown"}} {
		took = append(took, eval[[]float64](p, fmt.Sprintf(`(async () => {
			const frame = () => new Promise(requestAnimationFrame), box = document.querySelector("#tree"), took = [];
			const shown = () => document.querySelector('.fn[aria-current]')?.dataset.key;
			box.focus();
			if (!box.dataset.at) box.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
			for (let i = 0; i < 20; i++) {
				const before = shown(), start = performance.now();
				box.dispatchEvent(new KeyboardEvent("keydown", {key: i ? %q : %q, bubbles: true, cancelable: true}));
				for (;;) {
					await frame();
					const name = shown(), view = document.querySelector(".code-view");
					if (name !== before && view.getAttribute("aria-label").endsWith(name) && view.querySelector(".tx")) break;
				}
				took.push(performance.now() - start);
			}
			return took; })()`, keys[1], keys[0]))...)
	}
	slices.Sort(took)
	t.Logf("selecting a function to its diff: p50 %.0f ms, p95 %.0f ms, max %.0f ms", took[len(took)/2], took[len(took)*95/100], took[len(took)-1])

	frames := eval[[]float64](p, `(async () => {
		const box = document.querySelector("#tree"), frame = () => new Promise(requestAnimationFrame), took = [];
		for (let i = 0; i <= 120; i++) {
			const start = performance.now();
			box.scrollTop = box.scrollHeight * i / 120;
			await frame();
			took.push(performance.now() - start);
			const row = [...box.querySelectorAll(".fn, .row")].find(x => x.getBoundingClientRect().bottom > box.getBoundingClientRect().top);
			if (!row) throw new Error("an empty list at " + box.scrollTop);
		}
		return took; })()`)
	slices.Sort(frames)
	t.Logf("frames while the list of functions scrolls: p50 %.0f ms, max %.0f ms", frames[len(frames)/2], frames[len(frames)-1])

	for _, view := range []string{"unified", "split", "ir", "code"} {
		p.click(`#center-tools [data-view=` + view + `]`)
		p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
		for _, list := range []string{"#tree", ".code-view"} {
			if n := p.count(list + ", " + list + " *"); n >= 500 {
				t.Errorf("in the view %s, %s has %d elements, want less than 500", view, list, n)
			}
		}
	}
	// The whole module in one view.
	p.goTo(path + "?pass=1.4/DeadCodeElimination&view=ir&function=*")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-head").length > 0 && document.querySelectorAll(".code-row .tx").length > 10`)
	if n := p.count(".code-view, .code-view *"); n >= 300 {
		t.Errorf("the whole module has %d elements, want less than 300", n)
	}
	if n := eval[int](p, `Number(document.querySelector(".code-view").getAttribute("aria-rowcount"))`); n < 100_000 {
		t.Errorf("the whole module has %d rows, want 100,000", n)
	}
}
