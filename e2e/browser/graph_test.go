package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// drawn is true when the graph of a function is there.
const drawn = `document.querySelector("#graph:not([hidden]) .g-node")`

// stepPath returns the path of the first step of a name.
func stepPath(p *page, name string) string {
	p.t.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(".row")].some(x => x.querySelector(".name").textContent === %q)`, name))
	return eval[string](p, named(name)+`.dataset.step`)
}

// openGraph opens the graph of main after a step of the transformer of the gallery.
func openGraph(p *page, step, function string) {
	p.t.Helper()
	path := session(p, "transformer")
	p.goTo(path)
	p.wait(done)
	p.goTo(path + "?pass=" + stepPath(p, step) + "&view=graph&function=" + function)
	p.wait(done)
	p.wait(drawn)
}

// TestGraph looks at what FuseOps did to the transformer, with the mouse.
func TestGraph(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "transformer")
	p.goTo(path)
	p.wait(done)
	eval[bool](p, `(`+named("FuseOps")+`.click(), true)`)
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps › ")`)
	if p.count(`link[href*="graphview"]`)+eval[int](p, `performance.getEntriesByType("resource").filter(x => x.name.includes("/static/graphview-")).length`) != 0 {
		t.Error("the script of graphs is loaded before a graph is opened")
	}
	p.click(`#center-tools [data-view=graph]`)
	p.wait(drawn)
	p.wait(`location.search.includes("view=graph")`)
	p.wait(`document.querySelector('.fn[aria-current] .name').textContent === "main"`)
	for mark, sign := range map[string]string{"removed": "−", "changed": "●"} {
		if p.count(".g-node.m-"+mark) == 0 || p.text(".g-node.m-"+mark+" .g-sign") != sign {
			t.Errorf("there are %d nodes that are %s, with the sign %s", p.count(".g-node.m-"+mark), mark, p.text(".g-node.m-"+mark+" .g-sign"))
		}
	}
	if p.count(".g-edge.m-added") == 0 {
		t.Error("no edge is added")
	}
	if got := p.text("#graph-counts"); !strings.Contains(got, "removed") || !strings.Contains(got, "changed") {
		t.Errorf("the counts read %q", got)
	}

	// Size: buttons, wheel, and the whole of it.
	width := `document.querySelector(".g-stage > svg").getBoundingClientRect().width`
	before := eval[float64](p, width)
	p.click("#graph-larger")
	p.until("the graph is larger", func() bool { return eval[float64](p, width) > before*1.2 })
	p.click("#graph-zoom")
	p.wait(`document.querySelector("#graph-zoom").textContent === "100%"`)
	eval[bool](p, `document.querySelector(".g-stage").dispatchEvent(new WheelEvent("wheel", {ctrlKey: true, deltaY: 200, clientX: 700, clientY: 400, cancelable: true})) || true`)
	p.wait(`parseInt(document.querySelector("#graph-zoom").textContent) < 70`)
	p.click("#graph-fit")
	p.wait(`document.querySelector(".g-stage > svg").getBoundingClientRect().height <= document.querySelector(".g-stage").clientHeight`)
	p.wait(`document.querySelector(".g-map").hidden`)
	p.click("#graph-zoom")
	p.wait(`!document.querySelector(".g-map").hidden && +document.querySelector(".g-window").getAttribute("height") > 0`)

	// Search goes through what it finds.
	eval[bool](p, `(document.querySelector("#graph-search").focus(), true)`)
	p.press("matmul")
	p.wait(`/^1 \/ \d+$/.test(document.querySelector("#graph-found").textContent)`)
	p.wait(`document.querySelector('.g-hit[aria-current="true"]')`)
	found := p.text("#graph-found")
	p.press(kb.Enter)
	p.until("the next node is found", func() bool { return p.text("#graph-found") != found })
	p.press(kb.Escape)
	p.wait(`!document.querySelector(".g-hit")`)

	// A click on a changed node leads to its line, one on a removed node to its line in the text before.
	at := func(mark string) string {
		p.wait(fmt.Sprintf(`document.querySelector(".g-node.m-%s")`, mark))
		line := eval[string](p, fmt.Sprintf(`document.querySelector(".g-node.m-%s").dataset.line`, mark))
		eval[bool](p, fmt.Sprintf(`(document.querySelector(".g-node.m-%s").scrollIntoView({block: "center", inline: "center"}), true)`, mark))
		p.click(".g-node.m-" + mark + " .g-shape")
		p.wait(`location.search.includes("view=unified") && document.querySelector(".code-row.at-line")`)
		p.wait(`document.activeElement.matches(".code-view")`)
		return line
	}
	line := at("changed")
	p.wait(`location.search.includes("line=` + line + `")`)
	if got := p.text(".code-row.at-line .ln:nth-child(2)"); !strings.HasPrefix(got, line+" ") {
		t.Errorf("the line is %q, expected %s", got, line)
	}
	p.press("g")
	p.wait(drawn)
	p.wait(`document.activeElement.matches(".g-node")`)
	// The node is named in the link, and the mark says which it is.
	p.wait(`location.search.includes("view=graph")`)
	p.press(kb.ArrowDown)
	p.wait(`location.search.includes("line=" + document.activeElement.dataset.line) || document.activeElement.dataset.mark === "removed"`)
	p.press("n")
	p.press("u")
	p.wait(`location.search.includes("view=unified") && document.activeElement.matches(".code-view")`)
	p.press("g")
	p.wait(drawn)
	p.wait(`/^\d+ \/ \d+$/.test(document.querySelector("#hunk-count").textContent)`)
	line = at("removed")
	p.wait(`document.querySelector(".code-row.at-line.is-del")`)
	if got := p.text(".code-row.at-line.is-del .ln"); !strings.HasPrefix(got, line+" ") {
		t.Errorf("the removed line is %q, expected %s", got, line)
	}
}

// TestGraphOfLoops looks at the loop nest of a kernel, at one that is added, and at what is hidden.
func TestGraphOfLoops(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "ApplyDefaultSchedule", "")
	p.wait(`document.querySelector(".g-svg.f-loops .k-loop.m-added")`)
	openGraph(p, "FuseOps", "")
	eval[bool](p, `([...document.querySelectorAll(".fn")].find(x => x.textContent.includes("new")).click(), true)`)
	p.wait(`document.querySelector(".g-node.m-added .g-second") && !document.querySelector(".g-node.m-changed")`)

	openGraph(p, "CallTIRRewrite", "main")
	p.wait(`document.querySelector(".g-node.k-memory")`)
	p.click("#graph-hide-memory")
	p.wait(`!document.querySelector(".g-node.k-memory")`)
	p.wait(`document.querySelector(".g-node.k-kernel .g-small")?.textContent`)
	text := eval[int](p, `document.querySelectorAll(".g-node .g-small").length`)
	p.click("#graph-hide-constants")
	p.until("constants are left out", func() bool { return eval[int](p, `document.querySelectorAll(".g-node .g-small").length`) < text })
}

// TestGraphKeyboard does everything with the keyboard.
func TestGraphKeyboard(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "transformer")
	p.goTo(path)
	p.wait(done)
	p.goTo(path + "?pass=" + stepPath(p, "FuseOps") + "&function=main")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.press("g")
	p.wait(drawn)
	p.tabTo(".g-stage")
	top := eval[float64](p, `document.querySelector(".g-stage").scrollTop`)
	p.press("1")
	p.wait(`document.querySelector("#graph-zoom").textContent === "100%"`)
	p.press(kb.ArrowDown)
	p.until("the stage moves", func() bool { return eval[float64](p, `document.querySelector(".g-stage").scrollTop`) != top })
	p.press("+")
	p.wait(`document.querySelector("#graph-zoom").textContent === "125%"`)
	p.press("-")
	p.wait(`document.querySelector("#graph-zoom").textContent === "100%"`)
	p.press(kb.Tab)
	p.wait(`document.activeElement.matches(".g-node")`)
	p.press(kb.Home)
	p.wait(`document.activeElement.dataset.index === "0"`)
	p.press(kb.ArrowDown)
	p.wait(`document.activeElement.matches(".g-node") && document.activeElement.dataset.index !== "0"`)
	if n := p.count(`.g-node[tabindex="0"]`); n != 1 {
		t.Errorf("Tab leads to %d nodes", n)
	}
	p.press("n")
	p.wait(`/^\d+ \/ \d+$/.test(document.querySelector("#hunk-count").textContent) && document.activeElement.dataset.mark !== "same"`)
	inView := `(() => { const r = document.activeElement.getBoundingClientRect(), s = document.querySelector(".g-stage").getBoundingClientRect();
		return r.top >= s.top && r.bottom <= s.bottom && r.left >= s.left && r.right <= s.right; })()`
	p.wait(inView)
	p.press(kb.End)
	p.wait(`document.activeElement.matches(".k-return")`)
	p.wait(inView)
	line := eval[string](p, `document.activeElement.dataset.line`)
	p.press(kb.Enter)
	p.wait(`document.querySelector(".code-row.at-line") && location.search.includes("line=` + line + `")`)
	p.press("g")
	p.wait(`document.activeElement.matches(".g-node")`)
	p.press("0")
	p.wait(`document.querySelector(".g-map").hidden`)

	// A link opens on the node.
	p.goTo(eval[string](p, `location.pathname + location.search.replace(/&line=\d+/, "")`) + "&line=" + line)
	p.wait(`document.querySelector('.g-node.k-return[aria-current="true"]')`)
}

// TestGraphErrors shows what the server says where it draws no graph.
func TestGraphErrors(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	eval[bool](p, `(window.fetch = (own => async (u, ...rest) => String(u).startsWith("/graph/") ?
		new Response('{"error":{"message":"it has no graph; see the text instead"}}', {status: 422}) : own(u, ...rest))(window.fetch), true)`)
	p.press("g")
	p.wait(`document.querySelector(".empty .note.error")?.textContent.includes("see the text instead")`)
	p.press("u")
	p.wait(`document.querySelectorAll(".code-row").length > 3 && !document.querySelector(".empty:not([hidden])")`)
}

// TestGraphLooks runs axe over graphs in both themes and at three widths, and looks for what is cut off. E2E_SCREENS names a folder for
// screenshots.
func TestGraphLooks(t *testing.T) {
	t.Parallel()
	sizes := [][2]int64{{1440, 844}, {1024, 844}, {390, 844}}
	p := visit(t, serveCompiler(t), 1440, 844)
	for _, view := range [][2]string{{"FuseOps", "main"}, {"ApplyDefaultSchedule", ""}, {"CallTIRRewrite", "main"}} {
		openGraph(p, view[0], view[1])
		p.looks("graph-"+view[0], sizes)
	}
	eval[bool](p, `(document.querySelector("#graph-legend").open = true, true)`)
	p.looks("graph-legend", sizes)
}
