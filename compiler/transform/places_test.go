package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
)

// TestPlacesAreKept runs the lowering on a text and finds for each variable, what it is bound to and each call of a kernel the
// line that it came from. What passes add for a variable x has a name that begins with x and an underscore.
func TestPlacesAreKept(t *testing.T) {
	source := `
@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32"), s: R.Tensor((2,), "int64"), p: R.Tensor((), "bool"), v: R.Tensor(("n",), "float32"), u: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")), q: R.Tensor((3,), "float32")):
    n = T.int64()
    with R.dataflow():
        a = R.permute_dims(w)
        b = R.matmul(x, a)
        c = R.nn.relu(b)
        d = R.reshape(c, R.shape([8]))
        e = R.nn.softmax(d, axis=0)
        h = R.split(e, 2, axis=0)
        i = h[0]
        j = R.exp(i)
        bn = R.nn.batch_norm(x, q, q, q, q, axis=1, training=False)
        y = bn[0]
        z = R.nn.softmax(y, axis=1)
        cat = R.concat(u, axis=0)
        sized = R.tensor_to_shape(s)
        filled = R.zeros(sized, "float32")
        wide = R.broadcast_to(v, R.shape([n + 1, n]))
        R.output(j, z, cat, filled, wide)
    k = R.shape_of(j)
    l = R.call_dps_packed("f", (j,), out_sinfo=R.Tensor((4,), "float32"))
    m = R.call_pure_packed("g", R.prim_value(n + 2), sinfo_args=(R.Object,))
    o = R.prim_value(n * 3)
    if p:
        up = R.nn.softmax(z, axis=0)
        r = up
    else:
        r = z
    return (j, k, l, m, o, r, cat, filled, wide)
`
	m, found := parse.Module("places.py", source, parse.Options{Roots: true})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	lines := map[string]string{}
	for i, line := range strings.Split(source, "\n") {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			lines[name] = fmt.Sprintf("line %d", i+1)
		}
	}
	lines["r"] = lines["up"] // the conditional begins a line before
	line := func(name string) string {
		short, _, _ := strings.Cut(name, "_")
		return lines[strings.TrimRight(short, "0123456789")]
	}
	c := passtest.NewContext()
	for _, p := range lowering {
		m = runPass(t, c, p, m)
		from := func(n ir.Node) []string {
			var out []string
			for _, o := range m.Origins().Sources(n.Meta().Origin) {
				out = append(out, o.Name)
			}
			return out
		}
		check := func(what, name string, n ir.Node) {
			want := line(name)
			if name == "r" || want == "" {
				return
			}
			if got := from(n); !slices.Contains(got, want) || n.Meta().Span == nil {
				t.Errorf("after %s the %s of %s comes from %v, want %s; its place is %v", p.Name, what, name, got, want, n.Meta().Span)
			}
		}
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				if own := strings.HasPrefix(gv.Name, "shape_func") || strings.HasPrefix(gv.Name, "compute_symbolic"); !own && len(from(fn)) == 0 {
					t.Errorf("after %s kernel %s comes from nowhere", p.Name, gv.Name)
				}
				continue
			}
			relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
				name := b.Bound().Name
				call, isCall := b.BoundValue().(*relax.Call)
				if name == "_" {
					gv, kernel := call.Op.(*ir.GlobalVar)
					ext, packed := call.Op.(*relax.ExternFunc)
					if kernel && !strings.HasPrefix(gv.Name, "shape_func") || packed && ext.Symbol == "f" {
						name = call.Args[len(call.Args)-1].(*relax.Var).Name
						check("call", name, call)
						check("binding", name, b)
					}
					return
				}
				check("binding", name, b)
				check("variable", name, b.Bound())
				if isCall && !strings.Contains(opNameOf(call), "alloc") && !strings.Contains(opNameOf(call), "make_") {
					check("value", name, call)
				}
			})
		}
	}
}

// opNameOf is what a call calls.
func opNameOf(c *relax.Call) string {
	switch o := c.Op.(type) {
	case *ir.Op:
		return o.Name
	case *relax.ExternFunc:
		return o.Symbol
	}
	return ""
}
