package transform

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// uses says as what a value is used: nowhere yet, as float16 only, or also as it is. For a tuple, fields say it each for its field.
type uses struct {
	level  uint8 // unused, halfOnly, asIs
	fields []uses
}

const (
	unused uint8 = iota
	halfOnly
	asIs
)

// usedAs returns the same use of all tensors of struct info s.
func usedAs(level uint8, s relax.StructInfo) uses {
	u := uses{level: level}
	if t, ok := s.(*relax.TupleStructInfo); ok {
		for _, f := range t.Fields {
			u.fields = append(u.fields, usedAs(level, f))
		}
	}
	return u
}

// join is the use of a value that is used in both ways.
func (u uses) join(v uses) uses {
	if u.fields == nil && v.fields == nil || len(u.fields) != len(v.fields) {
		out := uses{level: max(u.level, v.level), fields: u.fields}
		if out.fields == nil {
			out.fields = v.fields
		}
		return out
	}
	out := uses{level: max(u.level, v.level), fields: make([]uses, len(u.fields))}
	for i := range u.fields {
		out.fields[i] = u.fields[i].join(v.fields[i])
	}
	return out
}

// target returns the struct info s with the tensors that are used as float16 only in that type, and the others without one.
func (u uses) target(s relax.StructInfo) relax.StructInfo {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if u.level == halfOnly {
			return s.WithDType(dtype.Float16T)
		}
		return s.WithDType(dtype.Void)
	case *relax.TupleStructInfo:
		fields := make([]relax.StructInfo, len(s.Fields))
		for i, f := range s.Fields {
			field := uses{}
			if i < len(u.fields) {
				field = u.fields[i]
			}
			fields[i] = field.target(f)
		}
		return &relax.TupleStructInfo{Fields: fields}
	}
	return s
}

// halfUses finds how the variables of a function are used, backward through its dataflow blocks: what goes into tuples and comes out of them is
// used as these are. Only uses within the blocks count, and the result of the function.
func halfUses(f *relax.Function) map[*relax.Var]uses {
	w := &useWalker{uses: map[*relax.Var]uses{}}
	w.seq(f.Body)
	return w.uses
}

type useWalker struct {
	uses map[*relax.Var]uses
	ctx  relax.InferContext
}

func (w *useWalker) seq(s *relax.SeqExpr) {
	w.whole(s.Body)
	for _, b := range slices.Backward(s.Blocks) {
		if !b.Dataflow { // what it uses is not what stands for variables within a block
			continue
		}
		for _, x := range slices.Backward(b.Bindings) {
			w.binding(x)
		}
	}
}

func (w *useWalker) binding(b relax.Binding) {
	_, cast := b.(*relax.MatchCast)
	switch value := b.BoundValue().(type) {
	case *relax.Call:
		level := asIs
		if o := op.Of(value); o != nil && o.Precision == op.HalfPrecision {
			level = halfOnly
		}
		for _, a := range value.Args {
			w.use(a, usedAs(level, w.ctx.SInfoOf(a)))
		}
		return
	case *relax.Tuple:
		if !cast {
			w.use(value, w.of(b.Bound()))
			return
		}
	case *relax.TupleGetItem:
		if t, ok := w.ctx.SInfoOf(value.Tuple).(*relax.TupleStructInfo); ok && !cast {
			u := usedAs(unused, t)
			u.fields[value.Index] = w.of(b.Bound())
			w.use(value.Tuple, u)
			return
		}
	}
	w.whole(b.BoundValue())
}

// of returns how v is used as far as is known.
func (w *useWalker) of(v *relax.Var) uses {
	if u, ok := w.uses[v]; ok {
		return u
	}
	return usedAs(unused, v.SInfo)
}

// whole notes that all variables of an expression are used as they are.
func (w *useWalker) whole(e relax.Expr) {
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok {
			w.uses[v] = w.of(v).join(usedAs(asIs, v.SInfo))
		}
		return true
	})
}

// use notes a use of an operand.
func (w *useWalker) use(e relax.Expr, u uses) {
	switch e := e.(type) {
	case *relax.Var:
		w.uses[e] = w.of(e).join(u)
	case *relax.Tuple:
		for i, f := range e.Fields {
			field := uses{}
			if i < len(u.fields) {
				field = u.fields[i]
			}
			w.use(f, field)
		}
	}
}

// maxHalf is the largest number of float16.
const maxHalf = 65504

// fitsHalf reports whether all elements of a constant are in the range of float16.
func fitsHalf(b *ir.Blob) bool {
	switch b.DType() {
	case dtype.Float16T:
		return true
	case dtype.Float32T, dtype.Float64T, dtype.Int8T, dtype.Int16T, dtype.Int32T, dtype.Int64T:
	default:
		return false
	}
	data := b.Stored()
	n := len(data) / int(b.DType().Bytes())
	t := &tensor.Tensor{DType: b.DType(), Shape: []int64{int64(n)}, Data: data}
	for i := range n {
		if math.Abs(t.Float(i)) > maxHalf {
			return false
		}
	}
	return true
}
