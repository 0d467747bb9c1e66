package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/network"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture"
	websession "github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// noticed is a script that runs before those of a page: it notes dialogs, as they would stop the
// browser.
const noticed = `for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => { window.__pwned = name; };`

// intruders lists what of fixture.Markup became part of the page.
const intruders = `[...document.querySelectorAll([
	".pwn", "#pwn", "iframe", "object", "embed", "base", "marquee", "math", "video", "audio", "meta[http-equiv=refresh]", "custom-element",
	"[href^='javascript:' i]", "[src^='javascript:' i]", "[action^='javascript:' i]", "[formaction^='javascript:' i]", "script:not([src])",
].join())].map(x => x.outerHTML.slice(0, 200)).concat([...document.querySelectorAll("*")].flatMap(x => [...x.attributes].filter(a => a.name.startsWith("on")).map(a => x.tagName + " " + a.name)),
	"__pwned" in window ? ["__pwned is " + window.__pwned] : []).join("\n")`

// inert fails where a text became part of the page.
func (p *page) inert(where string) {
	p.t.Helper()
	if got := eval[string](p, intruders); got != "" {
		p.t.Errorf("%s: markup became part of the page: %.1000s", where, got)
	}
}

// TestPayloads puts texts that are markup into every place that takes a text: names of models, inputs, passes, functions,
// kernels and files, lines of IR and code, titles and notes. They are text on every view of the page and in what it exports.
func TestPayloads(t *testing.T) {
	t.Parallel()
	st := store.NewMemory(512 << 20)
	base := serveWith(t, &fixture.Runner{}, st, offered)
	p := visit(t, base, 1440, 900)
	if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: noticed}); err != nil {
		t.Fatal(err)
	}
	payloads := fixture.Markup()
	if len(payloads) < 60 {
		t.Fatalf("%d payloads, there should be 60", len(payloads))
	}
	path := session(p, fixture.Payloads)
	p.inert("gallery")
	made := strings.TrimPrefix(path, "/s/")

	p.goTo(path + "?pass=1.5/LegalizeOps")
	p.wait(done)
	p.click("#only-changed")
	p.wait(`document.querySelectorAll(".row").length > 3 && document.querySelectorAll(".fn").length > 5 && document.querySelectorAll(".code-row").length > 3`)
	p.inert("passes")
	for _, view := range []string{"unified", "split", "ir", "result", "code"} {
		if p.count(`#center-tools [data-view=`+view+`]`) == 0 {
			continue
		}
		p.click(`#center-tools [data-view=` + view + `]`)
		p.inert("view " + view)
	}
	p.goTo(path + "?pass=1.5/LegalizeOps&view=unified")
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	// Every function and every pass is chosen once, with its tooltip and details. The lists hold what is in view only.
	for _, list := range []string{".fn", ".row"} {
		n := eval[int](p, fmt.Sprintf(`(async () => {
			const frame = () => new Promise(requestAnimationFrame), seen = new Set();
			const box = document.querySelector("#tree");
			for (let top = 0; top < box.scrollHeight; top += box.clientHeight / 2) {
				box.scrollTop = top;
				await frame();
				await frame();
				for (const x of document.querySelectorAll(%[1]q)) {
					if (seen.has(x.textContent)) continue;
					seen.add(x.textContent);
					x.click();
					x.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
					await frame();
				}
			}
			return seen.size; })()`, list))
		if n < len(payloads) {
			t.Errorf("only %d of %s were chosen, want %d", n, list, len(payloads))
		}
		p.inert("each " + list)
	}

	// Notes at functions and lines that are markup too.
	notes := eval[string](p, fmt.Sprintf(`(async () => {
		const markup = %s, run = new URLSearchParams(location.search).get("run") ?? (await (await fetch("/api/sessions/%s")).json()).session.runs[0];
		for (const [i, text] of markup.entries()) {
			const r = await fetch("/api/sessions/%s/notes", {method: "POST", headers: {"Content-Type": "application/json"},
				body: JSON.stringify({text, run, step: "1.5/LegalizeOps", function: markup[i], line: i %% 5})});
			if (!r.ok) return r.status + " " + await r.text() + " for " + text;
		}
		return ""; })()`, js(t, payloads), made, made))
	if notes != "" {
		t.Fatalf("note: %s", notes)
	}
	p.goTo(path + "?pass=1.5/LegalizeOps")
	p.wait(done)
	p.wait(fmt.Sprintf(`document.querySelectorAll("#note-list li").length === %d`, len(payloads)))
	p.inert("notes")

	// Titles: as many together as there is room for.
	for len(payloads) > 0 {
		title := ""
		for len(payloads) > 0 && len(title)+len(payloads[0]) <= store.MaxTitle {
			title += printable(payloads[0])
			payloads = payloads[1:]
		}
		got := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/title", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({title: %s})})
			.then(r => r.json()).then(r => r.session?.title ?? JSON.stringify(r))`, made, js(t, title)))
		if got != strings.TrimSpace(title) {
			t.Fatalf("the title is %q, want %q", got, title)
		}
		p.goTo(path)
		p.wait(done)
		if got := eval[string](p, `document.title`); !strings.Contains(got, strings.Fields(title)[0]) {
			t.Errorf("the title of the page is %q, want %q", got, title)
		}
		p.inert("title")
	}
	exportInert(t, base+path)

	// Names of files, on the page of each and in the list of the visitor's sessions.
	token := websession.NewToken()
	for i, name := range fixture.Markup() {
		sess, err := websession.FromUpload(t.Context(), st, name, []byte(name), token)
		if err != nil {
			t.Fatal(err)
		}
		if i%10 > 0 {
			continue // the list shows all of them
		}
		p.goTo("/s/" + sess.ID)
		p.wait(`document.readyState === "complete"`)
		p.inert("file " + name)
	}
	own := visit(t, base, 1440, 900)
	setToken(own, token)
	own.goTo("/")
	own.click("#sessions .list-more a")
	own.wait(fmt.Sprintf(`document.querySelectorAll("#sessions tbody tr").length === %d`, len(fixture.Markup())))
	own.inert("list of sessions")
}

// setToken gives the visitor an edit token.
func setToken(p *page, token string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{Name: "irscope_edit", Value: token, URL: p.base}); err != nil {
		p.t.Fatalf("set the token: %v", err)
	}
}

// js is a value as an expression.
func js(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exportInert opens the exported page of a session from the disk.
func exportInert(t *testing.T, address string) {
	t.Helper()
	resp, err := http.Get(address + "/export.html")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("export: %s, %v: %.300s", resp.Status, err, data)
	}
	p := visit(t, "file://", 1440, 900)
	if _, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: noticed}); err != nil {
		t.Fatal(err)
	}
	p.goTo(file(t, "payloads.html", string(data)))
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row").length > 0`)
	p.inert("exported page")
	for range 10 {
		p.press("j")
	}
	p.press("i")
	p.click("[data-inspect=notes]")
	eval[bool](p, `(document.querySelectorAll("details").forEach(d => { d.open = true; }), true)`)
	p.inert("exported page, further on")
	if n := eval[int](p, `performance.getEntriesByType("resource").length + document.images.length`); n != 0 {
		t.Errorf("the exported page loads %d resources", n)
	}
	if got := p.count("#phases [role=option]"); got < 60 {
		t.Errorf("the exported page has %d passes", got)
	}
}

// printable leaves out what a title does not take.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			return -1
		}
		return c
	}, s)
}
