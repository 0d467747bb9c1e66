package relax_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// everything is a function with all kinds of binding, block and nesting in it.
func everything() (*ir.Module, *relax.Function) {
	n := sym("n")
	x, c := tensorVar("x", n, tir.Int(4)), &relax.Var{Name: "c", SInfo: relax.TensorOf(dtype.BoolT)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, c}, relax.FuncOpts{})
	bb.BeginDataflow()
	a := must2(bb.Emit(op.Relu(x), "a"))
	must2(bb.Emit(op.Unary("exp", a), "dead"))
	t := must2(bb.Emit(&relax.Tuple{Fields: []relax.Expr{a, x}}, "t"))
	g := must2(bb.EmitOutput(&relax.TupleGetItem{Tuple: t, Index: 0}, "g"))
	bb.EndDataflow()
	m := must2(bb.EmitMatchCast(g, relax.TensorOf(f32, sym("k"), tir.Int(4)), "m"))
	i := must2(bb.EmitIf(c, func() (relax.Expr, error) {
		return bb.Emit(op.Unary("exp", g), "then")
	}, func() (relax.Expr, error) { return g, nil }, "i"))
	p := tensorVar("p", n, tir.Int(4))
	bb.BeginFunction("", []*relax.Var{p}, relax.FuncOpts{Private: true})
	inner := must2(bb.Emit(op.Add(p, g), "inner"))
	f := must2(bb.EndLocalFunction(inner))
	fv := must2(bb.Emit(f, "f"))
	r := must2(bb.Emit(&relax.Call{Op: fv, Args: []relax.Expr{i}}, "r"))
	must2(bb.EndFunction(&relax.Tuple{Fields: []relax.Expr{r, m}}))
	mod := bb.Module()
	return mod, mod.Lookup("main").(*relax.Function)
}

// checked fails if a function is not well formed or not in normal form.
func checked(t *testing.T, mod *ir.Module, f *relax.Function) {
	t.Helper()
	e := mod.Edit()
	e.Set("main", f)
	mod = e.Done()
	verify(t, mod)
	if n, err := op.NewBlockBuilder(mod).NormalizeFunction(f); err != nil || n != f {
		t.Errorf("not in normal form: %v", err)
	}
}

// hooked are mutators with hooks that change nothing.
var hooked = map[string]func(*relax.ExprMutator){
	"none":    func(*relax.ExprMutator) {},
	"call":    func(m *relax.ExprMutator) { m.Call = func(c *relax.Call) relax.Expr { return c } },
	"expr":    func(m *relax.ExprMutator) { m.Expr = m.VisitExpr },
	"vardef":  func(m *relax.ExprMutator) { m.VarDef = func(v *relax.Var) *relax.Var { return v } },
	"prim":    func(m *relax.ExprMutator) { m.Prim = func(e tir.Expr) tir.Expr { return e } },
	"binding": func(m *relax.ExprMutator) { m.Binding = m.VisitBinding },
	"block":   func(m *relax.ExprMutator) { m.Block = m.VisitBlock },
	"mapped":  func(m *relax.ExprMutator) { m.Binding = func(b relax.Binding) { m.EmitNormalized(m.MapBinding(b)) } },
}

func TestMutatorKeepsPointers(t *testing.T) {
	mod, f := everything()
	blk := *f.Body.Blocks[0]
	blk.Bindings = nil
	seq := *f.Body
	seq.Blocks = append([]*relax.BindingBlock{&blk}, seq.Blocks...) // an empty block stays, too
	empty := *f
	empty.Body = &seq
	for name, set := range hooked {
		m := op.NewExprMutator(mod)
		set(m)
		for _, f := range []*relax.Function{f, &empty} {
			if out := must(t, must2(m.Function(f)), nil); out != f {
				t.Errorf("%s: the function changed:\n%s", name, dump(out))
			}
		}
		if out := must2(m.Module()); out.Lookup("main") != f {
			t.Errorf("%s: the module changed", name)
		}
	}
}

// narrow makes every relu a cast to float16.
func narrow(m *relax.ExprMutator) {
	m.Call = func(c *relax.Call) relax.Expr {
		if _, ok := op.Is(c, "relax.nn.relu"); ok {
			return op.AsType(c.Args[0], dtype.Float16T)
		}
		if _, ok := op.Is(c, "relax.add"); ok { // operands of one type
			return op.Add(m.Emit(op.AsType(c.Args[0], dtype.Float32T), "wide"), op.AsType(c.Args[1], dtype.Float32T))
		}
		if _, ok := c.Op.(*relax.Var); ok {
			return &relax.Call{Op: c.Op, Args: []relax.Expr{op.AsType(c.Args[0], dtype.Float32T)}}
		}
		return c
	}
}

// Struct info that changes goes through everything that depends on it, and stops where it is
// declared.
func TestMutatorPropagatesStructInfo(t *testing.T) {
	mod, f := everything()
	before := dump(f)
	m := op.NewExprMutator(mod)
	narrow(m)
	out := must2(m.Function(f))
	checked(t, mod, out)
	expect(t, dump(out), `
dataflow:
a: Tensor((n, 4), "float16") = relax.astype x
dead: Tensor((n, 4), "float16") = relax.exp a
t: Tuple(Tensor((n, 4), "float16"), Tensor((n, 4), "float32")) = ?
g: Tensor((n, 4), "float16") = ?
m: Tensor((k, 4), "float32") = g
i: Tensor((n, 4), "float16") = if
then: Tensor((n, 4), "float16") = relax.exp g
f: Callable((Tensor((n, 4), "float32")), Tensor((n, 4), "float32")) = ?
wide: Tensor((n, 4), "float32") = relax.astype p
gv: Tensor((n, 4), "float32") = relax.astype g
inner: Tensor((n, 4), "float32") = relax.add wide gv
gv1: Tensor((n, 4), "float32") = relax.astype i
r: Tensor((n, 4), "float32") = f gv1
-> Tuple(Tensor((n, 4), "float32"), Tensor(ndim=2, "float32"))`)
	if dump(f) != before {
		t.Error("the input was mutated")
	}
}

func TestMutatorRenames(t *testing.T) {
	mod, f := everything()
	m := op.NewExprMutator(mod)
	m.VarDef = func(v *relax.Var) *relax.Var {
		return v.WithName(strings.ToUpper(v.Name))
	}
	out := must2(m.Function(f))
	checked(t, mod, out)
	lines, old := strings.Split(dump(out), "\n"), strings.Split(dump(f), "\n")
	for i, l := range old {
		name, rest, binds := strings.Cut(l, ": ")
		info, _, _ := strings.Cut(rest, " =")
		if binds && !strings.HasPrefix(lines[i], strings.ToUpper(name)+": "+info) {
			t.Errorf("%s became %s", l, lines[i])
		}
	}
	if last := lines[len(lines)-2]; !strings.HasSuffix(last, " = F I") {
		t.Errorf("the call became %s", last)
	}
	if !relax.EqualSInfo(out.Ret, f.Ret) {
		t.Errorf("the result became %s", relax.FormatSInfo(out.Ret))
	}
}

// A function that calls itself goes on to call what it became.
func TestMutatorRecursion(t *testing.T) {
	n := sym("n")
	x := tensorVar("x", n)
	p := tensorVar("p", n)
	self := &relax.Var{Name: "self", SInfo: &relax.FuncStructInfo{Params: []relax.StructInfo{p.SInfo}, Ret: p.SInfo, Pure: true}}
	relu := must2(op.NewBlockBuilder(nil).Normalize(op.Relu(p)))
	q := &relax.Var{Name: "q", SInfo: p.SInfo}
	again := &relax.Var{Name: "again", SInfo: p.SInfo}
	f := &relax.Function{Params: []*relax.Var{p}, Ret: p.SInfo, Pure: true, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
		&relax.VarBinding{Var: q, Value: relu}, &relax.VarBinding{Var: again, Value: &relax.Call{Op: self, Args: []relax.Expr{q}, SInfo: p.SInfo}},
	}}}, Body: again}}
	r := &relax.Var{Name: "r", SInfo: p.SInfo}
	main := &relax.Function{Params: []*relax.Var{x}, Ret: p.SInfo, Pure: true, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
		&relax.VarBinding{Var: self, Value: f}, &relax.VarBinding{Var: r, Value: &relax.Call{Op: self, Args: []relax.Expr{x}, SInfo: p.SInfo}},
	}}}, Body: r}}
	m := op.NewExprMutator(nil)
	if out := must2(m.Function(main)); out != main {
		t.Error("the identity changed the function")
	}
	m = op.NewExprMutator(nil)
	m.VarDef = func(v *relax.Var) *relax.Var {
		if v != self {
			return v
		}
		return v.WithName("me")
	}
	out := must2(m.Function(main))
	b := out.Body.Blocks[0].Bindings
	inner := b[0].BoundValue().(*relax.Function).Body.Blocks[0].Bindings[1].BoundValue().(*relax.Call)
	if outer := b[1].BoundValue().(*relax.Call); inner.Op != relax.Expr(b[0].Bound()) || outer.Op != inner.Op {
		t.Errorf("calls of %v and %v, expected %v", inner.Op, outer.Op, b[0].Bound())
	}
}

// Operands are bound in order of evaluation, shared ones once, and the cost of sharing is linear.
func TestMutatorNormalForm(t *testing.T) {
	x := tensorVar("x", tir.Int(4))
	var deep relax.Expr = x
	for range 40 { // 2^40 paths
		deep = op.Add(deep, deep)
	}
	raw := &relax.Function{Params: []*relax.Var{x}, Pure: true, Body: &relax.SeqExpr{Body: deep}}
	m := op.NewExprMutator(nil)
	visits := 0
	m.Call = func(c *relax.Call) relax.Expr { visits++; return c }
	out := must2(m.Function(raw))
	checked(t, ir.NewModule(), out)
	if n := len(out.Body.Blocks[0].Bindings); n != 40 || visits != 40 {
		t.Errorf("%d bindings, %d visits, expected 40", n, visits)
	}

	y := &relax.Var{Name: "y", SInfo: relax.TensorOf(f32, tir.Int(4))}
	value := op.Add(op.Unary("exp", x), op.Relu(op.Unary("tanh", x)))
	raw = &relax.Function{Params: []*relax.Var{x}, Pure: true, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
		&relax.VarBinding{Var: y, Value: value},
	}, Dataflow: false}}, Body: y}}
	m = op.NewExprMutator(nil)
	m.Call = func(c *relax.Call) relax.Expr {
		if _, ok := op.Is(c, "relax.nn.relu"); ok {
			return op.Unary("sin", m.Emit(op.Unary("cos", c.Args[0]), "cos"))
		}
		return c
	}
	expect(t, dump(must2(m.Function(raw))), `
gv: Tensor((4,), "float32") = relax.exp x
gv1: Tensor((4,), "float32") = relax.tanh x
cos: Tensor((4,), "float32") = relax.cos gv1
gv2: Tensor((4,), "float32") = relax.sin cos
y: Tensor((4,), "float32") = relax.add gv gv2
-> Tensor((4,), "float32")`)
}

func TestMutatorEmits(t *testing.T) {
	mod, f := everything()
	m := op.NewExprMutator(mod)
	at := map[string]string{}
	var x *relax.Var
	m.Binding = func(b relax.Binding) {
		v := b.Bound()
		switch v.Name {
		case "dead": // dropped
		case "a": // a name that comes later is taken all the same
			x = m.Emit(op.Unary("cos", f.Params[0]), "then")
			m.Remap(v, x)
		case "then": // a sequence is emitted into the current one
			inner := &relax.Var{Name: "inner_seq", SInfo: v.SInfo}
			m.EmitNormalized(m.WithValue(b, &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
				&relax.VarBinding{Var: inner, Value: must2(m.Builder().Normalize(op.Unary("sin", f.Params[0])))},
			}}}, Body: inner}))
		default:
			m.VisitBinding(b)
		}
	}
	m.Call = func(c *relax.Call) relax.Expr {
		at[m.At().Bound().Name] = relax.FormatSInfo(relax.SInfoOf(c))
		return c
	}
	out := must2(m.Function(f))
	checked(t, mod, out)
	if !x.Dataflow || m.Lookup(out.Params[0]) != relax.Expr(out.Params[0]) {
		t.Errorf("%s is visible outside of its block", x.Name)
	}
	expect(t, dump(out), `
dataflow:
then1: Tensor((n, 4), "float32") = relax.cos x
t: Tuple(Tensor((n, 4), "float32"), Tensor((n, 4), "float32")) = ?
g: Tensor((n, 4), "float32") = ?
m: Tensor((k, 4), "float32") = g
i: Tensor((n, 4), "float32") = if
inner_seq: Tensor((n, 4), "float32") = relax.sin x
then: Tensor((n, 4), "float32") = inner_seq
f: Callable((Tensor((n, 4), "float32")), Tensor((n, 4), "float32")) = ?
inner: Tensor((n, 4), "float32") = relax.add p g
r: Tensor((n, 4), "float32") = f i
-> Tuple(Tensor((n, 4), "float32"), Tensor(ndim=2, "float32"))`)
	if len(at) != 2 {
		t.Errorf("calls were visited at %v, expected inner and r", at)
	}
}

// New bindings come from the one that is visited.
func TestMutatorOrigins(t *testing.T) {
	x := tensorVar("x", tir.Int(4))
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.SetOrigin(7)
	y := must2(bb.Emit(op.Relu(x), "y"))
	bb.SetOrigin(8)
	z := must2(bb.Emit(op.Unary("exp", y), "z"))
	must2(bb.EndFunction(z))
	mod := bb.Module()
	m := op.NewExprMutator(mod)
	m.Call = func(c *relax.Call) relax.Expr {
		if c.Origin == 8 {
			return op.Unary("sin", m.Emit(op.Unary("cos", c.Args[0]), ""))
		}
		return c
	}
	out := must2(m.Module()).Lookup("main").(*relax.Function)
	var got []ir.OriginID
	relax.EachBinding(out.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		got = append(got, b.Meta().Origin, b.Bound().Origin, b.BoundValue().Meta().Origin)
	})
	for i, id := range got {
		if want := ir.OriginID(8); (i >= 3 && id != want) || (i < 3 && id != 7) {
			t.Errorf("origins %v, expected 7 for the first binding and 8 for the others", got)
			break
		}
	}
}

func TestMutatorFails(t *testing.T) {
	mod, f := everything()
	for name, hook := range map[string]func(m *relax.ExprMutator) func(*relax.Call) relax.Expr{
		"shapes differ": func(m *relax.ExprMutator) func(*relax.Call) relax.Expr {
			return func(c *relax.Call) relax.Expr {
				return op.Add(f.Params[0], tensorVar("other", tir.Int(3), tir.Int(5)))
			}
		},
		"emitted": func(m *relax.ExprMutator) func(*relax.Call) relax.Expr {
			return func(c *relax.Call) relax.Expr {
				return m.Emit(op.Add(f.Params[0], tensorVar("other", tir.Int(3), tir.Int(5))), "bad")
			}
		},
		"told": func(m *relax.ExprMutator) func(*relax.Call) relax.Expr {
			return func(c *relax.Call) relax.Expr {
				m.Fail(errors.New("first"))
				m.Fail(errors.New("second"))
				return c
			}
		},
	} {
		m := op.NewExprMutator(mod)
		calls := 0
		h := hook(m)
		m.Call = func(c *relax.Call) relax.Expr { calls++; return h(c) }
		out, err := m.Function(f)
		if err == nil || out != nil || calls != 1 || m.Err() == nil {
			t.Errorf("%s: %v after %d calls, expected an error after the first", name, err, calls)
		}
		if _, again := m.Function(f); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: the second function gave %v", name, again)
		}
		if name == "told" && err.Error() != "first" {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := op.NewExprMutator(mod)
	m.Expr = func(relax.Expr) relax.Expr { return f.Params[0] }
	if _, err := m.Function(f); err == nil {
		t.Error("a function became a variable without an error")
	}
}

// Blocks may be joined: what was local to a dataflow block is not any more.
func TestMutatorJoinsBlocks(t *testing.T) {
	mod, f := everything()
	m := op.NewExprMutator(mod)
	m.Block = m.VisitBindings
	m.VarDef = func(v *relax.Var) *relax.Var {
		if !v.Dataflow {
			return v
		}
		return v.WithDataflow(false)
	}
	out := must2(m.Function(f))
	checked(t, mod, out)
	if len(out.Body.Blocks) != 1 || len(out.Body.Blocks[0].Bindings) != 8 || strings.Contains(dump(out), "dataflow") {
		t.Errorf("got\n%s", dump(out))
	}
}

// A branch alone, and the result of a function, take over what became of them.
func TestMutatorResult(t *testing.T) {
	x, c := tensorVar("x", tir.Int(4)), &relax.Var{Name: "c", SInfo: relax.TensorOf(dtype.BoolT)}
	for _, swap := range []bool{false, true} {
		bb := op.NewBlockBuilder(nil)
		bb.BeginFunction("main", []*relax.Var{x, c}, relax.FuncOpts{})
		changes := func() (relax.Expr, error) { return bb.Emit(op.Relu(x), "") }
		stays := func() (relax.Expr, error) { return x, nil }
		then, otherwise := changes, stays
		if swap {
			then, otherwise = stays, changes
		}
		must2(bb.EndFunction(must2(bb.EmitIf(c, then, otherwise, "i"))))
		m := op.NewExprMutator(bb.Module())
		narrow(m)
		out := must2(m.Module()).Lookup("main").(*relax.Function)
		checked(t, ir.NewModule(), out)
		const want = `Tensor((4,))`
		if got := relax.FormatSInfo(out.Body.Blocks[0].Bindings[0].Bound().SInfo); got != want || relax.FormatSInfo(out.Ret) != want {
			t.Errorf("the conditional is %s and the result %s, expected %s", got, relax.FormatSInfo(out.Ret), want)
		}
	}
}
