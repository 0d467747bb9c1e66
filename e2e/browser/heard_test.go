package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// heard lists the names of what has a role, as a screen reader is given them.
func (p *page) heard(role string) []string {
	p.t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	word := func(v *accessibility.Value) string {
		var text string
		if v == nil || json.Unmarshal(v.Value, &text) != nil {
			return ""
		}
		return text
	}
	var out []string
	for _, n := range tree.Nodes {
		if word(n.Role) == role {
			out = append(out, word(n.Name))
		}
	}
	return out
}

// TestNamesAreHeardWhole opens a window in which most names lose their middle: a screen reader hears each as one word all the same, and a search in
// the page finds it.
func TestNamesAreHeardWhole(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1024, 3000)
	openText(p, "cnn", "tir.PlanAndUpdateBufferAllocationLocation", "fused_conv2d_add_relu_conv1_Conv_conv2d1", "unified")
	p.wait(`document.querySelectorAll("#tree .fn").length > 3`)
	items := p.heard("treeitem")
	for _, name := range eval[[]string](p, `[...document.querySelectorAll("#tree .row[data-step], #tree .fn")].map(x => x.querySelector(".name").textContent)`) {
		if !slices.ContainsFunc(items, func(item string) bool {
			return slices.Contains(strings.Fields(item), name) || strings.Contains(name, " ")
		}) {
			t.Errorf("no row of the tree is heard as %s", name)
		}
	}
	if n := eval[int](p, `document.querySelectorAll("#tree .name[data-tail]").length`); n < 10 || len(items) < 40 {
		t.Fatalf("%d names of %d lose their middle", n, len(items))
	}
	// One row is chosen, and in it one function is the one that is shown.
	if got := eval[[]string](p, `[...document.querySelectorAll("#tree :is([aria-selected=true], [aria-current])")].map(x => x.className.split(" ")[0])`); !slices.Equal(got, []string{"row", "fn"}) {
		t.Errorf("heard as chosen are the rows %q, want that of a pass and that of a function", got)
	}
	want := "tir.PlanAndUpdateBufferAllocationLocation › fused_conv2d_add_relu_conv1_Conv_conv2d1"
	if got := p.heard("heading"); !slices.Contains(got, want) {
		t.Errorf("the headings are %q, want %q among them", got, want)
	}
	// What is seen is the name, too: its parts are those of the whole.
	if got := eval[[]string](p, `[...document.querySelectorAll("#tree .name[data-head]")].filter(x => !x.textContent.endsWith(x.dataset.head + (x.dataset.tail ?? ""))
		|| x.dataset.head && getComputedStyle(x, "::before").content.indexOf(x.dataset.head) < 0).map(x => x.textContent)`); len(got) > 0 {
		t.Errorf("these are shown otherwise: %q", got)
	}
}

// TestPhasesAreWhole opens each model: every phase of its pipeline is one stretch, so that its name stands once above the strip.
func TestPhasesAreWhole(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1600, 900)
	for _, model := range []string{"mlp", "cnn"} {
		for _, target := range []string{"wasm", "x86"} {
			p.goTo(session(p, model))
			p.wait(done)
			if !eval[bool](p, fmt.Sprintf(`[...document.querySelector("#target").options].some(o => o.value.startsWith(%q))`, target)) {
				continue // not on this machine
			}
			if !eval[bool](p, fmt.Sprintf(`document.querySelector("#target").value.startsWith(%q)`, target)) {
				p.another(func() {
					eval[bool](p, fmt.Sprintf(`(list => { list.value = [...list.options].find(o => o.value.startsWith(%q)).value; list.dispatchEvent(new Event("change", {bubbles: true})); return true; })(document.querySelector("#target"))`, target))
				})
			}
			names := eval[[]string](p, `[...document.querySelectorAll("#phases [role=group]")].map(x => x.ariaLabel)`)
			if got := slices.Compact(slices.Sorted(slices.Values(names))); len(names) < 3 || len(got) != len(names) {
				t.Errorf("%s for %s has the phases %q", model, target, names)
			}
		}
	}
}
