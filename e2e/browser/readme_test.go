package browser

import (
	"bytes"
	"context"
	"image/gif"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// writing tells that the pictures of the documents are to be written anew, and not only that what they show is there.
func writing() bool { return os.Getenv("E2E_README") != "" }

// picture writes the window as a picture of the documents.
func (p *page) picture(name string) {
	if writing() {
		p.shot(filepath.Join("..", "..", "docs", name))
	}
}

// slowed is the compiler, which waits a while before it tells that a pass has begun, so that one can see rows arrive in a film.
type slowed struct {
	*inproc.Runner
	wait time.Duration
}

// Run implements run.Runner.
func (s slowed) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	return s.Runner.Run(ctx, req, slowSink{sink, s.wait})
}

type slowSink struct {
	run.Sink
	wait time.Duration
}

// Emit implements event.Sink.
func (s slowSink) Emit(e event.Event) error {
	if _, ok := e.Body.(*event.PassStarted); ok && s.wait > 0 && !e.Reused {
		<-time.After(s.wait)
	}
	return s.Sink.Emit(e)
}

// TestReadmeFilm goes from the start page through what the README shows: rows arrive, FuseOps is selected and read, turned off, and the
// two runs are compared. It writes docs/irscope.gif where E2E_README is set; then the run is slowed down to be seen.
func TestReadmeFilm(t *testing.T) {
	t.Parallel()
	var slow, look time.Duration
	if writing() {
		slow, look = 45*time.Millisecond, 100*time.Millisecond
	}
	ctx := context.Background()
	engine := compiler.NewEngine()
	t.Cleanup(func() { _ = engine.Close() })
	models, err := inproc.Catalog(ctx)
	if err != nil {
		t.Fatal(err)
	}
	st := store.NewMemory(512 << 20)
	p := visit(t, serveWith(t, slowed{inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine}), slow}, st, models), 1200, 750)
	p.theme("light")
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	var f *film
	if writing() {
		f = record(p)
	}
	hold := func(times time.Duration) { <-time.After(times * look) }
	point := func(selector string) {
		p.wait(`document.querySelector('` + selector + `')`)
		p.hover(selector)
		hold(5)
		p.click(selector)
	}

	hold(10)
	point(`[data-gallery="cnn"] .card-open`)
	p.wait(done)
	hold(8)
	point(`[data-step$="/FuseOps"] .name`)
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › main")`)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 1`)
	hold(25)
	p.another(func() { point(`[data-step$="/FuseOps"] .tick`) })
	p.wait(`document.querySelector('[data-step$="/FuseOps"] .reason')?.textContent === "off"`)
	p.wait(`document.querySelector("#compare-runs")`)
	hold(12)
	point(`#compare-runs`)
	p.wait(chosenPair + ` === "FuseOps"`)
	p.wait(`document.querySelectorAll("#code .code-row").length > 10`)
	p.wait(`document.querySelector(".figures").textContent.includes("equal")`)
	hold(25)
	if f == nil {
		return
	}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, f.end(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "docs", "irscope.gif"), buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("docs/irscope.gif: %d KB", buf.Len()>>10)
}

// TestReadmeScreenshot checks that there is something to show, and writes docs/screenshot.png where E2E_README is set.
func TestReadmeScreenshot(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.theme("dark")
	p.goTo("/")
	p.click(`[data-gallery="transformer"] .card-open`)
	p.wait(done)
	p.click(`[data-step$="/FuseOps"] .name`)
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › ")`)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 3`)
	p.picture("screenshot.png")
}

// TestTutorial goes through docs/tutorial.md on the page, and writes its pictures where E2E_README is set.
func TestTutorial(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1200, 750)
	p.theme("light")
	p.goTo("/")
	p.click(`[data-gallery="cnn"] .card-open`)
	p.wait(done)
	p.click(`[data-step$="/FuseOps"] .name`)
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › main")`)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 1`)
	p.picture("tutorial-session.png")

	p.click(`.ln[data-line="5"]`)
	p.press("y")
	p.wait(answered)
	p.click("#center-title")
	p.press("}")
	p.wait(`document.querySelector("#rewrites")?.textContent.includes("did not fuse")`)

	clickName(p, lineOf(p, "relu1 ="), "relu1")
	p.wait(lived)
	p.wait(sign("FuseOps", "fused"))
	p.wait(sign("Code generation", "lowered"))
	p.picture("tutorial-history.png")
	p.click("#history-close")

	p.another(func() { p.press("x") })
	p.wait(`document.querySelector("#compare-runs")`)
	p.press("=")
	p.wait(chosenPair + ` === "FuseOps"`)
	p.wait(`document.querySelectorAll("#code .code-row").length > 10`)
	p.wait(`document.querySelector(".figures").textContent.includes("equal")`)
	p.picture("tutorial-compare.png")
}
