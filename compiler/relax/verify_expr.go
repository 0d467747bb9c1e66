package relax

import (
	"maps"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (v *verifier) seq(s *SeqExpr) {
	for _, blk := range s.Blocks {
		v.block(blk)
	}
	if !isLeafOrTuple(s.Body) {
		v.report(s, "a sequence must yield a variable, a constant or a tuple of them, not %s", describeExpr(s.Body))
	}
	v.expr(s.Body)
}

func (v *verifier) block(blk *BindingBlock) {
	v.dataflow = blk.Dataflow
	var local []*Var
	for _, b := range blk.Bindings {
		x := b.Bound()
		if x == nil {
			v.report(b, "a binding has no variable")
			continue
		}
		v.at, v.node = x.Name, b
		v.binding(b, x)
		v.at, v.node = "", nil
		if x.Dataflow {
			local = append(local, x)
			if !blk.Dataflow {
				v.report(x, "dataflow variable %s is defined outside of a dataflow block", x.Name)
			}
		}
	}
	for _, x := range local {
		v.hide(x)
	}
	v.dataflow = false
}

func (v *verifier) binding(b Binding, x *Var) {
	if x.SInfo == nil {
		v.report(x, "the variable has no struct info")
	}
	switch b := b.(type) {
	case *VarBinding:
		if _, recursive := b.Value.(*Function); recursive {
			v.define(x) // a local function may call itself
			v.value(b.Value)
		} else {
			v.value(b.Value)
			v.define(x)
		}
		v.sinfo(x, x.SInfo)
		if got := v.ctx.SInfoOf(b.Value); v.opts.SInfo && x.SInfo != nil && got != nil && v.ctx.IsBaseOf(x.SInfo, got) == False {
			v.report(x, "the value is %s, but the variable says %s", FormatSInfo(got), FormatSInfo(x.SInfo))
		}
		v.values.Put(x, b.Value)
		v.lives.bound(x, b.Value)
	case *MatchCast:
		if !isLeafOrTuple(b.Value) {
			v.report(b, "match_cast of %s: its value must be bound to a variable first", describeExpr(b.Value))
		}
		v.expr(b.Value)
		v.lives.bound(x, b.Value)
		for _, s := range DefinableVars(b.SInfo) {
			v.defineSym(s)
		}
		v.sinfo(b, b.SInfo)
		v.define(x)
		if v.opts.SInfo && x.SInfo != nil && !EqualSInfo(x.SInfo, b.SInfo) {
			v.report(x, "match_cast to %s binds a variable of struct info %s", FormatSInfo(b.SInfo), FormatSInfo(x.SInfo))
		}
	default:
		panic(unknownNode("WellFormed", b))
	}
}

// value checks an expression that is bound to a variable.
func (v *verifier) value(e Expr) {
	switch e := e.(type) {
	case *SeqExpr:
		v.report(e, "a sequence is bound to a variable: its bindings belong in the block")
		v.seq(e)
	case *Function:
		at, node := v.at, v.node
		v.function(e, false)
		v.at, v.node = at, node
	case *If:
		v.branch(e)
	case *Call:
		v.call(e)
	case *TupleGetItem:
		v.arg(e, e.Tuple)
		if info := v.ctx.SInfoOf(e.Tuple); info != nil {
			if _, err := FieldSInfo(info, e.Index); err != nil {
				v.report(e, "%s", err)
			}
		}
	default:
		v.expr(e)
	}
}

func (v *verifier) branch(e *If) {
	if v.dataflow {
		v.report(e, "a dataflow block contains an If")
	}
	v.arg(e, e.Cond)
	if !isTruth(v.ctx.SInfoOf(e.Cond)) {
		v.report(e, "the condition of an If must be a scalar of type bool, not %s", FormatSInfo(v.ctx.SInfoOf(e.Cond)))
	}
	if e.SInfo == nil {
		v.report(e, "an If has no struct info")
	}
	at, node, flow := v.at, v.node, v.dataflow
	before, died := len(v.lives.order), map[*Var]string{}
	for _, s := range []*SeqExpr{e.Then, e.Else} {
		maps.Copy(died, v.lives.since(before)) // what one branch kills the other may use
		if s == nil {
			v.report(e, "an If lacks a branch")
			continue
		}
		end := v.scope()
		v.at, v.node = "", nil
		v.seq(s)
		end()
	}
	v.lives.add(died)
	v.at, v.node, v.dataflow = at, node, flow
}

func isTruth(s StructInfo) bool {
	switch s := s.(type) {
	case *PrimStructInfo:
		return s.DType.IsBool()
	case *TensorStructInfo:
		return s.NDim <= 0 && (s.DType.IsVoid() || s.DType.IsBool())
	case *ObjectStructInfo, nil:
		return true
	}
	return false
}

// isLeafOrTuple reports whether e may be an argument in A-normal form.
func isLeafOrTuple(e Expr) bool {
	switch e := e.(type) {
	case *Var, *Constant, *ShapeExpr, *PrimValue, *StringImm, *DataTypeImm, *ExternFunc, *ir.GlobalVar, *ir.Op:
		return true
	case *Tuple:
		for _, f := range e.Fields {
			if !isLeafOrTuple(f) {
				return false
			}
		}
		return true
	}
	return false
}

// arg checks an argument of the node at.
func (v *verifier) arg(at ir.Node, e Expr) {
	if e == nil {
		v.report(at, "an argument is missing")
		return
	}
	if !isLeafOrTuple(e) {
		v.report(at, "%s is used as an argument: it must be bound to a variable first", describeExpr(e))
		return
	}
	v.expr(e)
}

// expr checks a leaf or a tuple.
func (v *verifier) expr(e Expr) {
	switch e := e.(type) {
	case *Var:
		v.use(e)
	case *ir.GlobalVar:
		if v.mod.Lookup(e.Name) == nil {
			v.report(e, "the module has no function called %s", e.Name)
		}
	case *Tuple:
		for _, f := range e.Fields {
			v.expr(f)
		}
	case *ShapeExpr:
		for _, d := range e.Values {
			if t := d.DType(); t != dtype.Int64T {
				v.report(e, "extent %s of a shape is of type %s, not int64", FormatPrim(d), t)
			}
			v.prim(e, d)
		}
	case *PrimValue:
		v.prim(e, e.Value)
	case *ir.Op:
		if v.opts.Ops != nil {
			if _, known := v.opts.Ops.Purity(e); !known {
				v.report(e, "operator %s is not known", e.Name)
			}
		}
	case *Constant, *StringImm, *DataTypeImm, *ExternFunc:
	case *Call, *TupleGetItem, *If, *Function, *SeqExpr:
		v.value(e)
	case nil:
		v.report(nil, "an expression is missing")
	default:
		panic(unknownNode("WellFormed", e))
	}
}

func (v *verifier) use(x *Var) {
	s, _ := v.vars.Get(x)
	if s.visible {
		if op := v.lives.dead[v.lives.value(x)]; op != "" {
			v.report(v.node, "variable %s is used after %s killed it", x.Name, op)
			delete(v.lives.dead, v.lives.value(x)) // say it once
		}
		return
	}
	switch {
	case s.defined && x.Dataflow:
		v.report(x, "dataflow variable %s is used outside of its block", x.Name)
	case s.defined:
		v.report(x, "variable %s is used outside of its scope", x.Name)
	default:
		v.report(x, "variable %s is used before it is defined", x.Name)
	}
	s.visible = true // say it once
	v.vars.Put(x, s)
}

func (v *verifier) call(c *Call) {
	before := len(v.found)
	v.arg(c, c.Op)
	for _, a := range c.Args {
		v.arg(c, a)
	}
	for _, s := range c.SInfoArgs {
		v.sinfo(c, s)
	}
	if c.SInfo == nil {
		v.report(c, "the call of %s has no struct info", calleeName(c.Op))
	} else {
		v.sinfo(c, c.SInfo)
	}
	if len(v.found) > before {
		return // what follows would only repeat it
	}
	v.purity(c)
	v.inference(c)
	v.callTIR(c)
}

func (v *verifier) purity(c *Call) {
	switch {
	case v.forced || CallIsPure(c, v.opts.Ops, v.ctx):
	case v.dataflow:
		v.report(c, "a dataflow block calls %s, which is impure", calleeName(c.Op))
	case v.pure:
		v.report(c, "a pure function calls %s, which is impure", calleeName(c.Op))
	}
}

// CallIsPure reports whether a call is free of side effects by its operator or by the
// signature of the function that it calls. Unknown operators count as pure.
func CallIsPure(c *Call, ops OpTable, ctx *InferContext) bool {
	if o, ok := c.Op.(*ir.Op); ok {
		if ops == nil {
			return true
		}
		pure, known := ops.Purity(o)
		return pure || !known
	}
	if gv, ok := c.Op.(*ir.GlobalVar); ok && ctx != nil && ctx.Func != nil {
		if f, ok := ctx.Func(gv.Name).(*tir.PrimFunc); ok {
			return primFuncIsPure(f)
		}
	}
	f, ok := ctx.SInfoOf(c.Op).(*FuncStructInfo)
	return ok && f.Pure
}

// primFuncIsPure reports whether f neither writes to memory that it did not allocate nor calls
// anything that may have an effect.
func primFuncIsPure(f *tir.PrimFunc) bool {
	if f.Body == nil {
		return false
	}
	own, pure := map[*tir.Var]bool{}, true
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Allocate:
			own[n.Var] = true
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				own[b.Data] = true
			}
		case *tir.BufferStore:
			pure = pure && own[n.Buffer.Data]
		case *tir.Call:
			e := tir.CallEffect(n)
			pure = pure && e != tir.UpdateState && e != tir.OpaqueCall
		}
		return pure
	})
	return pure
}

// inference compares the struct info of a call with what is inferred.
func (v *verifier) inference(c *Call) {
	if !v.opts.SInfo || v.opts.Ops == nil {
		return
	}
	known := v.opts.Checked.of(c)
	if known.inferred {
		return
	}
	v.asked = false
	got, err := InferCall(c, v.opts.Ops, v.ctx)
	if err != nil {
		v.report(c, "%s", err)
		return
	}
	if v.ctx.IsBaseOf(c.SInfo, got) == False {
		v.report(c, "the call of %s yields %s, but its struct info is %s", calleeName(c.Op), FormatSInfo(got), FormatSInfo(c.SInfo))
	} else if !v.asked {
		known.inferred = true
		v.opts.Checked.put(c, known)
	}
}
