package dpl_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// block returns the function whose dataflow block has these bindings, of a, b, c and x, and what inference asks. Each word before a
// parenthesis is a packed function.
func block(t *testing.T, body string) (*relax.Function, *relax.InferContext) {
	t.Helper()
	var text strings.Builder
	text.WriteString("@R.function\ndef main(x: R.Tensor((2, 2), \"float32\"), y: R.Tensor((2, 2), \"float32\"), z: R.Tensor((3, 2), \"float32\")):\n    with R.dataflow():\n")
	last := ""
	for _, line := range strings.Split(body, "; ") {
		name, call, _ := strings.Cut(line, " = ")
		callee, args, ok := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		if ok && !strings.Contains(callee, ".") {
			call = `R.call_dps_packed("` + callee + `", (` + args + `,), out_sinfo=R.Tensor((2, 2), "float32"))`
		}
		text.WriteString("        " + name + " = " + call + "\n")
		last = name
	}
	text.WriteString("        R.output(" + last + ")\n    return " + last + "\n")
	m, found := parse.Module("text.py", text.String(), parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	return ir.MustLookup[*relax.Function](m, "main"), op.NewBlockBuilder(m).Context()
}

func packed(name string) dpl.Pattern {
	return dpl.OpVarArgs("relax.call_dps_packed", dpl.IsExtern(name))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// patternContext builds contexts: a ^ b, a >> b.
type patternContext struct{ *dpl.Context }

func (c patternContext) used(a, b dpl.Pattern) {
	must(c.UsedBy(dpl.Sequence(a), dpl.Sequence(b), dpl.AnyOperand))
}

func (c patternContext) only(list ...dpl.Pattern) dpl.Seq {
	s := dpl.Sequence(list[0])
	for _, p := range list[1:] {
		s = must(c.OnlyUsedBy(s, dpl.Sequence(p), dpl.AnyOperand))
	}
	return s
}

func (c patternContext) fork(p dpl.Pattern, to ...dpl.Seq) {
	for _, s := range to {
		must(c.UsedBy(dpl.Sequence(p), s, dpl.AnyOperand))
	}
}

const (
	diamond       = "m = matmul(x, y); r = relu(m); s = sigmoid(m); o = add(r, s)"
	smallDiamond  = "r = relu(x); o = add(r, r)"
	smallParallel = "r = relu(x); s = relu(x); o = add(r, s)"
	branches      = "a = conv(x, y); b = bias(a, y); c = relu(b); d = conv(x, z); e = bias(d, z); f = relu(e); o = concat(c, f)"
	nested        = "m0 = matmul(x, y); m1 = matmul(x, y); s2 = sigmoid(m0); s3 = sigmoid(m1); a4 = add(m0, m1); a5 = add(s2, a4); a6 = add(s3, a4); o = add(a5, a6)"
	products      = "p = R.matmul(x, x); q = R.matmul(x, y); r = R.matmul(x, p); o = add(p, q, r)"
	others        = "p = R.matmul(x, x); q = R.matmul(y, y); r = R.matmul(y, p); o = add(p, q, r)"
)

// TestContextMatch follows the cases of TVM's tests of contexts.
func TestContextMatch(t *testing.T) {
	seq := dpl.Sequence
	for _, c := range []struct {
		name, body string
		build      func(c patternContext) []dpl.Pattern // what the results are compared for
		want       string                               // names of variables; empty if nothing matches
	}{
		{"a parameter and its first use", diamond, func(c patternContext) []dpl.Pattern {
			x, w := dpl.IsVar("x"), dpl.Wildcard()
			c.used(x, w)
			return []dpl.Pattern{x, w}
		}, "x m"},
		{"a chain", diamond, func(c patternContext) []dpl.Pattern {
			return c.only(packed("relu"), packed("add")).Patterns
		}, "r o"},
		{"functions that are not there", diamond, func(c patternContext) []dpl.Pattern {
			return c.only(packed("matmul"), packed("impossible")).Patterns
		}, ""},
		{"a diamond", diamond, func(c patternContext) []dpl.Pattern {
			m, r, s, a := packed("matmul"), packed("relu"), packed("sigmoid"), packed("add")
			c.fork(m, seq(r), seq(s))
			c.only(r, a)
			c.only(s, a)
			return []dpl.Pattern{m, r, s, a}
		}, "m r s o"},
		{"a diamond whose head is used twice", diamond, func(c patternContext) []dpl.Pattern {
			m, a := packed("matmul"), packed("add")
			c.only(m, packed("relu"), a)
			c.only(m, packed("sigmoid"), a)
			return []dpl.Pattern{m}
		}, ""},
		{"one value as two operands", smallDiamond, func(c patternContext) []dpl.Pattern {
			r, a := packed("relu"), packed("add")
			must(c.OnlyUsedBy(seq(r), seq(a), 0))
			must(c.OnlyUsedBy(seq(r), seq(a), 1))
			return []dpl.Pattern{r, a}
		}, "r o"},
		{"two values as one value", smallParallel, func(c patternContext) []dpl.Pattern {
			r, a := packed("relu"), packed("add")
			must(c.OnlyUsedBy(seq(r), seq(a), 0))
			must(c.OnlyUsedBy(seq(r), seq(a), 1))
			return []dpl.Pattern{r, a}
		}, ""},
		{"two patterns, two values", smallParallel, func(c patternContext) []dpl.Pattern {
			a, r, s := packed("add"), packed("relu"), packed("relu")
			c.only(r, a)
			c.only(s, a)
			return []dpl.Pattern{r, s, a}
		}, "r s o"},
		{"two patterns, one value", smallDiamond, func(c patternContext) []dpl.Pattern {
			a := packed("add")
			c.only(packed("relu"), a)
			c.only(packed("relu"), a)
			return []dpl.Pattern{a}
		}, ""},
		{"two branches of one kind", branches, func(c patternContext) []dpl.Pattern {
			s := c.only(packed("conv"), packed("bias"), packed("relu"))
			d := must(s.Dup(c.Context))
			c.fork(dpl.IsVar("x"), s, d)
			return append(s.Patterns, d.Patterns...)
		}, "a b c d e f"},
		{"two branches of another value", branches, func(c patternContext) []dpl.Pattern {
			s := c.only(packed("conv"), packed("bias"), packed("relu"))
			c.fork(dpl.IsVar("y"), s, must(s.Dup(c.Context)))
			return s.Patterns
		}, ""},
		{"three in a row", "m = matmul(x, y); n = matmul(m, y); o = matmul(n, y)", func(c patternContext) []dpl.Pattern {
			return c.only(packed("matmul"), packed("matmul"), packed("matmul")).Patterns
		}, "m n o"},
		{"three in a row of two", "m = matmul(x, y); o = matmul(m, y)", func(c patternContext) []dpl.Pattern {
			return c.only(packed("matmul"), packed("matmul"), packed("matmul")).Patterns
		}, ""},
		{"a diamond in another", nested, func(c patternContext) []dpl.Pattern {
			s, a, b, m := packed("sigmoid"), packed("add"), packed("add"), packed("matmul")
			c.fork(m, seq(s), seq(a))
			c.only(s, b)
			c.used(a, b)
			return []dpl.Pattern{m, s, a, b}
		}, "m0 s2 a4 a5"},
		{"a diamond in another, whose value is used twice", nested, func(c patternContext) []dpl.Pattern {
			s, a, b, m := packed("sigmoid"), packed("add"), packed("add"), packed("matmul")
			c.fork(m, seq(s), seq(a))
			c.only(s, b)
			c.only(a, b)
			return []dpl.Pattern{m}
		}, ""},
		{"four additions", nested, func(c patternContext) []dpl.Pattern {
			a, b, d, e := packed("add"), packed("add"), packed("add"), packed("add")
			c.fork(a, seq(b), seq(d))
			c.only(b, e)
			c.only(d, e)
			return []dpl.Pattern{a, b, d, e}
		}, "a4 a5 a6 o"},
		{"three products of one value", products, func(c patternContext) []dpl.Pattern {
			x, a, b := dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()
			p, q := dpl.Op("relax.matmul", x, a), dpl.Op("relax.matmul", x, b)
			must(0, c.Operands(p))
			must(0, c.Operands(q))
			return []dpl.Pattern{x, a, b, p, q}
		}, "x y p q r"},
		{"products of different values", others, func(c patternContext) []dpl.Pattern {
			x := dpl.IsVar("x")
			must(0, c.Operands(dpl.Op("relax.matmul", x, dpl.Wildcard())))
			must(0, c.Operands(dpl.Op("relax.matmul", x, dpl.Wildcard())))
			return []dpl.Pattern{x}
		}, ""},
		{"a branch that the search must leave", "a = f(x); b = g(a); c = f(x); d = g(c); o = h(d)", func(c patternContext) []dpl.Pattern {
			return c.only(packed("f"), packed("g"), packed("h")).Patterns
		}, "c d o"},
		{"the same shape", "a = R.add(x, y); b = R.nn.relu(z); o = f(a, b)", func(c patternContext) []dpl.Pattern {
			a, b, o := dpl.Wildcard(), dpl.Wildcard(), packed("f")
			c.used(a, o)
			c.used(b, o)
			c.SameShape(a, b)
			return []dpl.Pattern{a, b}
		}, ""},
		{"no relation", diamond, func(patternContext) []dpl.Pattern { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, infer := block(t, c.body)
			pc := patternContext{dpl.NewContext()}
			list := c.build(pc)
			for _, pc := range []*dpl.Context{pc.Context, pc.Incremental()} {
				m := pc.Match(f.Body.Blocks[0].Bindings, infer, nil)
				var got []string
				for _, p := range list {
					if m != nil {
						got = append(got, m[p].Name)
					}
				}
				if strings.Join(got, " ") != c.want || (m == nil) != (c.want == "") {
					t.Errorf("matched %v (%v), want %s", got, m != nil, c.want)
				}
			}
		})
	}
}

// TestContextRelations says a relation twice, and in a context that continues another one.
func TestContextRelations(t *testing.T) {
	f, infer := block(t, "a = sigmoid(x); o = neg(a)")
	relu, sigmoid, neg := packed("relu"), packed("sigmoid"), packed("neg")
	outer := patternContext{dpl.NewContext()}
	outer.only(relu, sigmoid)
	inner, fresh := patternContext{outer.Incremental()}, patternContext{dpl.NewContext()}
	inner.only(sigmoid, neg)
	fresh.only(sigmoid, neg)
	if inner.Match(f.Body.Blocks[0].Bindings, infer, nil) != nil || fresh.Match(f.Body.Blocks[0].Bindings, infer, nil) == nil {
		t.Error("a context does not have the relations of the one that it continues, or has those of another")
	}
	if _, err := fresh.OnlyUsedBy(dpl.Sequence(sigmoid), dpl.Sequence(neg), dpl.AnyOperand); err == nil {
		t.Error("one relation can be said twice")
	}
	if s := dpl.Sequence(relu, sigmoid).OnlyUsed(); len(must(s.Dup(nil)).Patterns) != 2 {
		t.Error("a copy of a sequence is another one")
	}
}

// TestRewriteBindings puts one product in the place of three, as TVM's documents do.
func TestRewriteBindings(t *testing.T) {
	f, _ := block(t, "p = R.matmul(x, y); a = R.nn.relu(p); k = R.add(y, y); q = R.matmul(x, k); o = f(a, q)")
	x, a, b := dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()
	p, q := dpl.Op("relax.matmul", x, a), dpl.Op("relax.matmul", x, b)
	c := dpl.NewContext()
	must(0, c.Operands(p))
	must(0, c.Operands(q))
	calls := 0
	rewrite := func(m map[dpl.Pattern]*relax.Var, bound dpl.Bindings) map[*relax.Var]relax.Expr {
		calls++
		if bound[m[p]] == nil {
			t.Error("the bindings lack what matched")
		}
		both := op.Matmul(m[x], op.Concat(1, m[a], m[b]), m[x].SInfo.(*relax.TensorStructInfo).DType)
		part := func(i int64) relax.Expr {
			return op.StridedSlice(both, []int64{1}, []tir.Expr{tir.Int(2 * i)}, []tir.Expr{tir.Int(2*i + 2)}, nil)
		}
		return map[*relax.Var]relax.Expr{m[p]: part(0), m[q]: part(1)}
	}
	mu := op.NewExprMutator(ir.NewModule().With("main", f))
	out, err := dpl.RewriteBindings(mu, func(relax.Expr) bool { return true }, c, rewrite, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := script.Module(ir.NewModule().With("main", out), script.Options{}).Source
	if calls != 1 || strings.Count(text, "R.strided_slice") != 2 || strings.Contains(text, "R.matmul(x, y") {
		t.Errorf("%d calls:\n%s", calls, text)
	}
}
