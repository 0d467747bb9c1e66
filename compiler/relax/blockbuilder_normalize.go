package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Normalize returns e in A-normal form with struct info, binding nested calls to variables
// of the current block. The result may be the value of a binding. It is e itself where
// nothing had to be done.
func (b *BlockBuilder) Normalize(e Expr) (Expr, error) {
	switch e := e.(type) {
	case *Var, *Constant, *ShapeExpr, *PrimValue, *StringImm, *DataTypeImm, *ExternFunc, *ir.GlobalVar, *ir.Op:
		return e, nil
	case *Tuple:
		return b.normalizeTuple(e)
	case *Call:
		return b.normalizeCall(e)
	case *TupleGetItem:
		return b.normalizeGet(e)
	case *If:
		return b.normalizeIf(e)
	case *Function:
		return b.NormalizeFunction(e)
	case *SeqExpr:
		return b.normalizeSeq(e)
	case nil:
		return nil, fmt.Errorf("an expression is missing")
	}
	panic(unknownNode("Normalize", e))
}

// normalizeArg is Normalize for an argument: what is neither a leaf nor a tuple is bound, an
// expression that stands in several places once.
func (b *BlockBuilder) normalizeArg(e Expr) (Expr, error) {
	switch e := e.(type) {
	case *Call, *TupleGetItem, *If, *Function, *SeqExpr:
		for i := len(b.frames) - 1; i >= 0; i-- {
			if v, ok := b.frames[i].args[e]; ok {
				return v, nil
			}
		}
		v, err := b.Emit(e, "")
		if err != nil {
			return nil, err
		}
		f := b.top()
		if f.args == nil {
			f.args = map[Expr]*Var{}
		}
		f.args[e] = v
		return v, nil
	}
	return b.Normalize(e)
}

func (b *BlockBuilder) normalizeArgs(args []Expr) ([]Expr, error) {
	var failed error
	out := ir.MapSame(args, func(a Expr) Expr {
		if failed != nil {
			return a
		}
		x, err := b.normalizeArg(a)
		if err != nil {
			failed = err
			return a
		}
		return x
	})
	return out, failed
}

func (b *BlockBuilder) normalizeTuple(t *Tuple) (Expr, error) {
	fields, err := b.normalizeArgs(t.Fields)
	if err != nil || same(fields, t.Fields) {
		return t, err
	}
	return &Tuple{Base: t.Base, Fields: fields}, nil
}

func (b *BlockBuilder) normalizeCall(c *Call) (Expr, error) {
	op, err := b.normalizeArg(c.Op)
	if err != nil {
		return nil, err
	}
	args, err := b.normalizeArgs(c.Args)
	if err != nil {
		return nil, err
	}
	if op != c.Op || !same(args, c.Args) {
		c = c.WithOp(op).WithArgs(args)
	}
	if _, ok := op.(*ir.Op); ok && b.ops != nil {
		if c, err = b.normalForm(c); err != nil {
			return nil, err
		}
	}
	info, err := b.InferCall(c)
	if err != nil {
		return nil, err
	}
	base := b.based(c.Base)
	sameInfo := c.SInfo != nil && EqualSInfo(c.SInfo, info)
	if sameInfo && base == c.Base {
		return c, nil
	}
	out := *c
	if !sameInfo {
		out.SInfo = info
	}
	out.Base = base
	return &out, nil
}

// normalForm brings a call of an operator into the operator's normal form.
func (b *BlockBuilder) normalForm(c *Call) (*Call, error) {
	out, err := b.ops.NormalizeCall(c, b.Context())
	if err != nil || out == c {
		return c, err
	}
	args, err := b.normalizeArgs(out.Args) // the form may hold expressions that must be bound
	if err != nil || same(args, out.Args) {
		return out, err
	}
	return out.WithArgs(args), nil
}

// InferCall returns the struct info of a call in normal form.
func (b *BlockBuilder) InferCall(c *Call) (StructInfo, error) {
	return InferCall(c, b.ops, b.Context())
}

// InferCall returns the struct info of a call in normal form: by the operator's rule, or
// from the signature of the function that is called.
func InferCall(c *Call, ops OpTable, ctx *InferContext) (StructInfo, error) {
	if _, ok := c.Op.(*ir.Op); ok {
		if ops == nil {
			return nil, fmt.Errorf("call of %s: no operator table was given", calleeName(c.Op))
		}
		return ops.InferCall(c, ctx)
	}
	switch f := ctx.SInfoOf(c.Op).(type) {
	case *FuncStructInfo:
		if _, extern := c.Op.(*ExternFunc); extern && f.Opaque && f.Derive == "" && len(c.SInfoArgs) > 0 {
			return ResultOfSInfoArgs(c), nil
		}
		if f.Opaque && f.Derive == DeriveOfView && ops != nil {
			return ops.InferCall(c.WithOp(ir.NewOp("relax.memory.view")), ctx)
		}
		return ctx.DeriveCall(c, f)
	case nil:
		return nil, fmt.Errorf("call of %s: the module has no such function", calleeName(c.Op))
	default:
		if len(c.SInfoArgs) > 0 {
			return ResultOfSInfoArgs(c), nil
		}
		if _, ok := f.(*ObjectStructInfo); ok {
			return objectSInfo, nil
		}
		return nil, fmt.Errorf("call of %s: expected a function, got %s", calleeName(c.Op), FormatSInfo(f))
	}
}

func (b *BlockBuilder) normalizeGet(g *TupleGetItem) (Expr, error) {
	t, err := b.normalizeArg(g.Tuple)
	if err != nil {
		return nil, err
	}
	info, err := FieldSInfo(b.ctx.SInfoOf(t), g.Index)
	if err != nil {
		return nil, err
	}
	if t == g.Tuple && g.SInfo != nil && EqualSInfo(g.SInfo, info) {
		return g, nil
	}
	return &TupleGetItem{Base: g.Base, Tuple: t, Index: g.Index, SInfo: info}, nil
}

// FieldSInfo returns the struct info of field index of a value of struct info t.
func FieldSInfo(t StructInfo, index int) (StructInfo, error) {
	switch t := t.(type) {
	case *TupleStructInfo:
		if index < 0 || index >= len(t.Fields) {
			return nil, fmt.Errorf("field %d is out of range: the tuple has %d fields", index, len(t.Fields))
		}
		return t.Fields[index], nil
	case *ObjectStructInfo:
		return objectSInfo, nil
	}
	return nil, fmt.Errorf("field %d of a value that is not a tuple but %s", index, FormatSInfo(t))
}

func (b *BlockBuilder) normalizeIf(e *If) (Expr, error) {
	cond, err := b.normalizeArg(e.Cond)
	if err != nil {
		return nil, err
	}
	then, err := b.NormalizeSeq(e.Then)
	if err != nil {
		return nil, err
	}
	otherwise, err := b.NormalizeSeq(e.Else)
	if err != nil {
		return nil, err
	}
	info, err := b.join(then, otherwise)
	if err != nil {
		return nil, err
	}
	if cond == e.Cond && then == e.Then && otherwise == e.Else && e.SInfo != nil && EqualSInfo(e.SInfo, info) {
		return e, nil
	}
	return &If{Base: e.Base, Cond: cond, Then: then, Else: otherwise, SInfo: info}, nil
}

// join returns what is known of the value of a conditional from what its branches yield.
func (b *BlockBuilder) join(then, otherwise *SeqExpr) (StructInfo, error) {
	ctx := b.Context()
	x, y := ctx.SInfoOf(then.Body), ctx.SInfoOf(otherwise.Body)
	if x == nil || y == nil {
		return nil, fmt.Errorf("a branch yields a value without struct info")
	}
	outer := b.outerVars(then, otherwise)
	return ctx.LCA(EraseToWellDefined(x, outer, anyVar), EraseToWellDefined(y, outer, anyVar)), nil
}

func anyVar(*Var) bool { return true }

// outerVars accepts the symbolic variables that the given sequences do not define. A match_cast to one that a parameter of a function
// under construction, or of one that is normalized, defines only compares it.
func (b *BlockBuilder) outerVars(seqs ...*SeqExpr) func(*tir.Var) bool {
	inner := map[*tir.Var]bool{}
	for _, s := range seqs {
		EachBinding(s, func(_ *BindingBlock, bind Binding) {
			if m, ok := bind.(*MatchCast); ok {
				for _, v := range DefinableVars(m.SInfo) {
					inner[v] = true
				}
			}
		})
	}
	if len(inner) > 0 {
		given := func(params []*Var) {
			for _, p := range params {
				for _, v := range DefinableVars(p.SInfo) {
					delete(inner, v)
				}
			}
		}
		given(b.within)
		for _, f := range b.frames {
			if f.fn != nil {
				given(f.fn.Params)
			}
		}
	}
	return func(v *tir.Var) bool { return !inner[v] }
}
