package browser

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// inView is true when the selected row of the tree lies within it.
const inView = `(() => {
	const row = document.querySelector(".row[aria-selected=true]")?.getBoundingClientRect(), box = document.querySelector("#tree").getBoundingClientRect();
	return row && box.height > 0 && row.top >= box.top - 1 && row.bottom <= box.bottom + 1; })()`

// TestLinkShowsItsPass opens links to a late pass: its row is in view, stays there when j and k lead elsewhere, and a narrow
// window opens on the diff.
func TestLinkShowsItsPass(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	late := eval[string](p, `fetch("/runs/`+p.run()+`/events").then(r => r.json()).then(a =>
		a.events.filter(e => e.type === "pass_finished" && e.body.changed && e.step.includes("/tir.")).at(-1).step)`)
	path := eval[string](p, `location.pathname`)
	p.goTo(path + "?pass=" + late)
	p.wait(done)
	p.wait(`document.querySelector(".row[aria-selected=true]")?.dataset.step === "` + late + `" && ` + inView)
	p.press("kkk")
	p.wait(`document.querySelector(".row[aria-selected=true]")?.dataset.step !== "` + late + `" && ` + inView)
	// What the reader scrolls away stays away while nothing else is selected.
	eval[bool](p, `(() => { const tree = document.querySelector("#tree"); tree.dispatchEvent(new WheelEvent("wheel")); tree.scrollTop = 0; return true; })()`)
	p.click("#only-changed")
	p.wait(`document.querySelector("#hidden-count").textContent === "" && document.querySelector("#tree").scrollTop === 0`)

	narrow := visit(t, p.base, 390, 844)
	narrow.goTo(path + "?pass=" + late)
	narrow.wait(`document.querySelector('.narrow-tabs [data-tab=center]').getAttribute("aria-pressed") === "true"`)
	narrow.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	narrow.click(`.narrow-tabs [data-tab=passes]`)
	narrow.wait(inView)
}

// TestSymbolicBatch checks that the result sets the three executions side by side.
func TestSymbolicBatch(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="batch"] .card-open`)
	p.wait(done)
	p.click(`#center-tools [data-view=result]`)
	p.wait(`document.querySelectorAll("#result .executions tbody tr").length === 3`)
	for i, want := range []string{"batch = 1", "batch = 3", "batch = 8"} {
		row := eval[[]string](p, `[...document.querySelectorAll("#result .executions tbody tr")].map(x => [...x.children].map(y => y.textContent).join(" | "))`)[i]
		size := strings.TrimPrefix(want, "batch = ")
		if !strings.HasPrefix(row, want+" | ") || !strings.Contains(row, " "+size+"×") || !strings.Contains(row, "s | ") {
			t.Errorf("row %d of the overview reads %q, want %s with its latency and an output of %s rows", i, row, want, size)
		}
	}
	// Beside each stands what it takes with code for these sizes alone.
	if n, cells := p.count("#result .fixed-sizes"), eval[[]string](p, `[...document.querySelectorAll("#result .executions tbody td:nth-child(3)")].map(x => x.textContent)`); n != 3 || slices.Contains(cells, "–") {
		t.Errorf("%d executions tell their latency with code for fixed sizes, the overview says %q, want 3", n, cells)
	}
	if n := p.count("#result .latency-value"); n != 3 {
		t.Errorf("%d latencies are shown, want 3", n)
	}
	if got := p.text("#result .kernels"); !strings.Contains(got, "KiB") && !strings.Contains(got, " B") {
		t.Errorf("the kernels are listed without their size: %q", got)
	}
}

// TestLoweringPassOff turns a lowering pass off: the page warns before and after, what ran before stays, the error names the pass, and one click
// turns it on again.
func TestLoweringPassOff(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="mlp"] .card-open`)
	p.wait(done)
	eval[bool](p, `(`+named("LegalizeOps")+`.querySelector(".tick").click(), true)`)
	p.wait(`document.querySelector("dialog.ask[open]")?.textContent.includes("FuseOps needs LegalizeOps")`)
	p.click("dialog.ask [data-yes]")
	p.wait(`document.querySelector("#messages .note.warning")?.textContent.includes("LegalizeOps is a lowering pass")`)
	p.wait(`document.querySelector("#run-state").dataset.status === "failed"`)
	p.wait(`document.querySelector("#messages .note.error")?.textContent.includes("LegalizeOps")`)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	p.click(`[data-turn-on]`)
	p.wait(done)
	p.wait(`!document.querySelector("#messages .note")`)
}

// TestUnreadableModel uploads what only looks like a model.
func TestUnreadableModel(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	file := filepath.Join(t.TempDir(), "letter.onnx")
	if err := os.WriteFile(file, []byte("Dear compiler, this is a letter."), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file}))
	p.wait(`document.querySelector("#run-state")?.dataset.status === "failed"`)
	p.wait(`document.querySelector("#messages .note.error")?.textContent.includes("letter.onnx cannot be read: it is not an ONNX model")`)
	p.wait(`document.querySelector(".empty a[href='/']")`)
	if got := p.text("#run-state-text"); got != "Failed before the first pass" {
		t.Errorf("the state reads %q", got)
	}
}

// TestFirstRow measures from the click on a model of the gallery, of which nothing is compiled yet, to the first row of a pass.
func TestFirstRow(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	best := math.Inf(1)
	for _, model := range []string{"mlp", "cnn", "transformer", "batch"} {
		p := visit(t, base, 1440, 900)
		// The clock of a page starts with the click that leads to it.
		if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: `
			new MutationObserver((_, watch) => {
				if (!document.querySelector(".plain-passes tbody tr, #tree .row[data-step*='/']")) return;
				watch.disconnect();
				requestAnimationFrame(() => { window.__firstRow = performance.now(); });
			}).observe(document, {childList: true, subtree: true});`}); err != nil {
			t.Fatal(err)
		}
		p.goTo("/")
		p.click(`[data-gallery="` + model + `"] .card-open`)
		p.wait(`window.__firstRow`)
		took := eval[float64](p, `window.__firstRow`)
		t.Logf("%s: %.0f ms from the click to the first row", model, took)
		best = min(best, took)
		p.wait(done)
	}
	// The goal is 150 ms on an idle machine; here only a hang fails.
	t.Logf("the first row came after %.0f ms at best", best)
	if best > hang {
		t.Errorf("the first row came after %.0f ms at best", best)
	}
}
