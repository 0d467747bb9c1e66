package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestExportedPage opens exported pages from the disk: they are the page of the session, with its keys, search and both themes, nothing
// is requested, nothing is said on the console, and what a model names stays text.
func TestExportedPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model, base string
		most              int64 // bytes
	}{
		{"real", "cnn", serveCompiler(t), 400_000},
		{"hostile", fixture.Hostile, serve(t, &fixture.Runner{}), 400_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, session := export(t, c.base, c.model)
			if info, err := os.Stat(path); err != nil || info.Size() >= c.most {
				t.Errorf("the page has %d bytes (%v), want less than %d", info.Size(), err, c.most)
			} else {
				t.Logf("the page has %d bytes", info.Size())
			}
			for _, width := range []int64{1440, 390} {
				p := visit(t, "file://", width, 900)
				p.goTo(path)
				p.wait(done)
				p.wait(`document.querySelectorAll(".code-row.is-add, .code-row.is-del").length > 0`)
				name := fmt.Sprintf("export-%s-%d", c.name, width)
				p.inBoth(func(theme string) {
					p.screen(name + "-" + theme)
					audit(p, name+" in "+theme)
					if got, want := eval[string](p, `getComputedStyle(document.querySelector(".topbar")).backgroundColor`), map[string]string{"light": "rgb(248, 249, 251)", "dark": "rgb(21, 26, 33)"}[theme]; got != want {
						t.Errorf("the background in %s is %s, want %s", theme, got, want)
					}
				})
				if width < 600 {
					p.click(`.narrow-tabs [data-tab=search]`)
				} else {
					p.readExported(c.name)
					p.exportedLoops(c.name == "real")
					p.sameRows(c.base, session, path)
					p.press("/")
				}
				p.wait(focused("#search-field"))
				p.fill("#search-field", "return")
				p.wait(`document.querySelectorAll("#search-results .found").length > 3`)
				p.screen(name + "-search")
				p.press(kb.Enter)
				p.wait(`location.search.includes("line=")`)
				if n := eval[int](p, `performance.getEntriesByType("resource").length`); n != 0 {
					t.Errorf("the page made %d requests: %s", n, eval[string](p, `performance.getEntriesByType("resource").map(x => x.name).join()`))
				}
				if eval[bool](p, `document.documentElement.scrollWidth > innerWidth || "__pwned" in window || document.images.length > 0`) {
					t.Errorf("at %d the page is wider than the window, or something of the model runs on it", width)
				}
			}
		})
	}
}

// exportedLoops looks at the loops of a kernel, which the file holds where its session had a compiler, and goes back to the difference.
func (p *page) exportedLoops(held bool) {
	p.t.Helper()
	if offered := eval[bool](p, `document.querySelector("#views [data-view=loops]") !== null`); offered != held {
		p.t.Errorf("the view of loops is offered: %v", offered)
	}
	if !held {
		return
	}
	at := eval[string](p, `location.search`)
	eval[bool](p, `(`+named("ApplyDefaultSchedule")+`.click(), true)`)
	p.press("L")
	p.wait(`document.querySelectorAll(".loops-panel .loop-row").length > 5 && document.querySelector(".loops-panel .of-vectorized .touch")`)
	p.screen("export-loops")
	p.press("v")
	eval[bool](p, `(history.replaceState(null, "", location.pathname + `+fmt.Sprintf("%q", at)+`), true)`)
}

// readExported goes through an exported page with the keyboard, as through a session.
func (p *page) readExported(name string) {
	p.t.Helper()
	pass := `document.querySelector(".row[aria-selected=true]")?.dataset.step`
	first := eval[string](p, pass)
	p.press("j")
	p.wait(pass + ` !== ` + fmt.Sprintf("%q", first))
	p.press("k")
	p.wait(pass + ` === ` + fmt.Sprintf("%q", first))
	p.press("z")
	p.wait(`document.querySelector("#form").ariaPressed === "false"`)
	p.press("z")
	p.wait(`document.querySelector("#form").ariaPressed === "true"`)
	p.press("u")
	p.wait(`location.search.includes("view=split")`)
	p.wait(`document.querySelector(".code-row.is-mod, .code-row.is-add, .code-row.is-del")`)
	p.press("u")
	for _, view := range []string{"ir", "metrics", "code", "result", "profile", "unified"} {
		p.click(`#center-tools [data-view="` + view + `"], #center-tools [data-layout-of]`)
		p.wait(`location.search.includes("pass=")`)
		if said := eval[string](p, `[...document.querySelectorAll("#center .error")].filter(x => x.checkVisibility()).map(x => x.textContent).join()`); name == "real" && said != "" {
			p.t.Errorf("the view %s says %s", view, said)
		}
	}
	p.press("T")
	p.wait(`document.querySelector("#timeline-body .bar")`)
	p.press("T")
	p.press("i")
	p.click("[data-inspect=notes]")
	p.wait(`document.querySelector("#note-list .note-text")?.textContent.includes("a note")`)
	p.press("i")
	for what, faulty := range map[string]string{
		"can be shared":    `document.querySelector("#share") !== null`,
		"can be run":       `document.querySelector("#run").checkVisibility()`,
		"has a history":    `document.querySelector("#show-history") !== null`,
		"takes notes":      `document.querySelector("#add-note").checkVisibility()`,
		"turns passes off": `document.querySelectorAll(".row .tick:not(.fixed)").length > 0`,
	} {
		if eval[bool](p, faulty) {
			p.t.Errorf("wrong in the exported page: it %s", what)
		}
	}
}

// sameRows compares what an exported page shows with what the server does: rows, colors, marks and folds, in both views and forms.
func (p *page) sameRows(base, session, path string) {
	p.t.Helper()
	other := visit(p.t, base, 1440, 900)
	steps := eval[[]string](p, `[...document.querySelectorAll("#tree .row.is-changed")].map(x => x.dataset.step)`)
	if len(steps) < 5 {
		p.t.Fatalf("found the steps %q that changed something", steps)
	}
	const rows = `JSON.stringify([...document.querySelectorAll("#code .code-row")].map(x => x.textContent.trim() && [x.className, ...x.querySelectorAll("span:not(.why-cell)")].map(y => [y.className ?? "", y.children?.length ? "" : y.textContent].join(":")).join("|")))`
	fold := `(() => { const f = document.querySelector("#code button.fold"); f?.click(); return Boolean(f); })()`
	for i, step := range steps {
		if i%max(1, len(steps)/4) != 0 {
			continue
		}
		for j, more := range []string{"&view=unified&form=compact", "&view=unified&form=exact", "&view=split&form=compact", "&view=split&form=exact", "&view=ir&form=compact"} {
			if (i/max(1, len(steps)/4)+j)%2 != 0 && !seed.IsNightly() {
				continue // each step in half of the views, each view at half of the steps
			}
			query := "pass=" + url.QueryEscape(step) + more
			var shown [2]string
			for k, at := range []*page{p, other} {
				to := path + "?" + query
				if at == other {
					to = "/s/" + session + "?" + query
				}
				at.goTo(to)
				at.wait(done)
				at.wait(`document.querySelector("#code .code-row")`)
				at.wait(`!document.querySelector("#code [aria-busy=true], #code .code-row.loading")`)
				before := eval[string](at, rows)
				if eval[bool](at, fold) {
					at.until("the fold is open", func() bool { return eval[string](at, rows) != before })
				}
				at.wait(`new Promise(r => setTimeout(r, 0)).then(() => true)`)
				shown[k] = eval[string](at, rows)
			}
			if shown[0] != shown[1] {
				at := 0
				for at < min(len(shown[0]), len(shown[1])) && shown[0][at] == shown[1][at] {
					at++
				}
				p.t.Errorf("%s: the exported page shows ...%.300s, want ...%.300s", query, shown[0][max(0, at-60):], shown[1][max(0, at-60):])
			}
		}
	}
}

// export makes a session of a model with a note, and returns the path of its exported page and its id.
func export(t *testing.T, base, model string) (path, session string) {
	t.Helper()
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
		EditToken string `json:"edit_token"`
	}
	post := func(path, body string, into any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+made.EditToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusCreated {
			t.Fatalf("POST %s: %d, %v", path, resp.StatusCode, err)
		}
	}
	post("/api/sessions", fmt.Sprintf(`{"gallery":%q}`, model), &made)
	post("/api/sessions/"+made.Session.ID+"/notes", `{"text":"<script>window.__pwned = 1</script> a note"}`, &struct{}{})
	for log := (struct{ Sealed bool }{}); !log.Sealed; {
		resp, err := http.Get(base + "/api/runs/" + made.Session.Runs[0] + "/events?wait=30")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(&log)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for {
		resp, err := http.Get(base + "/s/" + made.Session.ID + "/export.html")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		switch {
		case err != nil:
			t.Fatal(err)
		case resp.StatusCode == http.StatusConflict: // its end is on its way to the store
		case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		case resp.StatusCode != http.StatusOK:
			t.Fatalf("export: %d: %s", resp.StatusCode, data)
		default:
			return file(t, "export.html", string(data)), made.Session.ID
		}
	}
}
