package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// versions returns how many versions of b the pipeline needs.
func (w *pipelineWriter) versions(b *tir.Buffer) int64 {
	def, use := int64(-1), int64(-1)
	regionOf := func(list []*tir.BufferRegion) *tir.BufferRegion {
		i := slices.IndexFunc(list, func(r *tir.BufferRegion) bool { return r.Buffer == b })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	for _, x := range w.parts {
		if regionOf(x.block.Writes) != nil && (def < 0 || x.stage < def) {
			def = x.stage
		}
		if regionOf(x.block.Reads) != nil {
			use = max(use, x.stage)
		}
	}
	if def < 0 {
		return 1
	}
	n := use - def + 1
	if n == 2 {
		// Two are needed only if a writer may overwrite, in the same step, what a reader of an
		// iteration before has still to read.
		n = 1
		for _, x := range w.parts {
			for _, y := range w.parts {
				writes, reads := regionOf(x.block.Writes), regionOf(y.block.Reads)
				if writes != nil && reads != nil && (x.order < y.order || x.merged(y)) && x.stage < y.stage && !disjoint(w.an, writes, reads) {
					n = 2
				}
			}
		}
	}
	if n <= 1 && w.p.double[b] {
		n = 2
	}
	return max(n, 1)
}

// versioned returns b with a dimension of n versions in front.
func versioned(b *tir.Buffer, n int64) *tir.Buffer {
	like := tir.Expr(tir.Int32(0))
	if len(b.Shape) > 0 {
		like = b.Shape[0]
	}
	out := *b
	out.Shape = append([]tir.Expr{tir.Const(like.DType(), n)}, b.Shape...)
	if len(b.Strides) > 0 {
		out.Strides = append([]tir.Expr{tir.Mul(b.Strides[0], b.Shape[0])}, b.Strides...)
	}
	if len(b.AxisSeparators) > 0 {
		out.AxisSeparators = make([]int, len(b.AxisSeparators))
		for i, s := range b.AxisSeparators {
			out.AxisSeparators[i] = s + 1
		}
	}
	return &out
}

// version returns the version of the buffer b, which has several, that an iteration uses.
func (w *pipelineWriter) version(b *tir.Buffer) tir.Expr {
	return tir.FloorMod(tir.Sub(w.loop.LoopVar, w.loop.Min), b.Shape[0])
}

// versionedBody returns block with its accesses going to versions of buffers.
func (w *pipelineWriter) versionedBody(block *tir.Block) *tir.Block {
	if len(w.remap) == 0 {
		return block
	}
	byVar := map[*tir.Var]*tir.Buffer{}
	for b := range w.remap {
		byVar[b.Data] = b
	}
	regions := func(list []*tir.BufferRegion) []*tir.BufferRegion {
		return ir.MapSame(list, func(r *tir.BufferRegion) *tir.BufferRegion {
			b := w.remap[r.Buffer]
			if b == nil {
				return r
			}
			at := &tir.Range{Min: w.num(0), Extent: b.Shape[0]}
			if w.last == 1 {
				at = &tir.Range{Min: w.version(b), Extent: w.num(1)}
			}
			return &tir.BufferRegion{Base: r.Base, Buffer: b, Region: append([]*tir.Range{at}, r.Region...)}
		})
	}
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			if b := byVar[e]; b != nil {
				w.fail(fmt.Errorf("the address of %s is used in a way that does not say what of it is accessed, and the pipeline needs versions of %s", b.Name, b.Name))
			}
			return e
		case *tir.Call:
			return w.versionedCall(m, byVar, e)
		}
		out := m.MapExpr(e)
		if l, ok := out.(*tir.BufferLoad); ok {
			if b := w.remap[l.Buffer]; b != nil {
				return l.WithBuffer(b).WithIndices(append([]tir.Expr{w.version(b)}, l.Indices...))
			}
		}
		return out
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		out := m.MapStmt(s)
		switch s := out.(type) {
		case *tir.Block:
			for _, x := range s.MatchBuffers {
				if w.remap[x.Source.Buffer] != nil {
					w.fail(fmt.Errorf("block %q matches a part of %s: %s", s.Name, x.Source.Buffer.Name, wantOpaqueInPipes))
				}
			}
			return s.WithReads(regions(s.Reads)).WithWrites(regions(s.Writes))
		case *tir.BufferStore:
			if b := w.remap[s.Buffer]; b != nil {
				return s.WithBuffer(b).WithIndices(append([]tir.Expr{w.version(b)}, s.Indices...))
			}
		case *tir.DeclBuffer:
			if b := byVar[s.Buffer.Data]; b != nil {
				w.fail(fmt.Errorf("buffer %s is declared over the memory of %s, of which the pipeline needs versions", s.Buffer.Name, b.Name))
			}
		}
		return out
	}
	return m.Stmt(block).(*tir.Block)
}

// pointerArgs are the arguments of intrinsics that are addresses of buffers. The argument behind each is an
// index or an offset into the buffer.
var pointerArgs = map[string][]int{
	"tir.tvm_access_ptr": {1}, "tir.ptx_mma": {6, 8, 10}, "tir.ptx_ldmatrix": {3},
	"tir.tvm_load_matrix_sync": {0}, "tir.tvm_store_matrix_sync": {0}, "tir.tvm_mma_sync": {0, 2, 4, 6},
}

// versionedCall returns a call of an intrinsic that takes addresses with the offsets of versions added.
func (w *pipelineWriter) versionedCall(m *tir.Mapper, byVar map[*tir.Var]*tir.Buffer, e *tir.Call) tir.Expr {
	op, ok := e.Op.(*ir.Op)
	if !ok || pointerArgs[op.Name] == nil {
		return m.MapExpr(e)
	}
	args := slices.Clone(e.Args)
	changed := false
	skip := map[int]bool{}
	for _, i := range pointerArgs[op.Name] {
		v, ok := e.Args[min(i, len(e.Args)-1)].(*tir.Var)
		old := byVar[v]
		index := i + 1
		if op.Name == "tir.tvm_load_matrix_sync" || op.Name == "tir.tvm_store_matrix_sync" {
			index = 4
		}
		if !ok || old == nil || index >= len(e.Args) {
			continue
		}
		b := w.remap[old]
		offset, err := w.versionSize(op.Name, old, b)
		if err != nil {
			w.fail(err)
			continue
		}
		args[index] = tir.Add(m.Expr(e.Args[index]), tir.Mul(w.version(b), offset))
		skip[i], skip[index], changed = true, true, true
	}
	for i, a := range e.Args {
		if !skip[i] {
			args[i] = m.Expr(a)
			changed = changed || args[i] != a
		}
	}
	if !changed {
		return e
	}
	return e.WithArgs(args)
}

// versionSize returns how far the versions of old, which b has, lie apart for an intrinsic: in elements, but
// in fragments for those of tensor cores.
func (w *pipelineWriter) versionSize(op string, old, b *tir.Buffer) (tir.Expr, error) {
	size := tir.Expr(tir.Int32(1))
	for _, n := range old.Shape {
		size = tir.Mul(size, n)
	}
	if len(b.Strides) > 0 {
		size = b.Strides[0]
	}
	switch op {
	case "tir.tvm_load_matrix_sync", "tir.tvm_store_matrix_sync", "tir.tvm_mma_sync":
		n, ok := w.p.fragmentSize(w.loop, old)
		if !ok {
			return nil, fmt.Errorf("nothing in the loop says of what shape the fragments of %s are", old.Name)
		}
		return tir.FloorDiv(size, tir.Int32(n)), nil
	}
	if scope := old.Scope(); scope == "m16n8k8.matrixA" || scope == "m16n8k8.matrixB" {
		if n, ok := tir.AsInt(size); !ok || n%32 != 0 {
			return nil, fmt.Errorf("the size of %s in scope %s should be a multiple of the 32 threads of a warp", old.Name, scope)
		}
		return tir.FloorDiv(size, tir.Int32(32)), nil
	}
	return size, nil
}

// fragment is the shape m, n, k of the products that a buffer of tensor cores takes part in.
type fragment [3]int64

// fragmentSize returns the number of elements of a fragment of b, by the intrinsics in body.
func (p *pipeliner) fragmentSize(body tir.Stmt, b *tir.Buffer) (int64, bool) {
	if p.fragments == nil {
		p.fragments = map[*tir.Var]fragment{}
		ir.Walk(body, func(n ir.Node) bool {
			c, ok := n.(*tir.Call)
			if !ok {
				return true
			}
			op, _ := c.Op.(*ir.Op)
			if op == nil || len(c.Args) < 5 || op.Name != "tir.tvm_load_matrix_sync" && op.Name != "tir.tvm_store_matrix_sync" && op.Name != "tir.tvm_fill_fragment" {
				return true
			}
			v, isVar := c.Args[0].(*tir.Var)
			var f fragment
			for i := range f {
				n, known := tir.AsInt(c.Args[i+1])
				isVar = isVar && known && n > 0
				f[i] = n
			}
			if isVar {
				p.fragments[v] = f
			}
			return true
		})
	}
	f, ok := p.fragments[b.Data]
	switch b.Scope() {
	case "wmma.matrix_a":
		return f[0] * f[2], ok
	case "wmma.matrix_b":
		return f[1] * f[2], ok
	case "wmma.accumulator":
		return f[0] * f[1], ok
	}
	return 0, false
}
