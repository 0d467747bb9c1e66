package graphrun

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Value is *tensor.Tensor, Shape, Tuple, int64, float64, string, dtype.DType, *Storage,
// *relax.ExternFunc, *ir.GlobalVar, *Closure, Func or nil.
type Value = any

// Func is a function that whoever runs a program passes to it.
type Func func(args []Value) (Value, error)

// Shape is the value of a shape.
type Shape []int64

// Tuple is the value of a tuple.
type Tuple []Value

// Closure is a function with values for its last parameters, or one that is defined inside of a function and sees what that one does.
type Closure struct {
	fn       *ir.GlobalVar
	captured Tuple
	local    *relax.Function
	frame    *frame
}

// Storage is memory that tensors are placed in.
type Storage struct{ data []byte }

type runner struct {
	ctx   context.Context
	mod   *ir.Module
	opts  Options
	bytes int64 // allocated so far
	depth int   // of calls of Relax functions
}

// frame is one call of a function. Variables that name each other share a register.
type frame struct {
	*runner
	regs map[*relax.Var]*register
	syms map[*tir.Var]int64
}

type register struct {
	value Value
	dead  bool
}

func (r *runner) call(name string, args []Value) (Value, error) {
	f, ok := r.mod.Lookup(name).(*relax.Function)
	if !ok {
		return nil, fmt.Errorf("there is no Relax function %s", name)
	}
	return (&frame{r, map[*relax.Var]*register{}, map[*tir.Var]int64{}}).enter(name, f, args)
}

// local calls a function that is defined inside of one: it sees what is bound there.
func (f *frame) local(fn *relax.Function, args []Value) (Value, error) {
	return (&frame{f.runner, maps.Clone(f.regs), maps.Clone(f.syms)}).enter("a local function", fn, args)
}

// seq polls the context at each binding: a graph may be long, and its kernels short.
func (f *frame) seq(s *relax.SeqExpr) (*register, error) {
	if err := f.bindings(s, nil); err != nil {
		return nil, err
	}
	return f.register(s.Body)
}

// bindings runs those of a sequence that stand before one, all where that is nil.
func (f *frame) bindings(s *relax.SeqExpr, last relax.Binding) error {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			if f.ctx.Err() != nil {
				return context.Cause(f.ctx)
			}
			if b == last {
				return nil
			}
			reg, err := f.binding(b)
			if err != nil {
				return fmt.Errorf("variable %s: %w", b.Bound().Name, err)
			}
			f.regs[b.Bound()] = reg
		}
	}
	return nil
}

func (f *frame) binding(b relax.Binding) (*register, error) {
	reg, err := f.register(b.BoundValue())
	if err != nil {
		return nil, err
	}
	if mc, ok := b.(*relax.MatchCast); ok {
		return reg, f.match(mc.SInfo, reg.value)
	}
	return reg, nil
}

// register returns where the value of e is: that of a variable is the variable's own.
func (f *frame) register(e relax.Expr) (*register, error) {
	switch e := e.(type) {
	case *relax.Var:
		reg := f.regs[e]
		switch {
		case reg == nil:
			return nil, fmt.Errorf("%s is used before it is bound", e.Name)
		case reg.dead:
			return nil, fmt.Errorf("%s is used after it was killed", e.Name)
		}
		return reg, nil
	case *relax.If:
		cond, err := f.eval(e.Cond)
		if err != nil {
			return nil, err
		}
		branch := e.Else
		if truth(cond) {
			branch = e.Then
		}
		reg, err := f.seq(branch)
		if err != nil {
			return nil, err
		}
		return &register{value: reg.value}, nil
	}
	v, err := f.eval(e)
	return &register{value: v}, err
}

func truth(v Value) bool {
	switch v := v.(type) {
	case *tensor.Tensor:
		return v.Int(0) != 0
	case int64:
		return v != 0
	}
	return false
}

func (f *frame) eval(e relax.Expr) (Value, error) {
	switch e := e.(type) {
	case *relax.Var:
		reg, err := f.register(e)
		if err != nil {
			return nil, err
		}
		return reg.value, nil
	case *relax.Constant:
		return interp.FromBlob(e.Data)
	case *relax.ShapeExpr:
		return f.dims(e.Values)
	case *relax.PrimValue:
		if x, ok := e.Value.(*tir.FloatImm); ok {
			return x.Value, nil
		}
		return f.int(e.Value)
	case *relax.StringImm:
		return e.Value, nil
	case *relax.DataTypeImm:
		return e.Value, nil
	case *relax.ExternFunc, *ir.GlobalVar:
		return e, nil
	case *relax.Function:
		return &Closure{local: e, frame: f}, nil
	case *relax.Tuple:
		return f.list(e.Fields)
	case *relax.TupleGetItem:
		v, err := f.eval(e.Tuple)
		if err != nil {
			return nil, err
		}
		t, ok := v.(Tuple)
		if !ok || e.Index >= len(t) {
			return nil, fmt.Errorf("field %d of %T", e.Index, v)
		}
		return t[e.Index], nil
	case *relax.Call:
		return f.callExpr(e)
	}
	return nil, unsupported("an expression of type %T cannot be run", e)
}

func (f *frame) list(es []relax.Expr) (Tuple, error) {
	out := make(Tuple, len(es))
	for i, e := range es {
		v, err := f.eval(e)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// match binds the symbolic variables of info that stand alone and are not known yet, and
// compares the others with value.
func (f *frame) match(info relax.StructInfo, value Value) error {
	var dims []tir.Expr
	var have []int64
	switch s := info.(type) {
	case *relax.TensorStructInfo:
		t, ok := value.(*tensor.Tensor)
		if !ok {
			return fmt.Errorf("%T is not a tensor", value)
		}
		if s.NDim >= 0 && s.NDim != len(t.Shape) || !s.DType.IsVoid() && s.DType != t.DType {
			return fmt.Errorf("a %s tensor of shape %v does not match %s", t.DType, t.Shape, relax.FormatSInfo(s))
		}
		dims, _ = s.Dims()
		have = t.Shape
	case *relax.ShapeStructInfo:
		dims, have = s.Values, value.(Shape)
	case *relax.TupleStructInfo:
		t, ok := value.(Tuple)
		if !ok || len(t) != len(s.Fields) {
			return errors.New("not the tuple that was declared")
		}
		for i, x := range s.Fields {
			if err := f.match(x, t[i]); err != nil {
				return err
			}
		}
	}
	for i, d := range dims {
		if v, ok := d.(*tir.Var); ok {
			if _, known := f.syms[v]; !known {
				f.syms[v] = have[i]
			}
		}
	}
	for i, d := range dims {
		if n, err := f.int(d); err == nil && n != have[i] {
			return fmt.Errorf("extent %d is %d, not %d", i, have[i], n)
		}
	}
	return nil
}

func (f *frame) dims(es []tir.Expr) (Shape, error) {
	out := make(Shape, len(es))
	for i, e := range es {
		n, err := f.int(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// int evaluates a scalar integer expression.
func (f *frame) int(e tir.Expr) (int64, error) {
	sub := map[*tir.Var]tir.Expr{}
	for v, n := range f.syms {
		sub[v] = tir.Const(v.DType(), n)
	}
	e = tir.RewriteExpr(tir.SubstExpr(e, sub), func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Binary:
			return tir.BinaryExpr(e.Op, e.A, e.B)
		case *tir.Select:
			if c, ok := tir.AsInt(e.Cond); ok && c != 0 {
				return e.True
			} else if ok {
				return e.False
			}
		case *tir.Cast:
			return tir.CastTo(e.DType(), e.Value)
		}
		return e
	})
	if n, ok := tir.AsInt(e); ok {
		return n, nil
	}
	return 0, fmt.Errorf("the scalar %s has no value", relax.FormatPrim(e))
}

func (f *frame) alloc(dt dtype.DType, shape Shape) (*tensor.Tensor, error) {
	n, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if err := f.take(n); err != nil {
		return nil, err
	}
	t, err := tensor.New(dt, shape)
	if err == nil {
		for i := range t.Data {
			t.Data[i] = 0xff // what is read before it is written is not a number
		}
	}
	return t, err
}

// take counts n bytes of memory.
func (r *runner) take(n int64) error {
	if r.bytes += n; r.opts.MaxBytes > 0 && r.bytes > r.opts.MaxBytes {
		return fmt.Errorf("%w: the graph allocates more than %d bytes", interp.ErrMemory, r.opts.MaxBytes)
	}
	return nil
}
