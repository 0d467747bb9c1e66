package transform_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// builder builds the modules of cases; what cannot be built panics.
type builder struct {
	*relax.BlockBuilder
}

func newBuilder() *builder { return &builder{BlockBuilder: op.NewBlockBuilder(nil)} }

func (b *builder) module() *ir.Module { return b.Module() }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fn builds the function called name, whose result is what body returns. With dataflow, the
// body is one dataflow block with the result as its output.
func (b *builder) fn(name string, params []*relax.Var, dataflow bool, body func() relax.Expr) {
	b.BeginFunction(name, params, relax.FuncOpts{})
	if dataflow {
		b.BeginDataflow()
	}
	out := body()
	if dataflow {
		b.EndDataflow()
	}
	must(b.EndFunction(out))
}

// main builds main with a dataflow block.
func (b *builder) main(params []*relax.Var, body func() relax.Expr) {
	b.fn("main", params, true, func() relax.Expr { return b.out(body(), "out") })
}

// e emits an expression; out one that is visible outside its dataflow block.
func (b *builder) e(x relax.Expr, hint string) *relax.Var { return must(b.Emit(x, hint)) }

func (b *builder) out(x relax.Expr, hint string) *relax.Var { return must(b.EmitOutput(x, hint)) }

func (b *builder) cast(x relax.Expr, info relax.StructInfo, hint string) *relax.Var {
	return must(b.EmitMatchCast(x, info, hint))
}

func (b *builder) cond(c relax.Expr, hint string, then, otherwise func() relax.Expr) *relax.Var {
	wrap := func(f func() relax.Expr) func() (relax.Expr, error) {
		return func() (relax.Expr, error) { return f(), nil }
	}
	return must(b.EmitIf(c, wrap(then), wrap(otherwise), hint))
}

func vars(list ...*relax.Var) []*relax.Var { return list }

// f32in is a float32 parameter; dims are ints and symbolic extents.
func f32in(name string, dims ...any) *relax.Var {
	return &relax.Var{Name: name, SInfo: f32info(dims...)}
}

func f32info(dims ...any) *relax.TensorStructInfo {
	return relax.TensorOf(dtype.Float32T, extents(dims...)...)
}

func extents(dims ...any) []tir.Expr {
	out := make([]tir.Expr, len(dims))
	for i, d := range dims {
		switch d := d.(type) {
		case int:
			out[i] = tir.Int(int64(d))
		case tir.Expr:
			out[i] = d
		}
	}
	return out
}

func symbol(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }

// weight is a constant with seeded random elements.
func weight(seed uint64, shape ...int64) *relax.Constant {
	t := tensor.MustNew(dtype.Float32T, shape...)
	t.FillUniform(seed, -1, 1)
	return &relax.Constant{Data: must(ir.NewBlob(t.DType, shape, t.Data))}
}

func splat(v float32, shape ...int64) *relax.Constant {
	one := ir.Float32Blob(nil, v)
	return &relax.Constant{Data: must(ir.NewSplat(dtype.Float32T, shape, one.Elem(0)))}
}

func scalar(v float64) relax.Expr { return must(op.Scalar(dtype.Float32T, v)) }

func boolIn(name string) *relax.Var {
	return &relax.Var{Name: name, SInfo: relax.StaticTensor(dtype.BoolT)}
}
