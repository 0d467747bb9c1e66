package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// TransformMmaBufferLayout gives the fragments of mma.m16n8k8 the layout that they have in the registers of a thread.
//
// The fragments of a warp are spread over its 32 threads, 8 of them along rows and 4 along columns. So of a tile that is loaded or multiplied at once, 32 by 8
// elements of A, 8 by 32 of B and 16 by 8 of C, each thread holds 8, 8 and 4. A and B are accessed by ldmatrix and mma only, which compute their own offsets
// into the registers; element (i, j) of C is accessed by loads and stores too, which have to be of the thread that holds it: number 4*(i%8) + j%8//2.
var TransformMmaBufferLayout = &pass.Pass{
	Name: "tir.TransformMmaBufferLayout", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces buffers of the scopes m16n8k8.matrixA, m16n8k8.matrixB and m16n8k8.matrixC, fragments of matrices that a warp holds, by the registers that each thread has of them, and rewrites accesses to matrixC.",
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &mmaLayout{Mutator: newMutator(c, c.Budget()), ctx: c, fn: gv.Name, buffers: map[*tir.Buffer]*tir.Buffer{}, data: map[*tir.Var]*tir.Var{}}
		l.Stmt, l.Expr = l.stmt, l.expr
		l.Mutator.Buffer = l.buffer
		body := l.stmt(f.Body)
		if l.err != nil {
			return nil, l.err
		}
		return f.WithBody(body), nil
	}),
}

// mmaTiles has the tile of each fragment that is loaded or multiplied at once, and what of it a thread holds.
var mmaTiles = map[string]struct{ rows, cols, held0, held1 int64 }{
	"m16n8k8.matrixA": {32, 8, 4, 2},
	"m16n8k8.matrixB": {8, 32, 1, 8},
	"m16n8k8.matrixC": {16, 8, 2, 2},
}

type mmaLayout struct {
	*arith.Mutator
	ctx     *pass.Context
	fn      string
	lane    *tir.Var // threadIdx.x
	buffers map[*tir.Buffer]*tir.Buffer
	data    map[*tir.Var]*tir.Var
	err     error
}

func (l *mmaLayout) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *mmaLayout) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		if s.Thread != nil && s.Thread.ThreadTag == "threadIdx.x" {
			defer l.enter(s.LoopVar)()
		}
	case *tir.AttrStmt:
		if iv := s.BoundThread(); iv != nil && iv.ThreadTag == "threadIdx.x" {
			defer l.enter(iv.Var)()
		}
	case *tir.Block:
		for _, b := range s.AllocBuffers {
			l.define(b)
		}
		for _, m := range s.MatchBuffers {
			if l.buffers[m.Source.Buffer] != nil {
				l.fail(fmt.Errorf("block %s makes a view of the fragment %s: run tir.LowerMatchBuffer first", s.Name, m.Source.Buffer.Name))
			}
		}
		return l.VisitStmt(s.WithReads(l.regions(s.Reads)).WithWrites(l.regions(s.Writes)))
	case *tir.BufferStore:
		now := l.buffers[s.Buffer]
		if now == nil {
			break
		}
		out := s.WithBuffer(now).WithIndices(l.indices(s, s.Buffer, s.Indices)).WithValue(l.expr(s.Value))
		l.ctx.Rewrite("store to a register", s, out)
		return out
	}
	return l.VisitStmt(s)
}

// enter makes v the variable of the threads of a warp until exit is called.
func (l *mmaLayout) enter(v *tir.Var) (exit func()) {
	outer := l.lane
	l.lane = v
	return func() { l.lane = outer }
}

func (l *mmaLayout) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if v := l.data[e]; v != nil {
			return v
		}
		return e
	case *tir.BufferLoad:
		if now := l.buffers[e.Buffer]; now != nil {
			out := e.WithBuffer(now).WithIndices(l.indices(e, e.Buffer, e.Indices))
			l.ctx.Rewrite("load a register", e, out)
			return out
		}
	}
	return l.VisitExpr(e)
}

func (l *mmaLayout) buffer(b *tir.Buffer) *tir.Buffer {
	if now := l.buffers[b]; now != nil {
		return now
	}
	if v := l.data[b.Data]; v != nil { // another view of a fragment
		l.fail(fmt.Errorf("buffer %s is a view of a fragment: expected accesses to the fragment itself", b.Name))
	}
	return b
}

// define gives a fragment its registers.
func (l *mmaLayout) define(b *tir.Buffer) {
	t, ok := mmaTiles[b.Scope()]
	if !ok || l.buffers[b] != nil {
		return
	}
	n := len(b.Shape) - 2
	if n < 0 {
		l.fail(fmt.Errorf("fragment %s has %d dimensions: expected at least 2", b.Name, len(b.Shape)))
		return
	}
	rows, ok0 := tir.AsInt(b.Shape[n])
	cols, ok1 := tir.AsInt(b.Shape[n+1])
	if !ok0 || !ok1 || rows%t.rows != 0 || cols%t.cols != 0 {
		l.fail(fmt.Errorf("fragment %s of scope %s ends in %s by %s elements: expected multiples of %d and %d", b.Name, b.Scope(), text(b.Shape[n]), text(b.Shape[n+1]), t.rows, t.cols))
		return
	}
	d := b.Shape[n].DType()
	shape := append([]tir.Expr(nil), b.Shape[:n]...)
	for _, k := range []int64{rows / t.rows, cols / t.cols, t.held0, t.held1} {
		shape = append(shape, tir.Const(d, k))
	}
	now := tir.NewBuffer(b.Name, b.DType, shape, "local")
	now.AxisSeparators = b.AxisSeparators
	l.buffers[b], l.data[b.Data] = now, now.Data
	l.ctx.Rewrite("hold a fragment in registers", b, now)
}

// regions says of registers that any may be touched: which ones differs from thread to thread.
func (l *mmaLayout) regions(list []*tir.BufferRegion) []*tir.BufferRegion {
	return ir.MapSame(list, func(r *tir.BufferRegion) *tir.BufferRegion {
		if now := l.buffers[r.Buffer]; now != nil {
			return tir.FullRegion(now)
		}
		return r
	})
}

// indices returns the place of an element of matrixC in the registers of its thread.
func (l *mmaLayout) indices(place ir.Node, b *tir.Buffer, at []tir.Expr) []tir.Expr {
	if b.Scope() != "m16n8k8.matrixC" || len(at) < 2 {
		l.fail(errors.New("fragment " + b.Name + " is accessed element by element: operands of mma are accessed by ldmatrix and mma only"))
		return at
	}
	at = ir.MapSame(at, l.expr)
	n := len(at) - 2
	out := append([]tir.Expr(nil), at[:n]...)
	for _, e := range registerOf(at[n], at[n+1]) {
		out = append(out, l.An.Simplify(e))
	}
	if l.lane == nil || !l.An.CanProveEqual(tir.CastTo(at[n].DType(), l.lane), holderOf(at[n], firstOf(at[n+1]))) {
		l.ctx.Declined("check which thread holds an element", place, "it is not known that this thread holds element ("+text(at[n])+", "+text(at[n+1])+") of "+b.Name+": it accesses its own register in that place")
	}
	return out
}

// registerOf returns the place of element (i, j) among the registers of its thread.
func registerOf(i, j tir.Expr) []tir.Expr {
	k := func(e tir.Expr, v int64) tir.Expr { return tir.Const(e.DType(), v) }
	return []tir.Expr{
		tir.FloorDiv(i, k(i, 16)), tir.FloorDiv(j, k(j, 8)), tir.FloorMod(tir.FloorDiv(i, k(i, 8)), k(i, 2)), tir.FloorMod(j, k(j, 2)),
	}
}

// holderOf returns the number of the thread that holds element (i, j).
func holderOf(i, j tir.Expr) tir.Expr {
	k := func(e tir.Expr, v int64) tir.Expr { return tir.Const(e.DType(), v) }
	return tir.Add(tir.Mul(tir.FloorMod(i, k(i, 8)), k(i, 4)), tir.FloorDiv(tir.FloorMod(j, k(j, 8)), k(j, 2)))
}

// firstOf is the first element of an index that is a vector.
func firstOf(e tir.Expr) tir.Expr {
	if base, ok := baseOf(e); ok {
		return base
	}
	return e
}
