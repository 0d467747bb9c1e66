package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// kernelGraph makes a module of a graph: a line like "a = conv x" binds a to a call of a kernel. The word says the pattern
// of the kernel, a ":8" behind the name an extent other than 4, and a "!" that the variable is an output.
func kernelGraph(t *testing.T, graph string) *ir.Module {
	t.Helper()
	patterns := map[string]string{
		"elem": "0", "broadcast": "1", "injective": "2", "reduce": "3", "conv": "4", "opaque": "8", "unknown": "",
	}
	extent := map[string]string{"x": "4", "y": "4"}
	kernels := map[string]string{}
	var body, outputs []string
	for line := range strings.SplitSeq(graph, ";") {
		words := strings.Fields(line)
		name, _ := strings.CutSuffix(words[0], "!")
		if name != words[0] {
			outputs = append(outputs, strings.Split(name, ":")[0])
		}
		name, size, ok := strings.Cut(name, ":")
		if !ok {
			size = "4"
		}
		extent[name] = size
		kernel, args := words[2], words[3:]
		params := ""
		for i, a := range args {
			params += fmt.Sprintf("p%d: T.Buffer((T.int64(%s),), \"float32\"), ", i, extent[a])
			kernel += "_" + extent[a]
		}
		kernel += "_to_" + size
		attr := ""
		if p := patterns[words[2]]; p != "" {
			attr = fmt.Sprintf("    T.func_attr({\"op_pattern\": %s})\n", p)
		}
		kernels[kernel] = fmt.Sprintf("@T.prim_func(private=True)\ndef %s(%so: T.Buffer((T.int64(%s),), \"float32\")):\n%s    o[T.int64(0)] = p0[T.int64(0)]\n", kernel, params, size, attr)
		body = append(body, fmt.Sprintf("        %s = R.call_tir(cls.%s, (%s,), out_sinfo=R.Tensor((%s,), \"float32\"))\n", name, kernel, strings.Join(args, ", "), size))
	}
	text := ""
	for _, k := range kernels {
		text += k
	}
	return read(t, text+"@R.function\ndef main(x: R.Tensor((4,), \"float32\"), y: R.Tensor((4,), \"float32\")):\n    cls = Module\n    with R.dataflow():\n"+
		strings.Join(body, "")+"        R.output("+strings.Join(outputs, ", ")+")\n    return ("+strings.Join(outputs, ", ")+",)\n")
}

// groups says what main computes: the members of a group are joined by a plus sign.
func groups(m *ir.Module) string {
	var out []string
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		c, ok := b.BoundValue().(*relax.Call)
		if !ok {
			return
		}
		members := []string{b.Bound().Name}
		if gv, ok := c.Op.(*ir.GlobalVar); ok {
			members = nil
			relax.EachBinding(ir.MustLookup[*relax.Function](m, gv.Name).Body, func(_ *relax.BindingBlock, b relax.Binding) {
				members = append(members, b.Bound().Name)
			})
		}
		out = append(out, strings.Join(members, "+"))
	})
	return strings.Join(out, " ")
}

func TestFusionGroups(t *testing.T) {
	for _, c := range []struct {
		graph string
		want  string
		depth int
	}{
		{"a = elem x; b! = elem a", "a+b", 0},
		{"a = broadcast x; b! = broadcast a", "a+b", 0},
		{"a = elem x; b! = injective a", "a+b", 0},
		{"a = injective x; b! = elem a", "a+b", 0},
		{"a = injective x; b! = injective a", "a+b", 0},
		{"a = elem x; b! = reduce a", "a+b", 0},
		{"a = broadcast x; b! = reduce a", "a+b", 0},
		{"a = injective x; b! = reduce a", "a b", 0},
		{"a = reduce x; b! = elem a", "a b", 0},
		{"a = reduce x; b! = reduce a", "a b", 0},
		{"a = elem x; b! = conv a", "a b", 0},
		{"a = injective x; b! = conv a", "a b", 0},
		{"a = conv x; b! = elem a", "a+b", 0},
		{"a = conv x; b! = broadcast a", "a+b", 0},
		{"a = conv x; b! = injective a", "a b", 0},
		{"a = conv x; b! = reduce a", "a b", 0},
		{"a = conv x; b! = conv a", "a b", 0},
		{"a = opaque x; b! = elem a", "a b", 0},
		{"a = elem x; b! = opaque a", "a b", 0},
		{"a = unknown x; b! = elem a", "a b", 0},
		{"a = elem x; b! = unknown a", "a b", 0},

		// Shapes: an elementwise kernel that makes more than it takes spreads, a broadcast that does not is elementwise.
		{"a = conv x; b:8! = elem a", "a b", 0},
		{"a = conv x; b:8! = broadcast a", "a b", 0},
		{"a = elem x; b:8! = elem a", "a+b", 0},
		{"a = elem x; b:8! = broadcast a", "a+b", 0},

		// Chains.
		{"a = conv x; b = elem a; d! = elem b", "a+b+d", 0},
		{"a = conv x; b = elem a; d! = conv b", "a+b d", 0},
		{"a = conv x; b = elem a; d! = injective b", "a+b d", 0},
		{"a = conv x; b = elem a; d! = reduce b", "a+b d", 0},
		{"a = injective x; b = elem a; d! = conv b", "a+b d", 0},
		{"a = elem x; b = injective a; d! = elem b", "a+b+d", 0},
		{"a = elem x; b = injective a; d! = reduce b", "a+b d", 0},
		{"a = elem x; b = elem a; d! = reduce b", "a+b+d", 0},
		{"a = elem x; b = reduce a; d! = elem b", "a+b d", 0},

		// Outputs, and what is used twice.
		{"a! = elem x; b! = elem a", "a b", 0},
		{"a = elem x; b! = elem a; d! = elem a", "a b d", 0},
		{"a = elem x; b! = elem a a", "a+b", 0},
		{"a = elem x; b = elem a; d! = elem a b", "a+b+d", 0},
		{"a = elem x; b! = elem x", "a b", 0},
		{"a = elem x; b = elem a; d! = elem y; e! = elem b d", "d a+b+e", 0},

		// Paths that part and meet.
		{"a = conv x; b = elem a; d = elem a; e! = elem b d", "a+b+d+e", 0},
		{"a = conv x; b = elem a; d = elem b; e! = elem d a", "a+b+d+e", 0},
		{"a = conv x; b = elem a; d = elem b; e = elem a; f! = elem d e", "a+b+d+e+f", 0},
		{"a = conv x; b = opaque a; d = elem a; e! = elem b d", "a b d+e", 0},
		{"a = conv x; b = injective a; d = elem a; e! = elem b d", "a b+d+e", 0},
		{"a = conv x; b = elem a; d = injective b; e = elem a; f! = elem d e", "a b+d+e+f", 0},
		{"a = conv x; b = elem a; d = elem a; e = injective d; f! = elem b e", "a b+d+e+f", 0},
		{"a = elem x; b = conv a; d = elem a; e! = elem b d", "a b+d+e", 0},
		{"a = elem x; b = reduce a; d = elem a; e! = elem b d", "a b d+e", 0},
		{"a = elem x; b = elem a; d = opaque a; e! = elem b d", "a d b+e", 0},
		{"a = elem x; b! = elem a; d = elem a; e! = elem b d", "a b d+e", 0},
		{"a = elem x; b = elem a; d = elem a; e = elem b; f! = elem d e; g! = elem f", "a+b+d+e+f g", 0},

		// Two reductions do not meet in a group; what else there is joins one.
		{"a = conv x; b = conv y; d! = elem a b", "b a+d", 0},
		{"a = conv x; b = elem y; d! = elem a b", "a+b+d", 0},
		{"a = elem y; b = conv x; d! = elem a b", "a+b+d", 0},
		{"a = conv x; b = broadcast y; d! = elem a b", "a+b+d", 0},
		{"a = conv x; b = injective y; d! = elem a b", "b a+d", 0},
		{"a = conv x; b = elem a; d = elem y; e! = elem b d; f! = conv x", "a+b+d+e f", 0},

		// The depth bounds the size of a group.
		{"a = elem x; b = elem a; d = broadcast b; e! = elem d", "a+b d+e", 2},
		{"a = elem x; b = elem a; d = broadcast b; e! = elem d", "a+b+d e", 3},
		{"a = elem x; b = elem a; d = broadcast b; e! = elem d", "a+b+d+e", 4},
		{"a = elem x; b = elem y; d! = elem a b", "b a+d", 2},
		{"a = elem x; b! = elem a", "a b", 1},
	} {
		var opts []pass.ContextOption
		if c.depth > 0 {
			opts = append(opts, pass.Configure(map[string]any{"relax.FuseOps.max_depth": c.depth}))
		}
		m := kernelGraph(t, c.graph)
		out := runPass(t, passtest.NewContext(opts...), transform.FuseOps, m)
		passtest.WellFormed(t, c.graph, out)
		if got := groups(out); got != c.want {
			t.Errorf("%s (depth %d) makes %s, want %s", c.graph, c.depth, got, c.want)
		}
	}
}
