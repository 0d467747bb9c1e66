package te

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Out describes a result of Extern.
type Out struct {
	DType dtype.DType
	Shape []tir.Expr
}

// external is a computation written as statements.
type external struct {
	inputs  []*Tensor
	offsets bool // inputs of the function that it reads may start anywhere in their memory
	body    func(in, out []*tir.Buffer) tir.Stmt
	// nested, if not nil, stands in for body: it writes blocks, which schedules see.
	nested func(b *builder, in, out []*tir.Buffer) (tir.Stmt, error)
	// block, if not nil, makes the loops and the block itself.
	block func(b *builder, in, out []*tir.Buffer) tir.Stmt
}

// Extern returns tensors that the statements of body compute from the inputs, for what is
// no computation of one element from others: scatters, scans, sorts. body receives the
// buffers of inputs and results; it is called once for each function made of the tensors
// and must make new variables each time. Its block is opaque to schedules.
func Extern(name string, outs []Out, inputs []*Tensor, body func(in, out []*tir.Buffer) tir.Stmt, opts ...Option) []*Tensor {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	op := &operation{name: name, extern: &external{inputs: inputs, body: body, offsets: o.offsets}}
	for k, o := range outs {
		t := &Tensor{Name: name, DType: o.DType, Shape: o.Shape, op: op, value: k}
		op.outputs = append(op.outputs, t)
	}
	return op.outputs
}

// Offsets says that the inputs of the function which an external computation reads are buffers
// with an offset, as TVM declares them.
func Offsets() Option { return func(o *options) { o.offsets = true } }

// emitExtern returns the block of an external computation.
func (b *builder) emitExtern(op *operation) (tir.Stmt, error) {
	list := func(ts []*Tensor) (out []*tir.Buffer, whole []*tir.BufferRegion) {
		seen := map[*Tensor]bool{}
		for _, t := range ts {
			out = append(out, b.buffers[t])
			if !seen[t] {
				seen[t] = true
				whole = append(whole, tir.FullRegion(b.buffers[t]))
			}
		}
		return out, whole
	}
	in, reads := list(op.extern.inputs)
	out, writes := list(op.outputs)
	if op.extern.block != nil {
		return op.extern.block(b, in, out), nil
	}
	blk := &tir.Block{Base: b.base, Name: b.labels.Fresh(op.name, "_"), Reads: reads, Writes: writes}
	if op.extern.nested == nil {
		blk.Body = b.from(op.extern.body(in, out))
	} else {
		var err error
		if blk.Body, err = op.extern.nested(b, in, out); err != nil {
			return nil, err
		}
	}
	return &tir.BlockRealize{Base: b.base, Predicate: tir.Bool(true), Block: blk}, nil
}

// from gives the statements of an external computation, which have no origins, that of the function.
func (b *builder) from(s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt { return ir.WithOrigin(s, b.base.Origin) }, nil)
}
