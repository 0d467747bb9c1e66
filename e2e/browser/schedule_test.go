package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// kernelSource is a module with one matrix product.
const kernelSource = `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((128, 128), dtype="float32"), w: R.Tensor((128, 128), dtype="float32")) -> R.Tensor((128, 128), dtype="float32"):
        with R.dataflow():
            y = R.matmul(x, w)
            R.output(y)
        return y
`

// newSession makes a session of a text and opens it.
func newSession(p *page, text string) {
	p.t.Helper()
	p.goTo("/")
	at := eval[string](p, fmt.Sprintf(`(async () => {
		const res = await fetch("/api/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({kind: "tvmscript", source: %q, name: "product.py"})});
		const text = await res.text();
		return res.ok ? "/s/" + JSON.parse(text).session.id : text; })()`, text))
	if !strings.HasPrefix(at, "/s/") {
		p.t.Fatalf("no session: %s", at)
	}
	p.goTo(at)
	p.wait(done)
}

// primitives lists the rows of primitives in the tree, with how they ended.
const primitives = `[...document.querySelectorAll(".row")].filter(x => /\/(split|reorder|vectorize|unroll|parallel)$/.test(x.dataset.step)).map(x => x.querySelector(".name").textContent + " " + [...x.classList].find(c => c.startsWith("is-")).slice(3)).join("|")`

// TestScheduleAKernel goes the whole way with the keyboard: a kernel of a run is opened as a schedule, an error stands at its step, it is measured
// against the default one, runs in its place with a step for each primitive, is changed from one line on, and removed.
func TestScheduleAKernel(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	newSession(p, kernelSource)
	eval[bool](p, `(`+named("ApplyDefaultSchedule")+`.click(), true)`)
	p.wait(`!document.querySelector("#schedule-kernel").hidden`)
	if n := eval[int](p, `performance.getEntriesByType("resource").filter(x => /schedule-|codemirror/.test(x.name)).length`); n != 0 {
		t.Errorf("%d scripts to schedule are loaded before anything is", n)
	}
	p.press("d")
	p.wait(`document.querySelector("#schedule-dialog[open]") && document.activeElement.classList.contains("cm-content")`)
	p.wait(`document.querySelector("#sc-status.is-ok")?.textContent.includes("calls no primitive yet")`)
	p.wait(`[...document.querySelectorAll(".cm-line")].some(x => x.textContent === "i0, i1, k = sch.get_loops(b_matmul)")`)
	p.screen("schedule-start-1440")
	audit(p, "the editor of a schedule")

	// A primitive that cannot be applied: its step fails, and the line is marked.
	p.ctrl(kb.End)
	p.press("j0, j1 = sch.split(i1, [None, 16])" + kb.Enter + "sch.reorder(i0, j0, k, k)" + kb.Enter)
	p.wait(`document.querySelector(".sc-step.is-failed .num")?.textContent === "7"`)
	p.wait(`document.querySelector(".sc-error")?.textContent.includes("k appears in the input array for multiple times")`)
	p.wait(`document.querySelector("#sc-measure").disabled && document.querySelector(".cm-lintRange-error")`)
	p.screen("schedule-error-1440")
	audit(p, "an error in a schedule")

	// Mended, it is measured, and runs.
	p.behind("sch.reorder(i0, j0, k, k")
	p.press(kb.Backspace + "j1")
	p.ctrl(kb.End)
	text := `document.querySelector(".cm-content").innerText`
	before := eval[string](p, text)
	p.press("sch.vectorize(j1)")
	p.wait(`document.querySelector("#sc-status.is-ok")?.textContent === "No errors: 3 steps."`)
	p.wait(`[...document.querySelectorAll(".sc-loops .of-vectorized")].length === 1`)
	p.tabTo("#sc-measure")
	p.press(kb.Enter)
	p.wait(`/the default on wasm/.test(document.querySelector("#sc-times .sc-sum")?.textContent ?? "")`)
	p.screen("schedule-measured-1440")
	audit(p, "a measured schedule")

	// Undo in the editor takes the line back, and redo writes it again; the steps follow.
	p.tabTo(".cm-content")
	undone := 0
	for eval[string](p, text) != before && undone < 20 { // one step of the editor or more, by the time that typing took
		p.ctrl("z")
		undone++
	}
	p.wait(`document.querySelector("#sc-status.is-ok")?.textContent === "No errors: 2 steps." && document.querySelectorAll(".sc-step").length === 2`)
	p.wait(`document.querySelectorAll(".sc-loops .of-vectorized").length === 0 && document.querySelector("#sc-times").hidden`)
	for range undone {
		p.ctrl("y")
	}
	p.wait(`document.querySelector("#sc-status.is-ok")?.textContent === "No errors: 3 steps." && document.querySelectorAll(".sc-loops .of-vectorized").length === 1`)
	p.tabTo("#sc-run")
	p.another(func() { p.press(kb.Enter) })
	p.wait(named("schedule.matmul") + `?.getAttribute("aria-selected") === "true"`)
	p.wait(primitives + ` === "split(i1, [None, 16]) changed|reorder(i0, j0, k, j1) changed|vectorize(j1) changed"`)
	if got := p.text("#command"); !strings.Contains(got, "--schedule matmul=schedule.matmul.py") {
		t.Errorf("the command line is %q", got)
	}
	if got := eval[string](p, `fetch("/runs/" + new URLSearchParams(location.search).get("run") + "/schedules/schedule.matmul.py").then(r => r.text())`); !strings.Contains(got, "sch.vectorize(j1)") {
		t.Errorf("the file for the command line is %q", got)
	}
	p.screen("schedule-run-1440")
	audit(p, "a run with a schedule")

	// A change in the last line takes the steps before it from the run before.
	p.ctrl(kb.End)
	p.press(kb.Enter + "sch.unroll(j0)")
	p.wait(`document.querySelector("#sc-status.is-ok")?.textContent === "No errors: 4 steps."`)
	p.another(func() { p.ctrl(kb.Enter) })
	p.wait(primitives + `.endsWith("vectorize(j1) changed|unroll(j0) changed")`)
	reused := `[...document.querySelectorAll(".row")].filter(x => /\/(split|reorder|vectorize|unroll)$/.test(x.dataset.step)).map(x => x.querySelector(".time.reused") ? "r" : "n").join("")`
	if got := eval[string](p, reused); got != "rrrn" {
		t.Errorf("of the steps these were reused: %s, want all before the change", got)
	}
	p.press(kb.Escape)

	// A step of the schedule has its diff, its line, and the loops after it.
	eval[bool](p, `([...document.querySelectorAll(".row")].find(x => x.dataset.step.endsWith("/split")).click(), true)`)
	p.wait(`[...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("i1_0"))`)
	p.press("i")
	p.wait(`document.querySelector("#details-body .written")?.textContent.includes("Line 6 of the schedule of matmul")`)
	p.press("L")
	p.wait(`[...document.querySelectorAll(".loops-panel .is-new")].length === 2`)
	p.wait(`[...document.querySelectorAll(".loops-panel .touch")].some(x => x.title === "x: 64.0 KiB read, all of it")`)
	p.screen("loops-1440")
	audit(p, "the loops of a kernel")
	p.theme("dark")
	p.screen("loops-1440-dark")
	p.tabTo("#schedule-again")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#schedule-dialog[open]")`)
	p.screen("schedule-1440-dark")

	// Removed, the default schedule is back; undo brings it again.
	p.another(func() { p.click("#sc-remove") })
	p.wait(`!(` + named("schedule.matmul") + `)`)
	p.another(func() { p.ctrl("z") })
	p.wait(named("schedule.matmul") + `?.classList.contains("is-changed")`)
}

// TestScheduleFits shows the pane and the loops in narrow windows: nothing sticks out, and everything can be reached.
func TestScheduleFits(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	newSession(p, kernelSource)
	at := stepPath(p, "ApplyDefaultSchedule")
	for _, width := range []int64{800, 390} {
		p.do("resize", chromedp.EmulateViewport(width, 844))
		p.goTo(eval[string](p, `location.pathname`) + "?pass=" + at + "&view=loops&function=matmul")
		p.wait(`document.querySelectorAll(".loops-panel .loop-row").length > 10`)
		p.screen(fmt.Sprintf("loops-%d", width))
		if n := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
			t.Errorf("at %d the page is %d px too wide", width, n)
		}
		p.press("d")
		p.wait(`document.querySelector("#sc-status.is-ok")?.textContent.includes("calls no primitive yet")`)
		p.ctrl(kb.End)
		p.press("j0, j1 = sch.split(i1, [None, 16])" + kb.Enter + "sch.reorder(j1, j1)")
		p.wait(`document.querySelector(".sc-step.is-failed")`)
		p.screen(fmt.Sprintf("schedule-%d", width))
		audit(p, "a schedule in a narrow window")
		for _, id := range []string{"sc-run", "sc-measure", "sc-status"} {
			if !eval[bool](p, fmt.Sprintf(`(() => { document.getElementById(%[1]q).scrollIntoView({block: "nearest"}); const r = document.getElementById(%[1]q).getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })()`, id)) {
				t.Errorf("at %d #%s sticks out of the window", width, id)
			}
		}
		p.press(kb.Escape)
	}
}

// TestRaceLeadsToItsLines: the message of a race has a way to the line of each access, after the last pass and in the source.
func TestRaceLeadsToItsLines(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/lessons")
	p.click(`[data-lesson=race] .card-open`)
	p.wait(live)
	p.wait(`document.querySelector("#run-state")?.dataset.status === "failed"`)
	p.wait(`document.querySelectorAll(".note-accesses li").length === 2`)
	p.screen("race-1440")
	for n, line := range []string{"B_1[bx * 32 + tx] = S_1[31 - tx]", "S_1[tx] = A_1[bx * 32 + tx]"} {
		p.click(fmt.Sprintf(".note-accesses li:nth-child(%d) button", n+1))
		p.wait(fmt.Sprintf(`document.querySelector(".code-row.at-line")?.textContent.includes(%q)`, line))
		p.click(fmt.Sprintf(".note-accesses li:nth-child(%d) button:nth-of-type(2)", n+1))
		p.wait(fmt.Sprintf(`location.search.includes("view=source") && document.querySelector(".code-row.at-line")?.textContent.includes(%q)`, line[:1]+"[v] = "))
	}
}
