package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/static"
)

// place is the state of the page that a link carries: pass, function, line and view, as the page shows them.
const place = `[
	document.querySelector(".row[aria-selected=true]")?.dataset.step,
	document.querySelector(".fn[aria-current] .name")?.textContent,
	document.querySelector(".code-row.at-line .ln.right, .code-row.at-line .ln[data-line]")?.dataset.line,
	document.querySelector("#center-tools [data-view][aria-pressed=true]")?.dataset.view,
].join(" ")`

// fill types a text into the field that has the focus, instead of what is in it.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.wait(focused(selector))
	eval[bool](p, fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, selector, text))
}

// note adds a note with the keyboard where the page stands.
func (p *page) note(text string) {
	p.t.Helper()
	p.press("c")
	p.wait(`document.querySelector("dialog[open] #note-text")`)
	p.fill("#note-text", text)
	p.click("#note-save")
	p.wait(`!document.querySelector("dialog[open]")`)
}

// TestShare shares a session with a note: whoever opens the link stands at the same place and sees the note, cannot change
// anything, and goes on in a fork; who shared it goes on in the session, of which the link shows nothing.
func TestShare(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path + "?pass=1.9/FuseTIR&view=split&function=main&line=8")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)

	// The title.
	p.click("#rename")
	p.fill("#rename-field", "What <b>FuseTIR</b> does")
	p.press(kb.Escape)
	p.wait(`document.querySelector("#rename")?.textContent === "MLP"`)
	p.press(kb.Enter)
	p.fill("#rename-field", "What <b>FuseTIR</b> does")
	p.press(kb.Enter)
	p.wait(`document.title.endsWith(" What <b>FuseTIR</b> does · irscope")`)
	p.press(kb.Escape) // the debugger sends the character of Enter even where the page prevents it, which opens the field again
	p.wait(`document.querySelector("#rename")`)

	// A note on the line.
	const text = `here <img src=x onerror="window.__pwned=1"> is fused`
	p.note(text)
	noted := `document.querySelector(".code-row.at-line .ln.noted[data-line='8']")?.title === ` + fmt.Sprintf("%q", text)
	p.wait(noted)
	p.wait(`document.querySelector(".row[data-step='1.9/FuseTIR'] .noted-step")?.textContent.startsWith("◆1")`)
	p.goTo(path + "?pass=1.9/FuseTIR&view=split&function=main&line=8")
	p.wait(done)
	p.wait(noted)
	if got := p.text("#rename"); got != "What <b>FuseTIR</b> does" {
		t.Errorf("after a reload the title is %q", got)
	}

	// The way through the menu and the dialog is open to the keyboard.
	p.tabTo("#session-menu summary")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#session-menu").open`)
	p.tabTo("[data-export=md]")
	p.press(kb.Escape)
	p.wait(`!document.querySelector("#session-menu").open && ` + focused("summary"))
	p.tabTo("#share")
	p.press(kb.Enter)
	p.wait(`document.querySelector("dialog[open]")?.textContent.includes("A snapshot does not change")`)
	if n := p.count("[name=share-runs]"); n != 0 {
		t.Errorf("%d choices are offered where there is one run", n)
	}
	p.wait(focused("#share-yes"))
	p.press(kb.Enter)
	p.wait(`document.querySelector("#share-link")`)
	p.wait(`!document.querySelector("#share-yes")`)
	link := strings.TrimPrefix(eval[string](p, `document.querySelector("#share-link").value`), p.base)
	p.press(kb.Escape)
	snapshot, _, _ := strings.Cut(link, "?")
	if snapshot == path {
		t.Fatal("the link is to the session itself")
	}
	here := eval[string](p, place)
	if here != "1.9/FuseTIR main 8 split" {
		t.Fatalf("the page stands at %q", here)
	}

	other := visit(t, p.base, 1440, 900)
	other.goTo(link)
	other.wait(done)
	other.wait(noted)
	other.wait(place + ` === ` + fmt.Sprintf("%q", here))
	if eval[bool](other, `Boolean(window.__pwned)`) {
		t.Error("the text of a note is run")
	}
	for what, faulty := range map[string]string{
		"says that it is shared":    `document.querySelector("#locked").textContent.trim() !== "shared, read only"`,
		"lets rename":               `document.querySelector("#rename") !== null`,
		"lets delete":               `document.querySelector("#delete-session") !== null`,
		"lets change the level":     `!document.querySelector("input[name=opt_level]").disabled`,
		"lets turn passes off":      `document.querySelectorAll(".row .tick:not(.fixed)").length > 0`,
		"lets add notes":            `document.querySelector("#add-note").checkVisibility()`,
		"lets change notes":         `document.querySelectorAll(".note-tools").length > 0`,
		"gives no reason":           `!document.querySelector(".row .tick").title.includes("shared")`,
		"does not offer to fork":    `document.querySelector("#run").textContent !== "Fork to run"`,
		"offers to fork twice":      `document.querySelector("#fork").checkVisibility()`,
		"has no list of the notes ": `document.querySelectorAll("#note-list li").length !== 1`,
	} {
		if eval[bool](other, faulty) {
			t.Errorf("wrong in the shared session: %s", what)
		}
	}
	other.press("c")
	if other.count("dialog[open]") != 0 {
		t.Error("a reader of a shared session is asked for a note")
	}
	for _, what := range []string{"/title", "/notes", "/runs"} {
		res, err := http.Post(p.base+"/api/sessions/"+strings.TrimPrefix(snapshot, "/s/")+what, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode < 400 {
			t.Errorf("POST %s is %d for another visitor", what, res.StatusCode)
		}
	}

	// Who shared goes on: another run, another name, and the snapshot shows nothing of that.
	if eval[bool](p, `document.querySelector("#locked").checkVisibility() || !document.querySelector("#rename")`) {
		t.Error("the session that was shared is locked")
	}
	p.another(func() { p.click(`input[name=opt_level][value="1"]`) })
	p.press(kb.Escape)
	p.click("#rename")
	p.fill("#rename-field", "goes on")
	p.press(kb.Tab)
	p.wait(`document.querySelector("#rename")?.textContent === "goes on"`)
	other.goTo(link)
	other.wait(done)
	other.wait(place + ` === ` + fmt.Sprintf("%q", here))
	if got := other.text("#title"); got != "What <b>FuseTIR</b> does" {
		t.Errorf("the title of the snapshot is %q", got)
	}
	// With two runs the reader says which go along.
	p.click("#share")
	p.wait(`document.querySelectorAll("dialog[open] [name=share-runs]").length === 2`)
	p.click(`[name=share-runs][value=shown]`)
	p.click("#share-yes")
	p.wait(`document.querySelector("#share-link")`)
	one := strings.TrimPrefix(eval[string](p, `document.querySelector("#share-link").value`), p.base)
	p.press(kb.Escape)
	p.wait(`!document.querySelector("dialog[open]")`)
	other.goTo(one)
	other.wait(done)
	other.wait(`document.querySelectorAll("#runs .run-chip").length === 1`)
	other.goTo(link)
	other.wait(done)

	// "Run" forks; in the fork another setting runs.
	other.click("#run")
	other.wait(`location.pathname.startsWith("/s/") && location.pathname !== ` + fmt.Sprintf("%q", snapshot))
	other.wait(done)
	other.wait(place + ` === ` + fmt.Sprintf("%q", here))
	other.wait(noted)
	other.click(`input[name=opt_level][value="0"]`)
	other.wait(`document.querySelector("#command").textContent.includes("--opt-level 0")`)
	other.wait(done)
	other.click("#session-menu summary")
	other.wait(`document.querySelector(".lineage .parent").checkVisibility()`)
	other.click(".lineage .parent")
	other.wait(`location.pathname === ` + fmt.Sprintf("%q", snapshot))
	other.wait(`document.querySelector(".lineage .child")`)

	// The owner finds the snapshots in the menu of the session, and deletes one.
	p.goTo(path)
	p.wait(done)
	p.click("#session-menu summary")
	p.wait(`[...document.querySelectorAll(".lineage li")].filter(x => x.textContent.includes("shared copy")).length === 2`)
	p.click(`.lineage .child[href="` + snapshot + `"]`)
	p.wait(`location.pathname === ` + fmt.Sprintf("%q", snapshot))
	p.wait(done)
	p.click("#session-menu summary")
	p.click("#delete-session")
	p.click("dialog[open] [data-yes]")
	p.wait(`location.pathname === "/"`)
	p.goTo(path)
	p.wait(done)
}

// TestShareIsClickedEarly clicks Share while what it does is still on its way: the click is not lost.
func TestShareIsClickedEarly(t *testing.T) {
	t.Parallel()
	base, err := url.Parse(serve(t, &fixture.Runner{}))
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan struct{})
	through := httputil.NewSingleHostReverseProxy(base)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, static.Prefix+"share-") {
			<-arrived
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	p := visit(t, slow.URL, 1440, 900)
	p.goTo(session(p, fixture.MLP))
	p.wait(done)
	p.click("#share")
	if p.count("dialog[open]") != 0 {
		t.Error("the script of Share was there already")
	}
	close(arrived)
	p.wait(`document.querySelector("#share-yes")`)
	if n := p.count("dialog[open]"); n != 1 {
		t.Errorf("%d dialogs are open", n)
	}
}

// TestNotes changes and deletes notes, and goes to where they are pinned, by keyboard where there is a key.
func TestNotes(t *testing.T) {
	t.Parallel()
	p := visit(t, serve(t, &fixture.Runner{}), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path + "?pass=1.9/FuseTIR&view=unified&function=main")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 0`)
	p.note("on the whole function")
	p.click(`.code-row .ln[data-line="8"]`)
	p.wait(`location.search.includes("line=8")`)
	p.note("on a line")
	p.goTo(path + "?pass=1.8/FuseOps&view=ir&function=main&line=3")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.note("of a function that FuseOps leaves as it is")
	p.wait(`document.querySelectorAll("#note-list li").length === 3`)
	p.wait(`document.querySelectorAll(".ln.noted").length === 1`)

	// In the order of the steps; each leads to its place.
	places := eval[[]string](p, `[...document.querySelectorAll("#note-list .note-go")].map(x => x.textContent)`)
	want := []string{"FuseOps › main, line 3", "FuseTIR › main", "FuseTIR › main, line 8"}
	if strings.Join(places, "; ") != strings.Join(want, "; ") {
		t.Errorf("the notes are on %q, want %q", places, want)
	}
	p.click("#note-list li:nth-child(3) .note-go")
	p.wait(place + ` === "1.9/FuseTIR main 8 unified"`)
	p.wait(`document.querySelector("#note-list li[aria-current]")?.textContent.includes("on a line")`)
	p.click("#note-list li:nth-child(1) .note-go")
	p.wait(place + ` === "1.8/FuseOps main 3 ir"`)

	p.click(`#note-list li:nth-child(3) [aria-label^="Edit"]`)
	p.wait(`document.querySelector("#note-text")?.value === "on a line"`)
	p.fill("#note-text", "on line 8")
	p.click("#note-save")
	p.wait(`document.querySelector("#note-list li:nth-child(3) .note-text").textContent === "on line 8"`)
	p.click(`#note-list li:nth-child(2) [aria-label^="Delete"]`)
	p.click(`dialog[open] [data-yes]`)
	p.wait(`document.querySelectorAll("#note-list li").length === 2`)
	p.goTo(path)
	p.wait(done)
	p.wait(`[...document.querySelectorAll("#note-list .note-text")].map(x => x.textContent).join() === "of a function that FuseOps leaves as it is,on line 8"`)
}

// TestSharedPages looks at what belongs to sessions in every size and theme: axe finds nothing, and nothing sticks out.
func TestSharedPages(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	for _, size := range sizes {
		p := visit(t, base, size.width, size.height)
		look := func(name string) {
			t.Helper()
			if over := eval[int](p, `Math.max(document.documentElement.scrollWidth, document.querySelector(".topbar").scrollWidth) - innerWidth`); over > 0 {
				t.Errorf("%s at %d is %d pixels too wide", name, size.width, over)
			}
			p.inBoth(func(theme string) {
				name := fmt.Sprintf("%s-%d-%s", name, size.width, theme)
				p.screen(name)
				if size.width != 1024 {
					audit(p, name)
				}
			})
		}
		share := "#share"
		if size.width <= 599 {
			share = "#share-menu"
		}
		narrow := func(tab string) {
			if size.width <= 599 {
				p.click(`.narrow-tabs [data-tab=` + tab + `]`)
			}
		}
		path := session(p, fixture.MLP)
		query := "?pass=1.9/FuseTIR&view=unified&function=main&line=8"
		p.goTo(path + query)
		p.wait(done)
		p.wait(`document.querySelector(".code-row.at-line")`)
		p.note("Three matmuls become one kernel each; why not one for all?\n\nSee the list of functions.")
		p.press("c")
		p.wait(`document.querySelector("dialog[open] #note-text")`)
		look("note-dialog")
		p.press(kb.Escape)
		p.wait(`!document.querySelector("dialog[open]")`)
		p.wait(`document.querySelector(".ln.noted")`)
		look("noted")
		narrow("details")
		p.click("#session-menu summary")
		p.wait(`document.querySelector("#session-menu .menu-body").checkVisibility()`)
		look("session-menu")
		p.click(share)
		p.click("#share-yes")
		p.wait(`document.querySelector("#share-link") && !document.querySelector("#share-yes")`)
		look("share-link")
		p.goTo(strings.TrimPrefix(eval[string](p, `document.querySelector("#share-link").value`), p.base))
		p.wait(done)
		p.wait(`document.querySelector("#note-list li")`)
		narrow("passes")
		look("shared")
		p.goTo(session(p, scriptModel))
		p.wait(done)
		p.click("#rename")
		p.fill("#rename-field", "A text of a module with a title that is too long for the top bar")
		p.press(kb.Tab)
		p.wait(`document.querySelector("#rename")`)
		look("long-title")
		p.click(share)
		p.click("#share-yes")
		p.wait(`document.querySelector("#share-link") && !document.querySelector("#share-yes")`)
		p.goTo(strings.TrimPrefix(eval[string](p, `document.querySelector("#share-link").value`), p.base))
		p.wait(done)
		look("long-title-shared")
		p.goTo("/")
		p.wait(`document.querySelector("#sessions tbody tr .chip")`)
		look("gallery")
		eval[bool](p, `(document.querySelector("#import").scrollIntoView({block: "end"}), true)`)
		look("import")
	}
}
