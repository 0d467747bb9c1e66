package browser

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// inBoth looks at what stands in the window in both themes, and leaves the light one. Style sheets alone tell them apart, so nothing is
// opened anew: a page costs far more than a second look at it, also because axe is slow the first time.
func (p *page) inBoth(look func(theme string)) {
	p.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		p.theme(theme)
		look(theme)
	}
	p.theme("light")
}

// audit runs axe over the page as it is. In the dark theme, whose elements are those of the light one, it looks at colors alone.
func audit(p *page, name string) {
	p.t.Helper()
	auditPart(p, "html", name)
}

// auditPart runs axe over the part of a page that a selector names, the rest of which another audit has seen.
func auditPart(p *page, selector, name string) {
	p.t.Helper()
	// The debugger's evaluation is not bound by the page's policy, so axe needs no exception in it.
	if !eval[bool](p, `typeof axe === "object"`) {
		eval[bool](p, readGzip(p.t, filepath.Join("testdata", "axe.min.js.gz"))+"\n;true")
	}
	// Style sheets need not be fetched: no rule that is on asks for them.
	options := `{resultTypes: ["violations"], preload: false}`
	if p.scheme == "dark" {
		options = `{resultTypes: ["violations"], preload: false, runOnly: ["color-contrast", "link-in-text-block"]}`
	}
	report := eval[string](p, fmt.Sprintf(`axe.run(%q, %s).then(r => JSON.stringify(r.violations.map(v =>
		({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0]?.message ?? ""))}))))`, selector, options))
	var faults []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(report), &faults); err != nil {
		p.t.Fatal(err)
	}
	for _, f := range faults {
		p.t.Errorf("%s: %s: %s %q", name, f.ID, f.Help, f.Nodes)
	}
	for _, text := range eval[[]string](p, fmt.Sprintf(`[...document.querySelector(%q).querySelectorAll("button, input, select, textarea, summary")]
		.filter((x) => !/Inter|JetBrains/.test(getComputedStyle(x).fontFamily)).map((x) => x.outerHTML.slice(0, 200))`, selector)) {
		p.t.Errorf("%s: text in a font of the browser: %s", name, text)
	}
	// axe asks no name of a table. Those of a document follow its text.
	for _, text := range eval[[]string](p, fmt.Sprintf(`[...document.querySelector(%q).querySelectorAll("table")]
		.filter((x) => x.checkVisibility() && !x.closest(".doc-table") && !x.caption && !x.ariaLabel && !x.getAttribute("aria-labelledby"))
		.map((x) => x.outerHTML.slice(0, 200))`, selector)) {
		p.t.Errorf("%s: a table without a name: %s", name, text)
	}
}
