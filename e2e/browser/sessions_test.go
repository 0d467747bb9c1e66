package browser

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestExports downloads all forms of a session, and opens the archive: it shows the same passes and notes.
func TestExports(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	dir := t.TempDir()
	path := session(p, fixture.MLP)
	p.goTo(path + "?pass=1.9/FuseTIR&function=main&line=8")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.note("goes with it")
	p.click("#only-changed")
	p.wait(`document.querySelector("#hidden-count").textContent === ""`)
	passes := `[...document.querySelectorAll("#tree .row")].map(x => [x.dataset.step, x.className, x.querySelector(".delta")?.textContent].join(" ")).join("\n")`
	before := eval[string](p, passes)

	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"html": "<!doctype html", "md": "# MLP", "zip": "PK\x03\x04"} {
		p.click("#session-menu summary")
		p.click(`[data-export=` + format + `]`)
		file := filepath.Join(dir, "MLP."+format)
		p.until(file+" has come", func() bool {
			info, err := os.Stat(file)
			return err == nil && info.Size() > 0
		})
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(strings.ToLower(string(data)), strings.ToLower(want)) {
			t.Errorf("the %s begins with %.40q (%v), want %q", format, data, err, want)
		}
		p.press(kb.Escape)
		p.wait(`!document.querySelector("#session-menu").open`)
	}
	archive, err := zip.OpenReader(filepath.Join(dir, "MLP.zip"))
	if err != nil {
		t.Fatal(err)
	}
	_ = archive.Close()

	p.goTo("/")
	p.wait(`document.querySelector("#export-file")`)
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#export-file"), []string{file(t, "letter.txt", "x")}))
	p.wait(`document.querySelector("#import-error").textContent.includes("not a session export")`)
	p.do("choose the archive", chromedp.SetUploadFiles(chromedp.CSS("#export-file"), []string{filepath.Join(dir, "MLP.zip")}))
	p.wait(`location.pathname.startsWith("/s/") && location.pathname !== ` + fmt.Sprintf("%q", path))
	p.wait(done)
	p.wait(`document.querySelector("#note-list .note-text")?.textContent === "goes with it"`)
	p.click("#note-list .note-go")
	p.wait(place + ` === "1.9/FuseTIR main 8 unified" && document.querySelector(".ln.noted")`)
	if after := eval[string](p, passes); after != before {
		t.Errorf("the passes of the archive are\n%s\nwant\n%s", after, before)
	}
}

// TestMySessions lists the sessions of a visitor on the start page, also without a script, and deletes them.
func TestMySessions(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	p.goTo("/")
	if p.count("#sessions") != 0 {
		t.Error("a visitor without sessions is shown some")
	}
	path := session(p, fixture.MLP)
	p.goTo(path)
	p.wait(done)
	p.goTo(session(p, fixture.Hostile))
	p.wait(done)
	p.goTo("/")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 2`)
	row := `#sessions tr[data-session="` + strings.TrimPrefix(path, "/s/") + `"]`
	if got := eval[string](p, `[".session-model", ".session-runs", "a"].map(x => document.querySelector(`+fmt.Sprintf("%q", row)+` + " " + x).textContent).join()`); got != "mlp,1 run,MLP" {
		t.Errorf("the row of a session reads %q", got)
	}
	other := visit(t, p.base, 1440, 900)
	other.goTo("/")
	if other.count("#sessions") != 0 {
		t.Error("a visitor sees the sessions of another")
	}

	p.click(row + " [data-delete]")
	p.wait(`document.querySelector("dialog[open]")?.textContent.includes("MLP")`)
	p.click("dialog[open] [data-yes]")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 1`)

	// A long list is cut, and all of it is a link away.
	for range 6 {
		eval[int](p, `fetch("/api/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"gallery": "mlp", "start": false}'}).then(r => r.status)`)
	}
	p.goTo("/")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 5`)
	p.click("#sessions .list-more a")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 7`)

	// Without a script the list leads to the sessions, and a session can be forked.
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.goTo("/?sessions=all")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 7`)
	if n := eval[int](p, `[...document.querySelectorAll("[data-delete]")].filter(x => x.checkVisibility()).length`); n != 0 {
		t.Errorf("%d buttons to delete are shown without a script", n)
	}
	p.click(`#sessions tbody tr:last-child a`)
	p.wait(`document.querySelector("h1")?.textContent.includes("Hostile")`)
	from := eval[string](p, `location.pathname`)
	p.click("#session-menu summary")
	p.click("#fork-own button")
	p.wait(`location.pathname.startsWith("/s/") && location.pathname !== ` + fmt.Sprintf("%q", from))
	p.click("#session-menu summary")
	p.click(".lineage .parent")
	p.wait(`location.pathname === ` + fmt.Sprintf("%q", from))
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}); err != nil {
		t.Fatal(err)
	}
	// The page of a session deletes it too.
	p.goTo("/?sessions=all")
	p.wait(`document.querySelectorAll("#sessions tbody tr").length === 8`)
	p.click("#sessions tbody a")
	p.wait(done)
	last := eval[string](p, `location.pathname`)
	p.click("#session-menu summary")
	p.click("#delete-session")
	p.click("dialog[open] [data-yes]")
	p.wait(`location.pathname === "/" && document.querySelector("#sessions .list-more")?.textContent === "All 7 sessions"`)
	if p.count(`#sessions a[href="`+last+`"]`) != 0 {
		t.Error("a session that was deleted is listed")
	}
}
