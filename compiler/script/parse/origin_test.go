package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

const rooted = `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("scale"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")):
        a = R.add(
            R.exp(x),
            x)
        b = R.call_tir(Module.scale, (a,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return b
`

// sources lists the names of the roots of an origin.
func sources(m *ir.Module, id ir.OriginID) string {
	var out []string
	for _, o := range m.Origins().Sources(id) {
		out = append(out, o.Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestRoots checks that each binding, statement and parameter comes from its line of the text.
func TestRoots(t *testing.T) {
	m, diags := parse.Module("m.py", rooted, parse.Options{Roots: true})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	f := ir.MustLookup[*relax.Function](m, "main")
	var got []string
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		got = append(got, b.BoundValue().(*relax.Call).Op.(*ir.Op).Name+" "+sources(m, b.BoundValue().Meta().Origin))
	})
	if want := []string{"relax.exp line 13", "relax.add line 12", "relax.call_tir line 15"}; !slices.Equal(got, want) {
		t.Errorf("the values come from %q, want %q", got, want)
	}
	if got := sources(m, f.Params[0].Origin); got != "x" {
		t.Errorf("the parameter comes from %q", got)
	}
	k := ir.MustLookup[*tir.PrimFunc](m, "scale")
	if got, want := sources(m, k.Buffers[1].Origin), "B"; got != want {
		t.Errorf("the buffer comes from %q, want %q", got, want)
	}
	for _, line := range []string{"line 4", "line 5", "line 6", "line 8"} {
		if got := sources(m, k.Origin); !strings.Contains(got, line) {
			t.Errorf("the kernel comes from %q, want %s too", got, line)
		}
	}
	inner := map[string]string{}
	ir.Walk(k.Body, func(n ir.Node) bool {
		inner[fmt.Sprintf("%T", n)] = sources(m, n.Meta().Origin)
		return true
	})
	for kind, want := range map[string]string{"*tir.For": "line 5", "*tir.BlockRealize": "line 6", "*tir.BufferStore": "line 8"} {
		if inner[kind] != want {
			t.Errorf("a %s comes from %q, want %q", kind, inner[kind], want)
		}
	}
	for id := ir.OriginID(1); int(id) <= m.Origins().Len(); id++ {
		if o := m.Origins().Get(id); o.Span == nil || o.Op == "line" && o.Name != fmt.Sprintf("line %d", o.Span.Line) {
			t.Errorf("origin %d is %+v", id, o)
		}
	}
	plain, _ := parse.Module("m.py", rooted, parse.Options{})
	if n := plain.Origins().Len(); n != 0 {
		t.Errorf("a text has %d origins that nobody asked for", n)
	}
}
