package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestLinks checks that a link carries the state: run, pass, function, view and line, also a line inside a fold.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path + "?pass=1.4/DeadCodeElimination&view=split&function=main&line=13")
	p.wait(`document.querySelector(".code-row.at-line")?.textContent.includes("probs")`)
	p.wait(`document.querySelector(".code-view").classList.contains("split")`)
	p.run()
	link := eval[string](p, `location.pathname + location.search`)
	for _, part := range []string{"pass=1.4/DeadCodeElimination", "view=split", "function=main", "line=13", "run="} {
		if !strings.Contains(link, part) {
			t.Errorf("the link %s lacks %s", link, part)
		}
	}

	// A click on a line number puts it into the link.
	p.click(`[data-line="6"]`)
	p.wait(`location.search.includes("line=6")`)

	// Going back leads to the run before.
	run := p.run()
	p.click(`input[name=opt_level][value="0"]`)
	p.notRun(run)
	p.wait(done)
	eval[bool](p, `(history.back(), true)`)
	p.wait(fmt.Sprintf(`new URLSearchParams(location.search).get("run") === %q`, run))
	p.wait(`document.querySelector("input[name=opt_level]:checked").value === "2"`)
	p.wait(done)

	// Another visitor sees the same but may not run.
	other := visit(t, p.base, 1440, 900)
	other.goTo(link)
	other.wait(done)
	other.wait(`document.querySelector("#run").textContent === "Fork to run" && document.querySelector("input[name=opt_level]").disabled`)
	if other.count(".row .tick:not(.fixed)") != 0 {
		t.Error("a reader is offered to turn passes off")
	}
}

// TestUpload sends files that are refused, with their reason, and drops one on the page.
func TestUpload(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo("/")
	dir := t.TempDir()
	for name, want := range map[string]string{"notes.doc": "neither a model", "empty.onnx": "is empty"} {
		file := filepath.Join(dir, name)
		content := []byte("text")
		if strings.HasPrefix(name, "empty") {
			content = nil
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := chromedp.Do(p.ctx, chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file})); err != nil {
			t.Fatal(err)
		}
		p.wait(fmt.Sprintf(`!document.querySelector("#upload-error").hidden && document.querySelector("#upload-error").textContent.includes(%q)`, want))
	}
	// A dragged file shows where it goes; dropped, it is sent.
	eval[bool](p, `(() => {
		const data = new DataTransfer();
		data.items.add(new File([new Uint8Array([8, 7])], "tiny.onnx"));
		window.__drop = data;
		document.body.dispatchEvent(new DragEvent("dragenter", {dataTransfer: data, bubbles: true}));
		return true; })()`)
	p.wait(`document.querySelector("#upload").classList.contains("over")`)
	eval[bool](p, `(document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: window.__drop, bubbles: true, cancelable: true})), true)`)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(`document.querySelector("#title").textContent.includes("tiny")`)
}
