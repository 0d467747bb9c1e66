package relax_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// parts are what the cases below build functions of.
type parts struct {
	n       *tir.Var
	x       *relax.Var
	a, b    *relax.Var
	info    relax.StructInfo
	callA   *relax.Call // relu(x)
	callB   *relax.Call // exp(a)
	blk     *relax.BindingBlock
	f       *relax.Function
	mod     *ir.Module
	kernel  *tir.PrimFunc
	callTIR *relax.Call
}

func newParts() *parts {
	p := &parts{n: sym("n")}
	p.info = relax.TensorOf(f32, p.n)
	p.x = &relax.Var{Name: "x", SInfo: p.info}
	p.a = &relax.Var{Name: "a", SInfo: p.info, Dataflow: true}
	p.b = &relax.Var{Name: "b", SInfo: p.info}
	p.callA, p.callB = op.Relu(p.x), op.Unary("exp", p.a)
	p.callA.SInfo, p.callB.SInfo = p.info, p.info
	p.blk = &relax.BindingBlock{Dataflow: true, Bindings: []relax.Binding{
		&relax.VarBinding{Var: p.a, Value: p.callA}, &relax.VarBinding{Var: p.b, Value: p.callB},
	}}
	p.f = &relax.Function{
		Params: []*relax.Var{p.x}, Pure: true, Ret: p.info,
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{p.blk}, Body: p.b},
	}
	k := sym("k")
	in, out := tir.NewBuffer("A", f32, []tir.Expr{k}, ""), tir.NewBuffer("B", f32, []tir.Expr{k}, "")
	p.kernel = &tir.PrimFunc{
		Params:  []*tir.Var{tir.NewVar("A", dtype.HandleT), tir.NewVar("B", dtype.HandleT)},
		Buffers: []*tir.Buffer{in, out}, RetType: ir.VoidType(), Body: tir.NoOp(),
	}
	p.callTIR = op.CallTIR(ir.NewGlobalVar("kernel"), []relax.Expr{p.a}, []relax.StructInfo{p.info})
	p.callTIR.SInfo = p.info
	p.mod = ir.NewModule().With("kernel", p.kernel)
	return p
}

// bind replaces the value of b.
func (p *parts) bind(e relax.Expr) { p.blk.Bindings[1] = &relax.VarBinding{Var: p.b, Value: e} }

func TestWellFormed(t *testing.T) {
	cases := []struct {
		name string
		edit func(p *parts)
		want string // finding; empty if there is none
	}{
		{"fine", func(*parts) {}, ""},
		{"call of a kernel", func(p *parts) { p.bind(p.callTIR) }, ""},
		{"defined twice", func(p *parts) {
			p.blk.Bindings = append(p.blk.Bindings, &relax.VarBinding{Var: p.b, Value: p.callB})
		}, "main: error: binding of b: variable b is defined twice"},
		{"before its definition", func(p *parts) {
			p.blk.Bindings[0], p.blk.Bindings[1] = p.blk.Bindings[1], p.blk.Bindings[0]
		}, "main: error: binding of b: variable a is used before it is defined"},
		{"dataflow variable escapes", func(p *parts) { p.f.Body.Body = p.a }, "dataflow variable a is used outside of its block"},
		{"dataflow variable in a plain block", func(p *parts) { p.blk.Dataflow = false }, "dataflow variable a is defined outside of a dataflow block"},
		{"undefined symbolic variable", func(p *parts) { p.b.SInfo = relax.TensorOf(f32, sym("k")) }, "binding of b: symbolic variable k is used but not defined"},
		{"result uses an undefined one", func(p *parts) { p.f.Ret = relax.TensorOf(f32, sym("k")) }, "the struct info of the result uses symbolic variable k, which no parameter defines"},
		{"nested call", func(p *parts) {
			c := op.Unary("exp", p.callA)
			c.SInfo = p.info
			p.bind(c)
		}, "binding of b: a call of relax.nn.relu is used as an argument: it must be bound to a variable first"},
		{"unknown function", func(p *parts) {
			c := op.CallTIR(ir.NewGlobalVar("gone"), []relax.Expr{p.a}, []relax.StructInfo{p.info})
			c.SInfo = p.info
			p.bind(c)
		}, "the module has no function called gone"},
		{"unknown operator", func(p *parts) { p.bind(&relax.Call{Op: ir.NewOp("relax.nope"), SInfo: p.info}) }, "operator relax.nope is not known"},
		{"no struct info", func(p *parts) { p.bind(op.Unary("exp", p.a)) }, "the call of relax.exp has no struct info"},
		{"wrong struct info", func(p *parts) {
			c := op.Unary("exp", p.a)
			c.SInfo = relax.TensorOf(dtype.Int64T, p.n)
			p.bind(c)
		}, `the call of relax.exp yields Tensor((n,), "float32"), but its struct info is Tensor((n,), "int64")`},
		{"variable says otherwise", func(p *parts) { p.b.SInfo = relax.TensorOfRank(f32, 2) }, `the value is Tensor((n,), "float32"), but the variable says Tensor(ndim=2, "float32")`},
		{"result says otherwise", func(p *parts) { p.f.Ret = relax.TensorOfRank(f32, 2) }, `the result is Tensor((n,), "float32"), but the function says Tensor(ndim=2, "float32")`},
		{"bad call", func(p *parts) {
			c := op.Add(p.a, &relax.ShapeExpr{})
			c.SInfo = p.info
			p.bind(c)
		}, "relax.add: argument x2: expected a tensor or a scalar, got Shape(())"},
		{"impure call", func(p *parts) {
			c := must2(op.New("relax.print", []relax.Expr{&relax.StringImm{Value: "{}"}, p.a}, nil))
			c.SInfo = &relax.TupleStructInfo{}
			p.b.SInfo, p.f.Ret = c.SInfo, c.SInfo
			p.bind(c)
		}, "a dataflow block calls relax.print, which is impure"},
		{"kernel of another shape", func(p *parts) {
			p.callTIR.SInfoArgs = []relax.StructInfo{relax.TensorOf(f32, tir.Add(p.n, tir.Int(1)))}
			p.callTIR.SInfo = p.callTIR.SInfoArgs[0]
			p.b.SInfo, p.f.Ret = p.callTIR.SInfo, p.callTIR.SInfo
			p.bind(p.callTIR)
		}, `relax.call_tir of kernel: parameter B is Tensor((n,), "float32"), but the call passes Tensor((n + 1,), "float32")`},
		{"kernel with too many arguments", func(p *parts) {
			p.callTIR.Args[1] = &relax.Tuple{Fields: []relax.Expr{p.a, p.a}}
			p.bind(p.callTIR)
		}, "relax.call_tir of kernel: the PrimFunc has 2 parameters, but the call passes 3"},
		{"sequence as value", func(p *parts) { p.bind(&relax.SeqExpr{Body: p.a}) }, "a sequence is bound to a variable"},
		{"extent type", func(p *parts) {
			p.b.SInfo = relax.ShapeOf(tir.Int32(1))
			p.f.Ret = p.b.SInfo
			p.bind(&relax.ShapeExpr{Values: []tir.Expr{tir.Int32(1)}})
		}, "extent 1 of a shape is of type int32, not int64"},
		{"if in dataflow", func(p *parts) {
			c := &relax.Var{Name: "c", SInfo: relax.ScalarTensor(dtype.BoolT)}
			p.f.Params = append(p.f.Params, c)
			p.bind(&relax.If{Cond: c, Then: &relax.SeqExpr{Body: p.a}, Else: &relax.SeqExpr{Body: p.x}, SInfo: p.info})
		}, "a dataflow block contains an If"},
		{"other symbol", func(p *parts) {
			p.f.Attrs = ir.NewAttrs(ir.AttrGlobalSymbol, "other")
		}, `the function's global_symbol is "other"`},
		{"shared variables", func(p *parts) {
			p.mod = p.mod.With("copy", p.f)
		}, "variable x is also defined in function copy"},
	}
	for _, c := range cases {
		p := newParts()
		c.edit(p)
		found := findings(p.mod.With("main", p.f))
		if c.want == "" {
			for _, d := range found {
				t.Errorf("%s: %s", c.name, d)
			}
			continue
		}
		ok := false
		var all []string
		for _, d := range found {
			all = append(all, d.String())
			ok = ok || strings.Contains(d.String(), c.want)
		}
		if !ok {
			t.Errorf("%s: findings\n %s\nlack\n %s", c.name, strings.Join(all, "\n "), c.want)
		}
	}
}

func TestWellFormedBranchScopes(t *testing.T) {
	p := newParts()
	c := &relax.Var{Name: "c", SInfo: relax.ScalarTensor(dtype.BoolT)}
	inner := &relax.Var{Name: "inner", SInfo: p.info}
	p.f.Params = append(p.f.Params, c)
	then := &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{&relax.VarBinding{Var: inner, Value: p.callA}}}}, Body: inner}
	p.f.Body = &relax.SeqExpr{
		Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
			&relax.VarBinding{Var: p.b, Value: &relax.If{Cond: c, Then: then, Else: &relax.SeqExpr{Body: p.x}, SInfo: p.info}},
		}}},
		Body: p.b,
	}
	verify(t, p.mod.With("main", p.f))
	p.f.Body.Body = inner
	found := findings(p.mod.With("main", p.f))
	if len(found) != 1 || !strings.Contains(found[0].Message, "variable inner is used outside of its scope") {
		t.Errorf("findings are %v", found)
	}
}

func TestWellFormedStopsAtItsLimit(t *testing.T) {
	p := newParts()
	p.blk.Bindings = nil
	for range 50 {
		v := &relax.Var{Name: "v", SInfo: p.info}
		p.blk.Bindings = append(p.blk.Bindings, &relax.VarBinding{Var: v, Value: &relax.Var{Name: "free", SInfo: p.info}})
	}
	p.f.Body.Body = p.x
	if n := len(relax.WellFormedFunc(p.mod, "main", p.f, relax.VerifyOpts{Limit: 7})); n != 7 {
		t.Errorf("%d findings, expected 7", n)
	}
}
