package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// openStep opens the session of a model at a step of a name.
func openStep(p *page, model, step, query string) {
	p.t.Helper()
	path := session(p, model)
	p.goTo(path)
	p.wait(done)
	p.goTo(path + "?pass=" + stepOf(p, step) + query)
	p.wait(done)
}

// TestMarksOfLines looks at lines that moved and lines that are renamed, in both views, and switches the marks off.
func TestMarksOfLines(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openStep(p, "mlp", "tir.PlanAndUpdateBufferAllocationLocation", "&view=unified")
	p.wait(`document.querySelector(".code-row.is-moved .other")`)
	p.wait(`document.querySelector('.row[aria-selected="true"] .delta')?.textContent.includes("↕")`)
	marked := p.text(`.row[aria-selected="true"] .delta`)
	if !strings.Contains(marked, "↕") {
		t.Errorf("the step has %q", marked)
	}

	// The sign of a moved line leads to its other place, and back again.
	other := eval[string](p, `document.querySelector(".code-row.is-moved.is-del .other").dataset.other`)
	p.click(".code-row.is-moved.is-del .other")
	p.wait(`document.querySelector(".code-row.at-line.is-add.is-moved")`)
	if got := p.text(".code-row.at-line .ln:nth-child(2)"); !strings.HasPrefix(got, other+" ") {
		t.Errorf("the other place is line %s, the page shows %q", other, got)
	}
	p.press("M")
	p.wait(`document.querySelector(".code-row.at-line.is-del.is-moved")`)

	p.press("t")
	p.wait(`!document.querySelector(".code-row.marked") && document.querySelector("#marks").ariaPressed === "false"`)
	p.until("the counts are plain", func() bool { return !strings.Contains(p.text(`.row[aria-selected="true"] .delta`), "↕") })
	p.press("u")
	p.wait(`document.querySelector(".code-view.split .is-del, .code-view.split .is-mod")`)
	if n := p.count(".code-row.marked"); n != 0 {
		t.Errorf("%d rows are marked", n)
	}
	p.click("#marks")
	p.wait(`document.querySelector(".code-view.split .code-row.is-moved")`)
	if got := p.text(`.row[aria-selected="true"] .delta`); got != marked {
		t.Errorf("the step has %q, before %q", got, marked)
	}

	openStep(p, "transformer", "tir.StorageRewrite", "&view=unified&function=softmax&line=38")
	p.wait(`document.querySelector(".code-row.is-del.is-renamed") && document.querySelector(".code-row.is-add.is-renamed")`)
	if got := p.text(".code-row.is-renamed .ln:nth-child(2)"); !strings.Contains(got, "~") || !strings.Contains(got, "renamed") {
		t.Errorf("the sign of a renamed line is %q", got)
	}
	p.press("u")
	p.wait(`document.querySelector(".split .code-row.is-mod.is-renamed")`)

	// A step that only moves lines says so.
	openStep(p, "mlp", "tir.StorageRewrite", "&view=unified")
	p.wait(`document.querySelector("#only-names")?.textContent.includes("only moved lines")`)
	p.wait(`document.querySelector("#center-title").textContent.endsWith(": only moved lines")`)
	p.press("?")
	p.wait(`document.querySelector("#help").open && document.querySelector("#help").textContent.includes("~ only renamed")`)
}

// TestMarksKeepTheTexts puts both texts together from the rows of the server and of the events.
func TestMarksKeepTheTexts(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openStep(p, "mlp", "tir.PlanAndUpdateBufferAllocationLocation", "&view=unified")
	p.run()
	for _, view := range []string{"unified", "split"} {
		fault := eval[string](p, fmt.Sprintf(`(async () => {
			const events = (await (await fetch("/api/runs/" + new URLSearchParams(location.search).get("run") + "/events")).json()).events;
			let n = 0;
			for (const e of events) for (const f of e.body.functions ?? []) {
				if (!f.before || !f.after || n++ > 60) continue;
				const d = await (await fetch("/diff/" + f.before + "/" + f.after + "?view=%s&context=all&count=2000")).json();
				const text = {before: [], after: []}, join = s => s.map(x => x[1]).join("");
				for (const r of d.rows) {
					if (r.before) text.before.push(join(r.left ?? r.text));
					if (r.after) text.after.push(join(r.right ?? r.text));
					if (r.mark && !["renamed", "moved", "indented"].includes(r.mark)) return "mark " + r.mark;
				}
				for (const side of ["before", "after"]) {
					const want = (await (await fetch("/ir/" + f[side] + "?raw=1")).text()).replace(/\n$/, "");
					if (text[side].join("\n") !== want) return e.step + " " + f.name + " " + side;
				}
				if (f.hunks && (d.renamed !== (f.renamed ?? 0) || d.moved !== (f.moved ?? 0))) return e.step + " " + f.name + " counts";
			}
			return n < 20 ? "only " + n + " diffs" : "";
		})()`, view))
		if fault != "" {
			t.Errorf("%s: %s", view, fault)
		}
	}
}

// TestMetrics looks at the metrics of a pass by mouse and by keyboard: the tables, their order, and the chart.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openStep(p, "mlp", "LegalizeOps", "&view=unified")
	p.press("m")
	p.wait(`location.search.includes("view=metrics") && document.querySelector("#module-metrics tr.differs")`)
	cell := func(key string) string {
		return eval[string](p, fmt.Sprintf(`[...document.querySelectorAll('#module-metrics [data-key=%q] td')].map(x => x.textContent).join(" ")`, key))
	}
	if got := strings.TrimRight(cell("kernels"), "\u00a0 "); got != "0 10 +10 ▲" {
		t.Errorf("kernels: %q", got)
	}
	// What a pass takes out of main shows, whatever the module has of it elsewhere.
	if got := cell("op:relax.matmul"); !strings.HasSuffix(got, " ▼ 3 → 0") {
		t.Errorf("matmul: %q", got)
	}

	// A metric is chosen for the chart and the functions.
	p.click(`[data-metric="loops"]`)
	p.wait(`document.querySelector("#metrics-chart-title").textContent === "Loops over the pipeline"`)
	p.wait(`document.querySelector("#function-metrics caption").textContent === "Loops by function"`)
	p.wait(`document.querySelector('#function-metrics [aria-sort="descending"]').textContent === "Change"`)
	names := `[...document.querySelectorAll("#function-metrics tbody th")].map(x => x.textContent).join()`
	before := eval[string](p, names)
	p.click("#function-metrics thead th:first-child .sort")
	p.wait(`document.querySelector('#function-metrics [aria-sort="ascending"]').textContent === "Function"`)
	if got := eval[string](p, names); got == before || !strings.HasPrefix(got, "add,add1,") {
		t.Errorf("by name the functions are %s", got)
	}

	// The chart selects passes.
	p.wait(`document.querySelector("#metrics-chart").ariaValueText.includes("LegalizeOps: 0 → ")`)
	eval[bool](p, `(document.querySelector("#metrics-chart").focus(), true)`)
	p.press(kb.ArrowRight)
	p.wait(`location.search.includes("/AnnotateTIROpPattern") && document.querySelector("#metrics-chart").ariaValueText.includes("AnnotateTIROpPattern")`)
	p.wait(focused("#metrics-chart"))
	p.press(kb.Home)
	p.wait(`location.search.includes("pass=import")`)
	p.wait(`document.querySelector("#center-title").textContent === "Metrics of the imported module"`)
	p.click("#metrics-chart svg")
	p.wait(`!location.search.includes("pass=import") && location.search.includes("view=metrics")`)

	// A function leads to its text.
	p.click("#function-metrics .metric-fn")
	p.wait(`location.search.includes("view=ir") && document.querySelectorAll(".code-row").length > 3`)
}

// TestTimelineKeyboard walks over the timeline with the arrow keys; each stop says the values of all lanes.
func TestTimelineKeyboard(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openStep(p, "mlp", "LegalizeOps", "&view=unified")
	p.timeline()
	for _, lane := range []string{"Graph ops", "Kernels", "Intermediates", "FLOPs"} {
		p.wait(fmt.Sprintf(`[...document.querySelectorAll("#timeline-body .lane-name")].some(x => x.textContent === %q)`, lane))
	}
	if n := p.count("#timeline-body .lane-scale"); n != 4 {
		t.Errorf("%d lanes have a scale", n)
	}
	p.tabTo("#timeline-body")
	text := eval[string](p, `document.querySelector("#timeline-body").ariaValueText`)
	if !strings.HasPrefix(text, "LegalizeOps, ") || !strings.Contains(text, "Kernels 10") || !strings.Contains(text, "FLOPs ") {
		t.Errorf("the timeline says %q", text)
	}
	p.press(kb.ArrowRight)
	p.wait(`document.querySelector("#timeline-body").ariaValueText.startsWith("AnnotateTIROpPattern, ")`)
	p.wait(`location.search.includes("/AnnotateTIROpPattern")`)
	p.press(kb.End)
	p.wait(`+document.querySelector("#timeline-body").getAttribute("aria-valuenow") === +document.querySelector("#timeline-body").getAttribute("aria-valuemax")`)

	// The pointer shows the values where it is.
	last := p.text(".lane-value")
	eval[bool](p, `(() => { const r = document.querySelector("#timeline-body svg").getBoundingClientRect();
		return document.querySelector("#timeline-body").dispatchEvent(new PointerEvent("pointermove", {clientX: r.x + 152, clientY: r.y + 80, bubbles: true})); })()`)
	p.until("the lanes say the values at the pointer", func() bool { return p.text(".lane-value") != last && !strings.Contains(p.text(".lane-value"), "→") })
	p.wait(`document.querySelector(".pointer").getAttribute("visibility") === "visible"`)
}

// TestExpiry says how long a session is kept, and changes that: a shared one may be kept for good.
func TestExpiry(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	days := func() float64 {
		return eval[float64](p, fmt.Sprintf(`fetch("/api%s").then(r => r.json()).then(r => r.session.expires ? Math.round((new Date(r.session.expires) - Date.now()) / 864e5) : 0)`, strings.Replace(path, "/s/", "/sessions/", 1)))
	}
	p.tabTo("#session-menu summary")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#expiry-now").textContent.includes("until ")`)
	old := p.text("#expiry-now")
	if !eval[bool](p, `document.querySelector("#expiry-days option[value='0']").disabled`) {
		t.Error("a session that is not shared may be kept for good")
	}
	p.tabTo("#expiry-days")
	p.press("1") // one day
	p.wait(`document.querySelector("#expiry-days").value === "1"`)
	p.tabTo("#expiry-set")
	p.press(kb.Enter)
	p.until("another day is shown", func() bool { return p.text("#expiry-now") != old })
	if got := days(); got != 1 {
		t.Errorf("the session goes in %v days, want 1", got)
	}
	p.press(kb.Escape)
	p.click("#share")
	p.click("#share-yes")
	p.click("#open-snapshot")
	p.wait(`location.pathname !== ` + fmt.Sprintf("%q", path))
	p.wait(done)
	p.wait(`document.querySelector("#expiry-now").textContent.trim() === "permanently" && !document.querySelector("#expiry-days option[value='0']").disabled`)
	path = eval[string](p, "location.pathname")
	if got := days(); got != 0 {
		t.Errorf("a snapshot goes in %v days", got)
	}
}
