package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// blockOf returns main of a module in text, and its last dataflow block.
func blockOf(t *testing.T, text string) (*relax.Function, *relax.BindingBlock) {
	f := ir.MustLookup[*relax.Function](read(t, text), "main")
	var out *relax.BindingBlock
	for _, b := range f.Body.Blocks {
		if b.Dataflow {
			out = b
		}
	}
	return f, out
}

func scalarMain(lines ...string) string {
	return `
@I.ir_module
class Module:
    @R.function
    def same(x: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
        return x

    @R.function
    def main(x: R.Tensor((), "int32")):
        cls = Module
        o = R.const(5, "int32")
        with R.dataflow():
            ` + strings.Join(lines, "\n            ") + "\n        return r\n"
}

func TestDataflowLiveness(t *testing.T) {
	_, b := blockOf(t, scalarMain(`y = R.add(x, x)`, `z = R.add(x, y)`, `u = (y, z)`, `q = u[0]`, `p = R.add(z, q)`, `r = R.multiply(p, p)`, `R.output(r, p)`))
	got := map[string]transform.Interval{}
	for v, i := range transform.DataflowLivenessAnalysis(b) {
		got[v.Name] = i
	}
	want := map[string]transform.Interval{"x": {-1, 6}, "y": {0, 2}, "z": {1, 4}, "u": {2, 2}, "q": {3, 4}, "p": {4, 6}, "r": {5, 6}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("intervals are\n%v, want\n%v", got, want)
	}
}

func TestDataflowAliases(t *testing.T) {
	tests := []struct {
		name   string
		lines  []string
		want   string
		fields string
	}{
		{"names", []string{`y = x`, `z = R.add(y, y)`, `r = z`, `R.output(r)`}, "r[1] x[0] y[0] z[1]", "map[]"},
		{"tuples", []string{`y = R.const(1, "int32")`, `t = (x, y)`, `u = t`, `r = u[1]`, `R.output(r)`}, "r[1] t[2] u[2] x[0] y[1]", "map[2:[[0] [1]]]"},
		{"outside", []string{`z = o`, `t = (z, x)`, `r = t[0]`, `R.output(r)`}, "r[-1] t[1] x[0] z[-1]", "map[1:[[-1] [0]]]"},
		{"a view", []string{`y = R.negative(x)`, `z = R.reshape(y, (1,))`, `r = R.negative(z)`, `R.output(r)`}, "r[2] x[0] y[1] z[1]", "map[]"},
		{"functions", []string{`y = cls.same(x)`, `r = cls.same(y)`, `R.output(r)`}, "r[0 1 2] x[0] y[0 1]", "map[]"},
		{
			"a packed function",
			[]string{
				`m = R.negative(x)`, `n = R.negative(x)`, `t = (m, n)`,
				`a = R.call_pure_packed("f", t, sinfo_args=R.Tuple(R.Tensor((), "int32"), R.Tensor((), "int32")))`, `r = a[1]`, `R.output(r)`,
			},
			"a[1 2 3 4 5 6] m[1] n[2] r[1 2 3 4 5 6] t[3] x[0]", "map[3:[[1] [2]] 4:[[1 2 3 4 5 6] [1 2 3 4 5 6]]]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, b := blockOf(t, scalarMain(tt.lines...))
			a := transform.DataflowAliasAnalysis(b, f.Params)
			var got []string
			for v, at := range a.Of {
				slices.Sort(at)
				got = append(got, v.Name+fmt.Sprint(at))
			}
			for _, fields := range a.Fields {
				for _, at := range fields {
					slices.Sort(at)
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("locations are %s, want %s", s, tt.want)
			}
			if s := fmt.Sprint(a.Fields); s != tt.fields {
				t.Errorf("fields are at %s, want %s", s, tt.fields)
			}
		})
	}
}

// TestInplaceOpportunities lists where a result has room, for each binding the arguments.
func TestInplaceOpportunities(t *testing.T) {
	main := func(lines ...string) string {
		return `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), k: R.Tensor((2, 3), "int32")):
        with R.dataflow():
            ` + strings.Join(lines, "\n            ") + "\n        return r\n"
	}
	tests := []struct {
		name  string
		text  string
		exact string
	}{
		{"another name", main(`z = R.add(x, y)`, `p = R.add(z, z)`, `q = p`, `m = R.multiply(p, p)`, `n = R.add(m, q)`, `r = R.subtract(n, m)`, `R.output(r)`), "[{1 [0 1]} {4 [1]} {5 [0 1]}]"},
		{"a field that is read later", main(`z = R.exp(x)`, `t = (z, x)`, `q = R.nn.relu(z)`, `a = t[0]`, `r = R.maximum(a, q)`, `R.output(r)`), "[]"},
		{"a field that is not read", main(`z = R.exp(x)`, `t = (z, x)`, `q = R.nn.relu(z)`, `a = t[1]`, `r = R.maximum(a, q)`, `R.output(r)`), "[{2 [0]}]"},
		{"a tuple that is seen", main(`z = R.exp(x)`, `t = (z, x)`, `q = R.nn.relu(z)`, `r = (t, q)`, `R.output(r)`), "[]"},
		{"a constant", main(`z = R.const([[1, 2, 3], [4, 5, 6]], "float32")`, `q = R.add(z, x)`, `r = R.add(q, R.const([[1, 2, 3], [4, 5, 6]], "float32"))`, `R.output(r)`), "[{2 [0]}]"},
		{"a view that is read later", main(`z = R.exp(x)`, `v = R.reshape(z, (3, 2))`, `q = R.nn.relu(z)`, `w = R.reshape(q, (3, 2))`, `r = R.maximum(v, w)`, `R.output(r)`), "[]"},
		{"another type", main(`z = R.negative(k)`, `c = R.astype(z, "float32")`, `a = R.nn.relu(c)`, `r = R.divide(a, y)`, `R.output(r)`), "[{2 [0]} {3 [0]}]"},
		{"what an operator may hand on", main(`t = R.nn.dropout(x, 0.5)`, `a = t[0]`, `r = R.nn.relu(a)`, `R.output(r)`), "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, b := blockOf(t, tt.text)
			if _, exact := transform.DataflowInplaceAnalysis(b, f.Params); fmt.Sprint(exact) != tt.exact {
				t.Errorf("arguments of the shape of the result are %v, want %s", exact, tt.exact)
			}
		})
	}
	f, b := blockOf(t, main(`z = R.exp(x)`, `s = R.sum(z, axis=[0])`, `r = R.add(s, R.const(1, "float32"))`, `R.output(r)`))
	if size, _ := transform.DataflowInplaceAnalysis(b, f.Params); fmt.Sprint(size) != "[{2 [0]}]" {
		t.Errorf("arguments with room are %v", size)
	}
}

// elementwiseModule is a random function of operators that can write over their arguments, of names, tuples and views.
func elementwiseModule(t *rapid.T) (text string, n int64) {
	n = rapid.SampledFrom([]int64{0, 1, 3, 5}).Draw(t, "n")
	dtype := rapid.SampledFrom([]string{"float32", "float32", "int32", "uint8"}).Draw(t, "type")
	dim := fmt.Sprint(n)
	if rapid.Bool().Draw(t, "symbolic") {
		dim, n = `"n"`, max(n, 1)
	}
	vars, tuples := []string{"x", "y"}, []string(nil)
	var lines []string
	pick := func() string {
		if rapid.IntRange(0, 2).Draw(t, "new") > 0 {
			return vars[len(vars)-1]
		}
		return rapid.SampledFrom(vars).Draw(t, "operand")
	}
	for i := range rapid.IntRange(2, 12).Draw(t, "steps") {
		v, e := fmt.Sprintf("v%d", i), ""
		switch k := rapid.IntRange(0, 11).Draw(t, "kind"); {
		case k < 5:
			e = fmt.Sprintf("R.%s(%s, %s)", rapid.SampledFrom([]string{"add", "subtract", "multiply"}).Draw(t, "op"), pick(), pick())
		case k == 5:
			e = fmt.Sprintf("R.nn.relu(%s)", pick())
		case k == 6 && dtype == "float32":
			e = fmt.Sprintf("R.nn.silu(%s)", pick())
		case k == 7:
			e = fmt.Sprintf("R.add(%s, R.const(2, %q))", pick(), dtype)
		case k == 8:
			lines = append(lines, fmt.Sprintf("t%d = (%s, %s)", i, pick(), pick()))
			tuples = append(tuples, fmt.Sprintf("t%d", i))
			continue
		case k == 9 && len(tuples) > 0:
			e = fmt.Sprintf("%s[%d]", rapid.SampledFrom(tuples).Draw(t, "tuple"), rapid.IntRange(0, 1).Draw(t, "field"))
		case k == 10:
			e = fmt.Sprintf("R.reshape(%s, (%s,))", pick(), strings.Trim(dim, `"`))
		default:
			e = pick()
		}
		lines = append(lines, v+" = "+e)
		vars = append(vars, v)
	}
	last := vars[len(vars)-1]
	lines = append(lines, "o = R.maximum("+last+", "+pick()+")", "p = R.add("+pick()+", "+last+")", "R.output(o, p)")
	sym := ""
	if dim == `"n"` {
		sym = "        n = T.int64()\n"
	}
	return fmt.Sprintf(`
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((%s,), %q), y: R.Tensor((%s,), %q)):
%s        with R.dataflow():
            %s
        return (o, p)
`, dim, dtype, dim, dtype, sym, strings.Join(lines, "\n            ")), n
}

// TestInplaceKeepsMeaning runs random functions before and after the pass, after each pass of the lowering behind it and others that move bindings
// or share values, and twice, since the first run must not change a constant.
func TestInplaceKeepsMeaning(t *testing.T) {
	changed := 0
	seed.Check(t, func(t *rapid.T) {
		text, n := elementwiseModule(t)
		m := read(t, text)
		want := outputs(t, m, n, false)
		c := passtest.NewContext()
		m, _ = check(t, c, transform.DataflowUseInplaceCalls, m)
		if strings.Contains(script.Module(m, script.Options{}).Source, "call_tir_inplace") {
			changed++
		}
		others := []*pass.Pass{
			transform.EliminateCommonSubexpr, transform.CanonicalizeBindings, transform.DeadCodeElimination, transform.RemoveRedundantReshape, transform.FuseTransposeMatmul,
			must(transform.TopologicalSort.With(ir.NewAttrs("order", "breadth-first", "direction", "from-inputs"))),
			must(transform.TopologicalSort.With(ir.NewAttrs("order", "depth-first", "direction", "from-outputs"))),
			must(transform.TopologicalSort.With(ir.NewAttrs("order", "breadth-first", "direction", "from-outputs"))),
			transform.TopologicalSort, transform.FuseByPatterns(transform.FusionPattern{Name: "test.all", Pattern: dpl.Op("relax.add", dpl.Op("relax.multiply", dpl.Wildcard(), dpl.Wildcard()), dpl.Wildcard())}),
		}
		legalized := false
		for _, p := range lowering {
			list := []*pass.Pass{p}
			if rapid.IntRange(0, 3).Draw(t, "more") == 0 && slices.Contains(lowering[slices.Index(lowering, p)+1:], transform.ToNonDataflow) {
				list = append(list, rapid.SampledFrom(others).Draw(t, "other"))
			}
			for _, q := range list {
				before := m
				if q == p {
					m, _ = check(t, c, q, before)
				} else { // values that nothing uses may move once more in a second run of TopologicalSort
					m = runPass(t, c, q, before)
					passtest.WellFormed(t, "after "+q.Name, m)
				}
				legalized = legalized || q == tunedLegalizeOps
				for range 2 {
					sameOutputs(t, want, outputs(t, m, n, legalized))
				}
				if t.Failed() {
					t.Fatalf("%s made\n%s\nof\n%s", q.Name, script.Module(m, script.Options{}).Source, script.Module(before, script.Options{}).Source)
				}
			}
		}
	})
	if changed == 0 {
		t.Error("no argument was written over")
	}
}
