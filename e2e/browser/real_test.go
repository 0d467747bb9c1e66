package browser

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// serveCompiler runs irscope with the real compiler and its gallery.
func serveCompiler(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	engine := compiler.NewEngine()
	t.Cleanup(func() { _ = engine.Close() })
	models, err := inproc.Catalog(ctx)
	if err != nil {
		t.Fatal(err)
	}
	st := store.NewMemory(512 << 20)
	return serveWith(t, inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine}), st, models)
}

// TestEveryGalleryModel opens each card of the real gallery, watches it compile, and reads its outputs.
func TestEveryGalleryModel(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	p := visit(t, base, 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	names := eval[[]string](p, `[...document.querySelectorAll("[data-gallery]")].map(x => x.dataset.gallery)`)
	if len(names) != 4 {
		t.Fatalf("the gallery has %d models, want 4: %v", len(names), names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := visit(t, base, 1440, 900)
			p.goTo("/")
			p.click(`[data-gallery="` + name + `"] .card-open`)
			p.wait(`location.pathname.startsWith("/s/")`)
			p.wait(done)
			p.wait(`document.querySelectorAll(".code-row").length > 3`)
			p.click(`#center-tools [data-view=result]`)
			p.wait(`document.querySelector("#result .latency-value")`)
			if got := p.text("#result .elements"); strings.Contains(got, "NaN") || len(got) < 4 {
				t.Errorf("the output reads %q", got)
			}
			p.click(`#result .kernels .link.mono`)
			p.wait(`document.querySelectorAll(".code-row").length > 3`)
		})
	}
}

// TestToggleWithTheCompiler turns FuseOps off in the real compiler: the steps before it are reused, what follows is new.
func TestToggleWithTheCompiler(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.click(`[data-gallery="cnn"] .card-open`)
	p.wait(done)
	fuse := named("FuseOps")
	p.wait(fuse)
	eval[bool](p, `(`+fuse+`.querySelector(".tick").click(), true)`)
	p.wait(`document.querySelector("#run-state-text").textContent.includes("reused")`)
	p.wait(done)
	p.wait(fuse + `.querySelector(".reason")?.textContent === "off"`)
	p.wait(named("LegalizeOps") + `.querySelector(".time").textContent.includes("↺")`)

	// From the click to the frame in which the first step of the new run stands: the best of five, as the machine may be busy.
	best := math.Inf(1)
	for range 5 {
		best = min(best, eval[float64](p, `(async () => {
			const start = window.clicked = performance.now(), run = location.search.match(/run=([^&]+)/)[1];
			`+fuse+`.querySelector(".tick").click();
			const text = () => document.querySelector("#run-state-text").textContent;
			while (location.search.includes(run) || !/^(Running|Done)/.test(text())) await new Promise(requestAnimationFrame);
			return performance.now() - start; })()`))
		p.wait(done)
		p.wait(`performance.now() > window.clicked + 400`) // changes that follow sooner are taken together
	}
	t.Logf("from the click to the first row of a re-run: %.0f ms", best)
	// The goal is 150 ms on an idle machine; here only a hang fails.
	if best > hang {
		t.Errorf("a re-run took %.0f ms to its first row", best)
	}
}
