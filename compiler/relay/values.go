package relay

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// node gives a node its value, whose parts have theirs.
func (b *builder) node(n *node) {
	switch n.kind {
	case kConst:
		n.value = b.constant(n)
	case kVar:
		v := n.v
		if v.rv == nil || v.scope == nil || !v.scope.holds(n.scope) {
			fail(n.span, "%"+v.name+" is used where it is not bound: what refers to it is shared with a place outside of its scope")
		}
		n.value = v.rv
	case kGlobal:
		n.value = b.function(n)
	case kTuple:
		t := &relax.Tuple{Base: spanBase(n.span)}
		for _, a := range n.args {
			t.Fields = append(t.Fields, a.value)
		}
		if n.value = t; n.uses > 1 && len(n.args) > 0 { // the empty tuple is a constant
			n.value = b.emit(n, t)
		}
	case kGet:
		b.get(n)
	case kIf:
		b.branch(n)
	case kFn:
		n.value = b.emit(n, b.finish(n))
	case kLet:
		n.value = n.args[1].value
	case kCall:
		b.call(n)
	}
}

// constant returns the value of a literal or of an entry of the metadata; one whose value the text does not hold is an operator without
// arguments.
func (b *builder) constant(n *node) relax.Expr {
	switch {
	case n.blob != nil:
		return &relax.Constant{Base: spanBase(n.span), Data: n.blob}
	case n.name == constantTable && b.constants != nil:
		if n.index >= len(b.constants) {
			fail(n.span, fmt.Sprintf("the metadata holds %d constants, and no number %d", len(b.constants), n.index))
		}
		return &relax.Constant{Base: spanBase(n.span), Data: b.constants[n.index]}
	case n.name != constantTable:
		fail(n.span, "values of meta["+n.name+"] have no counterpart in this IR")
	}
	c, err := b.operator(n, "constant", nil, []attr{{"table", n.name, n.span}, {"index", int64(n.index), n.span}})
	if err != nil {
		fail(n.span, err.Error())
	}
	return b.emit(n, c)
}

func (b *builder) get(n *node) {
	t := n.args[0].value
	info, err := relax.FieldSInfo(b.ctx.SInfoOf(t), n.index)
	if err != nil {
		fail(n.span, err.Error())
	}
	n.value = b.emit(n, &relax.TupleGetItem{Base: spanBase(n.span), Tuple: t, Index: n.index, SInfo: info})
}

func (b *builder) branch(n *node) {
	e := &relax.If{Base: spanBase(n.span), Cond: n.args[0].value, Then: b.seq(n.inner[0], n.args[1]), Else: b.seq(n.inner[1], n.args[2])}
	e.SInfo = b.ctx.LCA(b.ctx.SInfoOf(e.Then.Body), b.ctx.SInfoOf(e.Else.Body))
	n.value = b.emit(n, e)
}

// seq is the sequence of what a scope binds, in blocks of one kind.
func (b *builder) seq(s *scope, body *node) *relax.SeqExpr {
	out := &relax.SeqExpr{Base: spanBase(body.span), Body: body.value}
	for _, e := range s.entries {
		if k := len(out.Blocks); k == 0 || out.Blocks[k-1].Dataflow != e.dataflow {
			out.Blocks = append(out.Blocks, &relax.BindingBlock{Base: *baseOf(e.bind), Dataflow: e.dataflow})
		}
		blk := out.Blocks[len(out.Blocks)-1]
		blk.Bindings = append(blk.Bindings, e.bind)
	}
	return out
}

func baseOf(b relax.Binding) *ir.Base { base := b.Meta(); return &base }

// finish makes the function of a node whose body is bound.
func (b *builder) finish(n *node) *relax.Function {
	f := &relax.Function{Base: spanBase(n.span), Pure: !b.impure, Body: b.seq(n.inner[0], n.fn.body), Attrs: functionAttrs(n.fn)}
	for _, p := range n.fn.params {
		f.Params = append(f.Params, p.rv)
	}
	info := known(b.ctx.SInfoOf(f.Body.Body))
	if want := n.fn.ret; want != nil {
		switch b.ctx.IsBaseOf(want, info) {
		case relax.False:
			fail(n.span, fmt.Sprintf("the function yields %s, but says %s", relax.FormatSInfo(info), relax.FormatSInfo(want)))
		case relax.Unknown:
			info = want
		}
	}
	f.Ret = relax.EraseToWellDefined(info, func(*tir.Var) bool { return true }, func(*relax.Var) bool { return false })
	return f
}

// devicesAttr is the attribute of a function that holds the virtual devices of its parameters, "" for none.
const devicesAttr = "param_virtual_devices"

func functionAttrs(fn *function) *ir.Attrs {
	var out *ir.Attrs
	for _, a := range fn.attrs {
		out = out.With(a.name, a.value)
	}
	devices, any := []string{}, false
	for _, v := range fn.params {
		devices, any = append(devices, v.device), any || v.device != ""
	}
	if any {
		out = out.With(devicesAttr, devices)
	}
	return out
}

// call calls an operator or a function.
func (b *builder) call(n *node) {
	args := make([]relax.Expr, len(n.args))
	for i, a := range n.args {
		args[i] = a.value
	}
	if n.op == nil {
		c, err := b.operator(n, n.name, args, n.attrs)
		if err != nil {
			fail(n.span, err.Error())
		}
		n.value = b.emit(n, c)
		return
	}
	b.typeArguments(n.op.value, args)
	c := &relax.Call{Base: spanBase(n.span), Op: n.op.value, Args: args}
	info, err := relax.InferCall(c, b.ops, b.ctx)
	if err != nil {
		fail(n.span, err.Error())
	}
	c.SInfo = info
	n.value = b.emit(n, c)
}

// typeArguments gives parameters that are written without a type the one that a function asks for which they are handed to.
func (b *builder) typeArguments(callee relax.Expr, args []relax.Expr) {
	f, ok := b.ctx.SInfoOf(callee).(*relax.FuncStructInfo)
	if !ok || len(f.Params) != len(args) {
		return
	}
	for i, a := range args {
		v, ok := a.(*relax.Var)
		if !ok || !b.open[v] {
			continue
		}
		if t, ok := f.Params[i].(*relax.TensorStructInfo); ok && !t.DType.IsVoid() {
			if _, ok := t.StaticDims(); ok {
				v.SInfo = t
				delete(b.open, v)
			}
		}
	}
}

// settleDataflow makes variables of dataflow blocks that are used outside of their block visible there. Each node is looked at once.
func settleDataflow(f *relax.Function) {
	home, open := map[*relax.Var]*relax.BindingBlock{}, map[*relax.BindingBlock]bool{}
	var expr func(e relax.Expr)
	seq := func(s *relax.SeqExpr) {
		for _, blk := range s.Blocks {
			open[blk] = blk.Dataflow
			for _, bind := range blk.Bindings {
				expr(bind.BoundValue())
				if blk.Dataflow {
					home[bind.Bound()] = blk
				}
			}
			open[blk] = false
		}
		expr(s.Body)
	}
	expr = func(e relax.Expr) {
		switch e := e.(type) {
		case *relax.Var:
			if blk := home[e]; blk != nil && !open[blk] {
				e.Dataflow = false
			}
		case *relax.Call:
			expr(e.Op)
			for _, a := range e.Args {
				expr(a)
			}
		case *relax.Tuple:
			for _, x := range e.Fields {
				expr(x)
			}
		case *relax.TupleGetItem:
			expr(e.Tuple)
		case *relax.If:
			expr(e.Cond)
			seq(e.Then)
			seq(e.Else)
		case *relax.Function:
			seq(e.Body)
		}
	}
	seq(f.Body)
}

// function is a function of the module, or one that the text names and does not define, of which nothing is known.
func (b *builder) function(n *node) relax.Expr {
	if gv := b.vars[n.name]; gv != nil {
		return gv
	}
	ret := relax.TensorOfRank(dtype.Void, -1)
	return &relax.ExternFunc{Base: spanBase(n.span), Symbol: n.name, SInfo: &relax.FuncStructInfo{Opaque: true, Pure: true, Ret: ret}}
}
