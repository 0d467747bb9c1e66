package browser

import (
	"strings"
	"testing"
)

// TestTargetOnThePage chooses another target for each model of the gallery: the run has its passes, shows its code and the same outputs.
func TestTargetOnThePage(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, name := range []string{"mlp", "batch", "transformer", "cnn"} {
		p := visit(t, base, 1440, 900)
		p.goTo("/")
		p.click(`[data-gallery="` + name + `"] .card-open`)
		p.wait(done)
		p.click(`#center-tools [data-view=result]`)
		p.wait(`document.querySelector("#result .elements")`)
		first := func() string { return strings.SplitN(p.text("#result .elements"), " ", 2)[0] }
		before, command := first(), p.text("#command")
		// Of all passes, only those whose names have Loop.
		p.click("#only-changed")
		p.click("#toggle-filter")
		p.fill("#filter", "Loop")
		shows := func(pass string) bool {
			return eval[bool](p, `document.querySelector("#passes").textContent.includes("`+pass+`")`)
		}
		p.until("the passes are those of wasm", func() bool { return shows("VectorizeLoop") && shows("UnrollLoop") && !shows("LegalizeOps") })
		p.another(func() {
			eval[bool](p, `(() => { const s = document.querySelector("#target"); s.value = "interp"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
		})
		p.wait(done)
		p.wait(`document.querySelector("#command").textContent.includes("--target interp")`)
		p.wait(`document.querySelector("#result .latency-value") && document.querySelector("#result .elements")`)
		p.until("the passes are those of interp", func() bool { return shows("VectorizeLoop") && !shows("UnrollLoop") && !shows("LegalizeOps") })
		if got := first(); got == "" || got[:min(6, len(got))] != before[:min(6, len(before))] {
			t.Errorf("%s: the outputs begin with %s, they were %s by %s", name, got, before, command)
		}
		p.click(`#result .kernels .link.mono`)
		// The rows after that of the virtual machine are kernels.
		p.wait(`[...document.querySelectorAll("*")].some(x => x.children.length === 0 && x.textContent.trim() === "kernel")`)
		eval[bool](p, `([...document.querySelectorAll("*")].filter(x => x.children.length === 0 && x.textContent.trim() === "kernel")[0].parentElement.click(), true)`)
		p.wait(`[...document.querySelectorAll(".code-row")].some(x => x.textContent.includes("T.func_attr"))`)
	}
}
