package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// nodeCount counts the nodes of the graph that is shown.
const nodeCount = `document.querySelectorAll("#graph .g-node").length`

// TestGraphGroups folds and opens the groups of the names in the model, with the mouse and the keyboard.
func TestGraphGroups(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "LegalizeOps", "main")
	all := eval[int](p, nodeCount)
	if p.count(".g-cluster") == 0 || p.count(".g-node.k-group[data-group^=scope]") != 0 {
		t.Fatalf("the graph of a small model has %d frames", p.count(".g-cluster"))
	}
	p.click("#graph-fold")
	p.until("groups are folded", func() bool { return eval[int](p, nodeCount) < all })
	p.wait(`!document.querySelector(".g-cluster") && document.querySelector("#graph-fold").disabled`)
	folded := eval[int](p, nodeCount)
	p.tabTo(".g-stage")
	p.press(kb.Tab)
	p.wait(`document.activeElement.matches(".g-node")`)
	eval[bool](p, `(document.querySelector(".g-node[data-group]").focus(), true)`)
	group := eval[string](p, `document.activeElement.dataset.group`)
	if label := eval[string](p, `document.activeElement.getAttribute("aria-label")`); !strings.Contains(label, "folded") {
		t.Errorf("the group is called %q", label)
	}
	p.press(kb.Enter)
	p.until("the group is open", func() bool { return eval[int](p, nodeCount) > folded })
	p.wait(fmt.Sprintf(`document.activeElement.dataset.in === %q`, group))
	p.press(kb.Backspace)
	p.until("the group is folded again", func() bool { return eval[int](p, nodeCount) == folded })
	p.wait(fmt.Sprintf(`document.activeElement.dataset.group === %q`, group))
	p.click("#graph-open")
	p.until("all groups are open", func() bool { return eval[int](p, nodeCount) == all })
	// A click on the name of a frame folds it, one on the stack opens it.
	click := func(selector string) {
		eval[bool](p, fmt.Sprintf(`(document.querySelector(%q).scrollIntoView({block: "center", inline: "center"}), true)`, selector))
		p.click(selector)
	}
	click(fmt.Sprintf(`.g-cluster[data-group="%s"] .g-frame`, group))
	p.wait(fmt.Sprintf(`document.querySelector('.g-node[data-group="%s"]')`, group))
	click(fmt.Sprintf(`.g-node[data-group="%s"] .g-shape`, group))
	p.wait(fmt.Sprintf(`document.querySelector('.g-cluster[data-group="%s"]')`, group))
	if view := eval[string](p, `new URLSearchParams(location.search).get("view")`); view != "graph" {
		t.Errorf("opening a group leads to %s", view)
	}
}

// TestGraphNeighborhood shows what is around a node, more and less of it, and all again.
func TestGraphNeighborhood(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "LegalizeOps", "main")
	all := eval[int](p, nodeCount)
	eval[bool](p, `(document.querySelectorAll(".g-node.k-kernel")[6].focus(), true)`)
	id := eval[string](p, `document.activeElement.dataset.id`)
	p.press("N")
	p.wait(fmt.Sprintf(`%s < %d && document.activeElement.dataset.id === %q`, nodeCount, all, id))
	p.wait(`document.querySelector("#graph-steps").textContent === "2 steps" && document.querySelector("#graph-around").getAttribute("aria-pressed") === "true"`)
	p.wait(`[...document.querySelectorAll(".g-node .g-small")].some(x => / more$/.test(x.textContent))`)
	two := eval[int](p, nodeCount)
	p.press(">")
	p.until("there is more of it", func() bool { return eval[int](p, nodeCount) > two })
	p.click("#graph-fewer")
	p.until("there is less of it", func() bool { return eval[int](p, nodeCount) == two })
	p.click("#graph-fewer")
	p.wait(`document.querySelector("#graph-steps").textContent === "1 step" && document.querySelector("#graph-fewer").disabled`)
	// It stays with the node in another step, and says so where the node is not there.
	eval[bool](p, `(`+named("FuseOps")+`.click(), true)`)
	p.wait(`document.querySelector("#center-title").textContent.startsWith("FuseOps") && document.querySelector(".g-node.m-removed, .g-node.m-changed")`)
	p.wait(`document.querySelector("#graph-around").getAttribute("aria-pressed") === "true" || document.querySelector("#graph-about").textContent.includes("is not in this graph")`)
	eval[bool](p, `(`+named("LegalizeOps")+`.click(), true)`)
	p.wait(fmt.Sprintf(`document.querySelector("#center-title").textContent.startsWith("LegalizeOps") && [...document.querySelectorAll(".g-node")].some(x => x.dataset.id === %q)`, id))
	eval[bool](p, fmt.Sprintf(`([...document.querySelectorAll(".g-node")].find(x => x.dataset.id === %q).focus(), true)`, id))
	p.press(kb.Escape)
	p.until("the whole graph is back", func() bool { return eval[int](p, nodeCount) == all })
	p.wait(`document.querySelector("#graph-whole").hidden`)
}

// TestGraphBoxes goes through the boxes of a loop nest with the keyboard.
func TestGraphBoxes(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "ApplyDefaultSchedule", "")
	p.wait(`document.querySelector(".g-svg.f-loops") && !document.querySelector(".g-edge") && document.querySelector("#graph-around").parentElement.hidden`)
	// What a loop holds stands in it.
	outside := eval[int](p, `[...document.querySelectorAll(".g-node")].filter(x => {
		const up = document.querySelector('.g-node[data-index="' + x.dataset.parent + '"]'), box = n => n.querySelector(".g-shape").getBoundingClientRect();
		if (!up || up.matches(".k-loop") && x.matches(".k-loop")) return false;
		let a = box(x), b = box(up);
		for (let n = up; n && box(n).height < 30; ) { n = document.querySelector('.g-node[data-index="' + n.dataset.parent + '"]'); if (n) b = box(n); }
		return a.top < b.top - 1 || a.bottom > b.bottom + 1 || a.left < b.left - 1 || a.right > b.right + 1;
	}).length`)
	if outside != 0 {
		t.Errorf("%d boxes stand outside of what holds them", outside)
	}
	p.tabTo(".g-stage")
	p.press(kb.Tab)
	p.press(kb.Home)
	p.wait(`document.activeElement.dataset.index === "0"`)
	for range 4 {
		p.press(kb.ArrowDown)
	}
	p.wait(`document.activeElement.dataset.index === "4"`)
	parent := eval[string](p, `document.activeElement.dataset.parent`)
	p.press(kb.ArrowLeft)
	p.wait(fmt.Sprintf(`document.activeElement.dataset.index === %q`, parent))
	p.press(kb.ArrowRight)
	p.wait(fmt.Sprintf(`document.activeElement.dataset.parent === %q`, parent))
}

// TestGraphHeat measures the kernels of a run and colors the nodes that call them.
func TestGraphHeat(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "CallTIRRewrite", "main")
	// Before anything was measured, the control says where that is done.
	p.click("#graph-heat")
	p.wait(`document.querySelector("#graph-about").textContent.includes("not measured") && document.querySelector("#graph-scale").hidden`)
	p.click("#graph-about button")
	p.wait(`location.search.includes("view=profile")`)
	p.click("#measure")
	p.wait(`document.querySelector(".profile-figures")`)
	p.press("g")
	p.wait(drawn)
	p.wait(`document.querySelector(".g-node.heat-5 .g-share") && document.querySelectorAll("#graph-scale .g-heat").length === 5`)
	// The kernels of main take much of the time, beside the virtual machine and what else this machine does, and the hottest has the last ground.
	sum := eval[float64](p, `[...document.querySelectorAll(".g-share")].reduce((n, x) => n + parseFloat(x.textContent), 0)`)
	most := eval[float64](p, `Math.max(...[...document.querySelectorAll(".g-share")].map(x => parseFloat(x.textContent)))`)
	if hottest := eval[float64](p, `parseFloat(document.querySelector(".heat-5 .g-share").textContent)`); sum < 20 || sum > 101 || hottest < most*0.8 {
		t.Errorf("the shares add up to %.1f %%; the hottest has %.1f of %.1f %%", sum, hottest, most)
	}
	p.wait(`[...document.querySelectorAll(".fn")].length > 0`)
	// A group has the time of what is in it.
	p.click("#graph-fold")
	p.wait(`document.querySelector('.g-node[data-group] .g-share')`)
	if now := eval[float64](p, `[...document.querySelectorAll(".g-share")].reduce((n, x) => n + parseFloat(x.textContent), 0)`); now < sum-2 || now > sum+2 {
		t.Errorf("folded, the shares add up to %.1f %%, before to %.1f %%", now, sum)
	}
	p.click("#graph-open")
	audit(p, "heat")
	p.theme("dark")
	audit(p, "heat in the dark")
	p.click("#graph-heat")
	p.wait(`!document.querySelector(".g-share") && document.querySelector("#graph-scale").hidden`)
}

// TestGraphPatterns shows how kernels may be fused, and why one was not.
func TestGraphPatterns(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openGraph(p, "FuseOps", "main")
	p.wait(`[...document.querySelectorAll(".g-pattern")].some(x => x.textContent === "elementwise")`)
	eval[bool](p, `(document.querySelector(".g-node:has(.g-pattern)").focus(), true)`)
	p.wait(`document.querySelector("#graph-about").textContent.includes("op_pattern: ") && !document.querySelector(".is-apart")`)
	// Once asked why, the decisions are at the nodes: in the input of FuseOps too.
	p.click("#graph-about button")
	for _, step := range []string{"FuseOps", "AnnotateTIROpPattern"} {
		eval[bool](p, `(`+named(step)+`.click(), true)`)
		p.wait(fmt.Sprintf(`document.querySelector("#center-title").textContent.includes(%q)`, step))
		eval[bool](p, `([...document.querySelectorAll(".fn")].find(x => x.querySelector(".name").textContent === "main")?.click(), true)`)
		p.wait(drawn)
		p.wait(`document.querySelector(".g-pattern.is-apart")?.textContent.endsWith(", not fused")`)
		eval[bool](p, `(document.querySelector(".g-node:has(.is-apart)").focus(), true)`)
		p.wait(`/FuseOps did not fuse: .{10}/.test(document.querySelector("#graph-about").textContent)`)
	}
}

// TestGraphFiles saves a drawing as SVG and as PNG, and looks whether the files show it alone.
func TestGraphFiles(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.theme("dark")
	openGraph(p, "FuseOps", "main")
	eval[bool](p, `(window.saved = [], URL.createObjectURL = b => (window.saved.push(b), "data:,"), HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }, true)`)
	p.click("#graph-svg")
	p.wait(`window.saved.length === 2`)
	if name := eval[string](p, `window.saved[1]`); name != "main-FuseOps.svg" {
		t.Errorf("the file is called %q", name)
	}
	text := eval[string](p, `window.saved[0].text()`)
	for _, bad := range []string{"class=", "style=", "href", "url(", "data-", "var(", "<script"} {
		if strings.Contains(text, bad) {
			t.Errorf("the file contains %s", bad)
		}
	}
	canvas := eval[string](p, `getComputedStyle(document.querySelector("main")).backgroundColor`)
	for _, part := range []string{`xmlns="http://www.w3.org/2000/svg"`, "what FuseOps did to main", `fill="rgb(`, `stroke-dasharray=`, "fused_"} {
		if !strings.Contains(text, part) {
			t.Errorf("the file lacks %s (the page stands on %s)", part, canvas)
		}
	}
	p.click("#graph-png")
	p.wait(`window.saved.length === 4`)
	// The picture is as the drawing: its colors are in it.
	size := eval[[]int](p, `createImageBitmap(window.saved[2]).then(b => [b.width, b.height, +document.querySelector(".g-stage > svg").viewBox.baseVal.width])`)
	if size[0] < size[2] || size[1] < 100 {
		t.Errorf("the picture has %d by %d pixels; the drawing is %d wide", size[0], size[1], size[2])
	}
	colors := eval[int](p, `createImageBitmap(window.saved[2]).then(b => { const c = new OffscreenCanvas(b.width, b.height), g = c.getContext("2d"); g.drawImage(b, 0, 0);
		const d = g.getImageData(0, 0, b.width, b.height).data, seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; })`)
	if colors < 5 {
		t.Errorf("the picture has %d colors", colors)
	}
}
