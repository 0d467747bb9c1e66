package browser

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// startRun starts a run of a session with settings as JSON, and returns its number.
func startRun(p *page, session, settings string) string {
	p.t.Helper()
	got := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q}).then(r => r.json()).then(x => x.run?.id ?? JSON.stringify(x))`,
		strings.TrimPrefix(session, "/s/"), settings))
	if strings.HasPrefix(got, "{") {
		p.t.Fatalf("no run: %s", got)
	}
	return got
}

// failed is true when the run has ended in an error.
const failed = `document.querySelector("#run-state")?.dataset.status === "failed"`

// TestThreadSyncOff turns the pass that inserts barriers off in the pipeline of a GPU: the interpreter, which runs the threads, finds the race, and the message
// leads to the line of each access.
func TestThreadSyncOff(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "mlp"))
	p.wait(done)
	p.another(func() {
		eval[bool](p, `(() => { const s = document.querySelector("#target"); s.value = "cuda"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	})
	p.wait(`document.querySelector("#command").textContent.includes("--target cuda")`)
	eval[bool](p, `(document.querySelector("#only-changed").click(), true)`)
	p.selectRow("tir.ThreadSync")
	run := p.run()
	p.press("x")
	p.click("dialog.ask [data-yes]")
	p.notRun(run)
	p.wait(failed)
	p.wait(`document.querySelectorAll(".note-accesses li").length === 2`)
	if got := p.text(".note.error"); !strings.Contains(got, "softmax_kernel: race on ") || !strings.Contains(got, "no barrier orders them (tir.ThreadSync inserts those that are missing)") {
		t.Errorf("the run failed with %q", got)
	}
	p.looks("threadsync", [][2]int64{{1440, 900}, {1024, 768}, {390, 844}})
	// The two lines are different ones of the kernel, one of which writes what the other reads.
	at := map[string]bool{}
	for n := range 2 {
		access := fmt.Sprintf(".note-accesses li:nth-child(%d)", n+1)
		_, said, _ := strings.Cut(p.text(access), "line ")
		line, text, ok := strings.Cut(said, ": ")
		if !ok {
			t.Fatalf("access %d reads %q", n, p.text(access))
		}
		p.click(access + " button")
		p.wait(fmt.Sprintf(`((at = new URLSearchParams(location.search)) => at.get("function") === "softmax_kernel" && at.get("line") === %q)()`, line))
		p.wait(`document.querySelector(".code-row.at-line .tx")?.textContent.trim() === ` + strconv.Quote(text))
		at[line] = true
		if !strings.Contains(text, "_shared") {
			t.Errorf("the race is on shared memory, and not in %q", text)
		}
	}
	if len(at) != 2 {
		t.Errorf("both accesses lead to %v", at)
	}
	p.screen("threadsync-line-1440")
	// Turned on again, the run ends well.
	p.selectRow("tir.ThreadSync")
	p.another(func() { p.press("x") })
	p.wait(`!document.querySelector(".note-accesses")`)
}

// TestFailedRunOpensOnItsStep opens a run that failed: it shows the step that failed, and not the first that changed something, before a script has run, too.
func TestFailedRunOpensOnItsStep(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	run := startRun(p, path, `{"opt_level": 2, "steps": [{"name": "LegalizeOps"}, {"name": "DeadCodeElimination", "options": {"entry_functions": ["nope"]}}]}`)
	p.goTo(path + "?run=" + run)
	p.wait(failed)
	p.wait(selectedRow + ` === "DeadCodeElimination"`)
	p.wait(`document.querySelector("#code").textContent.includes("has no function called nope")`)
	p.screen("failed-step-1440")
	// The innermost step: the primitive of a schedule.
	newSession(p, kernelSource)
	schedule := `{"opt_level": 2, "schedules": [{"kernel": "matmul", "source": "i = sch.get_loops(\"matmul\")[0]\nsch.unroll(i)\nsch.reorder(i, i)\n"}]}`
	path = eval[string](p, `location.pathname`)
	p.goTo(path + "?run=" + startRun(p, path, schedule))
	p.wait(failed)
	p.wait(selectedRow + ` === "reorder(i, i)"`)
	p.screen("failed-primitive-1440")
}

// TestBisectNamesAPrimitive looks for the pass at fault in a run with a schedule: the finding names the primitive and its line, and leads to it in the run and in the
// smallest module.
func TestBisectNamesAPrimitive(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	newSession(p, kernelSource)
	path := eval[string](p, `location.pathname`)
	settings := `{"opt_level": 2, "schedules": [{"kernel": "matmul", "source": "i, j, k = sch.get_loops(\"matmul\")\nj0, j1 = sch.split(j, [None, 8])\nsch.reorder(i, j0, k, j1)\nsch.vectorize(j1)\n"}]}`
	p.goTo(path + "?view=result&run=" + startRun(p, path, settings))
	p.wait(done)
	p.wait(`document.querySelector("#fault-kind")`)
	eval[bool](p, `(k => { k.value = "contains"; k.dispatchEvent(new Event("change")); })(document.querySelector("#fault-kind")), true`)
	eval[bool](p, `(document.querySelector("#fault-value").value = "T\\.vectorized", true)`)
	p.click("#fault-find")
	p.wait(`document.querySelector("#fault-open")`)
	if got := p.text(".fault-facts"); !strings.Contains(got, "stepvectorize, line 4: sch.vectorize(j1)") || !strings.Contains(got, "schedule.matmul") {
		t.Errorf("the facts are %q", got)
	}
	eval[bool](p, `document.querySelector(".fault-facts").scrollIntoView({block: "center"}), true`)
	p.screen("bisect-primitive-1440")
	p.click("#fault-show")
	p.wait(selectedRow + ` === "vectorize(j1)"`)
	p.click(`#center-tools [data-view=result]`)
	p.click("#fault-open")
	p.wait(`location.pathname !== "` + path + `" && location.pathname.startsWith("/s/") && new URLSearchParams(location.search).get("pass") === "1.2.3/vectorize"`)
	p.wait(selectedRow + ` === "vectorize(j1)" && [...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("T.vectorized"))`)
	p.screen("bisect-opened-1440")
	// The schedule, which is a step of the pipeline here, can be removed like any other.
	p.selectRow("schedule.matmul")
	run := p.run()
	p.act(`.row[data-step="1.2/schedule.matmul"]`, "remove")
	p.notRun(run)
	p.wait(`["ok", "failed"].includes(document.querySelector("#run-state").dataset.status) && !(` + named("schedule.matmul") + `)`)
}
