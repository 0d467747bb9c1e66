package patch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// TestOriginsOfAnEdit checks that what keeps its name in an edit keeps where it came from.
func TestOriginsOfAnEdit(t *testing.T) {
	m, found := parse.Module("start.py", start, parse.Options{Roots: true})
	if m == nil {
		t.Fatal(found)
	}
	edits := strings.Replace(text(m, "main"), "R.add(x", "R.multiply(x", 1) + "\n" + strings.Replace(text(m, "double"), "float32(2", "float32(4", 1)
	p := &patch.Patch{After: "import", Text: edits}
	out, found := p.Apply(m, m)
	if out == nil {
		t.Fatal(found)
	}
	origins := func(m *ir.Module) map[string]ir.OriginID {
		at := map[string]ir.OriginID{}
		f := ir.MustLookup[*relax.Function](m, "main")
		at["x"] = f.Params[0].Origin
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { at[b.Bound().Name] = b.Meta().Origin })
		k := ir.MustLookup[*tir.PrimFunc](m, "double")
		at["double"], at["a"] = k.Origin, k.Buffers[0].Origin
		return at
	}
	want, got := origins(m), origins(out)
	for name, id := range want {
		if id == 0 || got[name] != id {
			t.Errorf("%s comes from %d, before the edit from %d", name, got[name], id)
		}
	}
	if !strings.Contains(text(out, "main"), "R.multiply") || !strings.Contains(text(out, "double"), "float32(4") {
		t.Errorf("the edit is lost:\n%s\n%s", text(out, "main"), text(out, "double"))
	}
	for _, d := range tir.Verify("double", ir.MustLookup[*tir.PrimFunc](out, "double")) {
		t.Error(d)
	}
}
