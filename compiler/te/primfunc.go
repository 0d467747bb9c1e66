package te

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// FuncOpts refines CreatePrimFunc.
type FuncOpts struct {
	// Tuned says that the outputs are computed as tune says, and that what follows from the
	// extents of the axes simplifies their indices. Without it the function is the one that
	// TVM makes.
	Tuned bool
	// Scalars become parameters behind the tensors.
	Scalars []*tir.Var
	// Origin is given to the function, its blocks and its loops.
	Origin ir.OriginID
	// Budget bounds the work, see package budget; nil is no bound.
	Budget *budget.Budget
}

// CreatePrimFunc returns the function with a parameter for each of args, inputs and outputs,
// that computes the outputs: one nest of serial loops with a block for each computation, in
// an order in which producers come first. What is computed on the way is allocated in the
// root block. It follows TVM's create_prim_func.
func CreatePrimFunc(args []*Tensor, opts FuncOpts) (*tir.PrimFunc, error) {
	if opts.Tuned {
		args = tunedArgs(args)
	}
	b := &builder{tuned: opts.Tuned, offsets: map[*Tensor]bool{}, budget: opts.Budget, base: ir.Base{Origin: opts.Origin}, buffers: map[*Tensor]*tir.Buffer{}, done: map[*operation]bool{}}
	b.findOffsets(args)
	fn := &tir.PrimFunc{Base: b.base, RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", true)}
	for _, t := range args {
		if t.scalar != nil {
			fn.Params, fn.Buffers = append(fn.Params, t.scalar), append(fn.Buffers, nil)
			continue
		}
		if b.buffers[t] != nil {
			return nil, fmt.Errorf("tensor %s is given as an argument twice: copy it first", t.Name)
		}
		buf := b.buffer(t)
		fn.Params = append(fn.Params, &tir.Var{Base: b.base, Name: "var_" + buf.Name, Type: &ir.PrimType{DType: dtype.HandleT}})
		fn.Buffers = append(fn.Buffers, buf)
	}
	for _, v := range opts.Scalars {
		fn.Params = append(fn.Params, v)
		fn.Buffers = append(fn.Buffers, nil)
	}
	for _, t := range args {
		if t.op != nil {
			if err := b.visit(t.op); err != nil {
				return nil, err
			}
		}
	}
	if len(b.stmts) == 0 {
		return nil, fmt.Errorf("none of the tensors is computed: add a result to the arguments")
	}
	if root := b.onlyBlock(); root != nil {
		fn.Body = root
		return fn, nil
	}
	fn.Body = &tir.BlockRealize{Base: b.base, Predicate: tir.Bool(true), Block: &tir.Block{
		Base: b.base, Name: "root", AllocBuffers: b.allocs, Body: tir.Seq(b.stmts...),
	}}
	return fn, nil
}

// tunedArgs are args with the outputs tuned.
func tunedArgs(args []*Tensor) []*Tensor {
	var outs []*Tensor
	for _, t := range args {
		if t.op != nil {
			outs = append(outs, t)
		}
	}
	outs = tune(outs)
	list := slices.Clone(args)
	for i, t := range args {
		if t.op != nil {
			list[i], outs = outs[0], outs[1:]
		}
	}
	return list
}

type builder struct {
	tuned   bool
	offsets map[*Tensor]bool
	budget  *budget.Budget
	base    ir.Base
	buffers map[*Tensor]*tir.Buffer
	named   ir.Names // of buffers
	labels  ir.Names // of blocks
	done    map[*operation]bool
	allocs  []*tir.Buffer
	stmts   []tir.Stmt
	sub     map[*tir.Var]tir.Expr // what stands for variables that are no axes
}

// onlyBlock returns the block of the only computation where that is external: TVM makes it the root.
func (b *builder) onlyBlock() tir.Stmt {
	if b.tuned || len(b.stmts) != 1 || len(b.allocs) > 0 {
		return nil
	}
	r, ok := b.stmts[0].(*tir.BlockRealize)
	if !ok || len(r.Values) > 0 {
		return nil
	}
	r.Block.Reads, r.Block.Writes = nil, nil
	return r
}

// findOffsets finds the inputs that external computations read through buffers with an offset.
func (b *builder) findOffsets(args []*Tensor) {
	seen := map[*operation]bool{}
	var visit func(t *Tensor)
	visit = func(t *Tensor) {
		if t.op == nil || seen[t.op] {
			return
		}
		seen[t.op] = true
		for _, in := range t.op.inputs() {
			if in.op == nil && t.op.extern != nil && t.op.extern.offsets {
				b.offsets[in] = true
			}
			visit(in)
		}
	}
	for _, t := range args {
		visit(t)
	}
}

func (b *builder) buffer(t *Tensor) *tir.Buffer {
	buf := tir.NewBuffer(b.named.Fresh(t.Name, "_"), t.DType, t.Shape, "")
	buf.Base = b.base
	if b.offsets[t] {
		d := dtype.Int64T
		if len(t.Shape) > 0 {
			d = t.Shape[0].DType()
		}
		buf.ElemOffset, buf.OffsetFactor = tir.NewVar(buf.Name+"_elem_offset", d), 1
	}
	b.buffers[t] = buf
	return buf
}

// visit emits the producers of op and then op.
func (b *builder) visit(op *operation) error {
	if b.done[op] {
		return nil
	}
	b.done[op] = true
	for _, t := range op.inputs() {
		if t.op == nil && b.buffers[t] == nil {
			return fmt.Errorf("%s reads placeholder %s, which is not among the arguments", op.name, t.Name)
		}
		if t.op != nil {
			if err := b.visit(t.op); err != nil {
				return err
			}
		}
	}
	for _, t := range op.outputs {
		if b.buffers[t] == nil {
			b.allocs = append(b.allocs, b.buffer(t))
		}
	}
	s, err := b.emit(op)
	if err != nil {
		return err
	}
	b.stmts = append(b.stmts, s)
	return nil
}

// indexes reports whether op reads an element of a tensor that has dimensions.
func (op *operation) indexes() bool {
	for _, t := range op.inputs() {
		if t.NDim() > 0 {
			return true
		}
	}
	return false
}

// layoutFree lists the buffers on the way whose layout a schedule of op may choose.
func (b *builder) layoutFree(op *operation) []ir.Value {
	var list []ir.Value
	for _, t := range op.layoutFree {
		if buf := b.buffers[t]; buf != nil && t.op != nil {
			list = append(list, buf)
		}
	}
	return list
}

// inputs returns the tensors that op reads, each once, in order of first use.
func (op *operation) inputs() []*Tensor {
	var out []*Tensor
	if op.extern != nil {
		return op.extern.inputs
	}
	seen := ir.NewSeen()
	defer seen.Done()
	for _, e := range op.body {
		ir.Walk(e, func(n ir.Node) bool {
			switch n.(type) {
			case *tir.IntImm, *tir.FloatImm, *tir.Var:
				return false
			}
			if !seen.First(n) {
				return false
			}
			if l, ok := n.(*tir.ProducerLoad); ok {
				if t, ok := l.Producer.(*Tensor); ok && seen.First(t) {
					out = append(out, t)
				}
			}
			return true
		})
	}
	return out
}

// emit returns the loops and the block of op.
func (b *builder) emit(op *operation) (tir.Stmt, error) {
	if op.extern != nil {
		return b.emitExtern(op)
	}
	axes := op.axes
	if r := op.reduce(); r != nil {
		axes = append(append([]*tir.IterVar{}, axes...), r.Axis...)
	}
	n := b.nest(op)
	for _, a := range axes {
		n.axis(a)
	}
	blk := n.block()
	if len(axes) == 0 { // a block needs an iteration variable to be one of the schedule's
		d := dtype.Int64T
		if !b.tuned && !op.indexes() {
			d = dtype.Int32T // TVM widens what it meets in indices
		}
		blk.IterVars = []*tir.IterVar{{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: tir.Const(d, 1)}, Var: tir.NewVar("vi", d)}}
		n.values = []tir.Expr{tir.Const(d, 0)}
	}
	if err := n.fill(blk); err != nil {
		return nil, err
	}
	if free := b.layoutFree(op); len(free) > 0 {
		blk.Annotations = blk.Annotations.With("layout_free_placeholders", free)
	}
	return n.around(blk), nil
}
