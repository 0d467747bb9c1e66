package tirpass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InjectRollingBuffer keeps what the iterations of a loop have in common.
//
// Where consecutive iterations compute overlapping parts of a buffer, the buffer moves out of the loop and becomes a window that rolls along one
// axis: its indices there are taken modulo the extent of the part, and an element that an earlier iteration has computed is not stored again. The
// axis is the one along which the outermost loop moves the part. That an element has the same value in each iteration is for who marks the buffer
// to know.
var InjectRollingBuffer = &pass.Pass{
	Name: "tir.InjectRollingBuffer", Kind: pass.PrimFunc,
	Doc: "Makes buffers with the attribute rolling_buffer_scope, of which consecutive iterations of a loop compute overlapping parts, windows that roll over what they hold: T.realize moves out of the loop, and only what no earlier iteration has stored is stored.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		r := &rollingInjector{c: c, realizes: map[*tir.Buffer]*tir.BufferRealize{}, attrs: map[*tir.Buffer][]*tir.AttrStmt{}, rolling: map[*tir.Buffer]*rollingBuffer{}, hoisted: map[*tir.For][]*tir.BufferRealize{}}
		r.m.Stmt, r.m.Expr = r.stmt, r.expr
		body := r.stmt(f.Body)
		if r.err != nil || len(r.rolling) == 0 {
			return f, r.err
		}
		return newSSA(c, c.Budget()).function(f.WithBody(body)), nil
	}),
}

const keyRollingBuffer = "rolling_buffer_scope"

// rollingBuffer is how a buffer rolls.
type rollingBuffer struct {
	axis   int
	extent tir.Expr   // of the window
	along  []*tir.For // for each axis the loop that moves the part, nil for none
	shared []int64    // for each axis how many elements the parts of two iterations have in common
}

type rollingInjector struct {
	c        *pass.Context
	m        tir.Mapper
	loops    []*tir.For // around, outermost first
	realizes map[*tir.Buffer]*tir.BufferRealize
	attrs    map[*tir.Buffer][]*tir.AttrStmt
	rolling  map[*tir.Buffer]*rollingBuffer
	hoisted  map[*tir.For][]*tir.BufferRealize // what goes around a loop
	err      error
}

func (r *rollingInjector) fail(b *tir.Buffer, why string) {
	if r.err == nil {
		r.err = fmt.Errorf("rolling buffer injection failed: %s: buffer %s", why, b.Name)
	}
}

func (r *rollingInjector) stmt(s tir.Stmt) tir.Stmt {
	if r.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.For:
		r.loops = append(r.loops, s)
		out := r.m.MapStmt(s)
		r.loops = r.loops[:len(r.loops)-1]
		return r.around(s, out)
	case *tir.AttrStmt:
		b, ok := s.Node.(*tir.Buffer)
		if !ok {
			break
		}
		r.attrs[b] = append(r.attrs[b], s)
		if n, ok := tir.AsInt(s.Value); s.Key == keyRollingBuffer && ok && n != 0 {
			r.roll(b)
		}
		body := r.stmt(s.Body)
		if r.rolling[b] != nil {
			return body
		}
		return s.WithBody(body)
	case *tir.BufferRealize:
		r.realizes[s.Buffer] = s
		out := r.m.MapStmt(s)
		if r.rolling[s.Buffer] != nil {
			return out.(*tir.BufferRealize).Body
		}
		return out
	case *tir.BufferStore:
		out := r.m.MapStmt(s)
		if x := r.rolling[s.Buffer]; x != nil {
			return r.store(x, s, out.(*tir.BufferStore))
		}
		return out
	}
	return r.m.MapStmt(s)
}

// around puts what was moved out of a loop around what became of it.
func (r *rollingInjector) around(loop *tir.For, body tir.Stmt) tir.Stmt {
	for _, x := range r.hoisted[loop] {
		out := tir.Stmt(x.WithBody(body))
		for _, a := range r.attrs[x.Buffer] {
			if a.Key != keyRollingBuffer {
				out = a.WithBody(out)
			}
		}
		r.c.Rewrite("roll a buffer", r.realizes[x.Buffer], out)
		body = out
	}
	return body
}

// roll finds how b, which is marked, rolls.
func (r *rollingInjector) roll(b *tir.Buffer) {
	realize := r.realizes[b]
	if realize == nil {
		r.fail(b, "no BufferRealize found")
		return
	}
	x := &rollingBuffer{axis: -1, along: make([]*tir.For, len(realize.Bounds)), shared: make([]int64, len(realize.Bounds))}
	moved := make([]*tir.Var, len(realize.Bounds))
	for i, bound := range realize.Bounds {
		v, step, err := strideOf(bound.Min)
		n, known := tir.AsInt(bound.Extent)
		switch {
		case err != nil:
			r.fail(b, err.Error())
			return
		case v != nil && !known:
			r.fail(b, fmt.Sprintf("expected a constant extent along axis %d, got %v", i, bound.Extent))
			return
		case v != nil:
			moved[i], x.shared[i] = v, n-step
		}
	}
	var rolled *tir.For
	for _, loop := range r.loops {
		i := slices.Index(moved, loop.LoopVar)
		if i < 0 {
			continue
		}
		if !tir.IsConst(loop.Min, 0) || loop.Step != nil && !tir.IsConst(loop.Step, 1) || loop.Kind != tir.Serial && loop.Kind != tir.Unrolled {
			r.fail(b, fmt.Sprintf("loop %s, which moves the part that is computed, must be serial, from 0 and by 1", loop.LoopVar.Name))
			return
		}
		if rolled == nil {
			rolled, x.axis, x.extent = loop, i, realize.Bounds[i].Extent
		}
		for k, v := range moved {
			if v == loop.LoopVar {
				x.along[k] = loop
			}
		}
	}
	if rolled == nil {
		r.fail(b, "no rolling axis found")
		return
	}
	bounds := make([]*tir.Range, len(b.Shape))
	for i, e := range b.Shape {
		if i == x.axis {
			e = x.extent
		}
		bounds[i] = &tir.Range{Min: tir.Const(e.DType(), 0), Extent: e}
	}
	r.rolling[b] = x
	r.hoisted[rolled] = append(r.hoisted[rolled], realize.WithBounds(bounds))
}

// strideOf returns the variable that moves a part which begins at min, and by how much an iteration does: nil where nothing does.
func strideOf(min tir.Expr) (v *tir.Var, step int64, err error) {
	unsupported := errors.New("the buffer striding is unsupported: expected a part to begin at a constant, a loop variable, a multiple of one, or a quotient of these and a constant")
	divisor := int64(1)
	if d, ok := min.(*tir.Binary); ok && d.Op == tir.OpFloorDiv {
		if divisor, ok = tir.AsInt(d.B); !ok || divisor <= 0 {
			return nil, 0, unsupported
		}
		min = d.A
	}
	step = 1
	switch e := min.(type) {
	case *tir.IntImm:
		return nil, 0, nil
	case *tir.Var:
		v = e
	case *tir.Binary:
		var ok, known bool
		v, ok = e.A.(*tir.Var)
		if step, known = tir.AsInt(e.B); e.Op != tir.OpMul || !ok || !known || step <= 0 {
			return nil, 0, unsupported
		}
	default:
		return nil, 0, unsupported
	}
	return v, (step + divisor - 1) / divisor, nil
}

// window returns indices of a buffer as those of its window.
func (x *rollingBuffer) window(indices []tir.Expr) []tir.Expr {
	out := slices.Clone(indices)
	out[x.axis] = tir.FloorMod(out[x.axis], tir.CastTo(out[x.axis].DType(), x.extent))
	return out
}

// store returns a store to the window, of elements that no earlier iteration stored.
func (r *rollingInjector) store(x *rollingBuffer, before, s *tir.BufferStore) tir.Stmt {
	if s.Predicate != nil {
		r.fail(s.Buffer, "Predicated buffer store is not currently supported in the inject rolling buffer pass")
		return s
	}
	out := tir.Stmt(s.WithIndices(x.window(s.Indices)))
	for i, loop := range x.along {
		if loop == nil || slices.Index(x.along, loop) != i {
			continue
		}
		isNew, always := r.isNew(x, loop, s)
		if r.err != nil {
			return s
		}
		if !always {
			out = &tir.IfThenElse{Base: s.Base, Cond: &tir.Call{Base: s.Base, Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{isNew}}, Then: out}
		}
	}
	r.c.Rewrite("store what no earlier iteration has stored", before, out)
	return out
}

// isNew returns under which condition no earlier iteration of loop stored the element: it is in the first iteration, or behind what the parts of
// two have in common along one of the axes along which the loop moves them.
func (r *rollingInjector) isNew(x *rollingBuffer, loop *tir.For, s *tir.BufferStore) (cond tir.Expr, always bool) {
	v := loop.LoopVar
	cond = tir.LT(v, tir.Const(v.DType(), 1))
	for i := range x.along {
		if x.along[i] != loop {
			continue
		}
		if x.shared[i] <= 0 {
			return nil, true
		}
		least := arith.EvalSet(s.Indices[i], map[*tir.Var]arith.IntSet{v: arith.Point(tir.Const(v.DType(), 0))}).Min
		if least == nil {
			r.fail(s.Buffer, fmt.Sprintf("the index %v along axis %d has no lower bound where %s is 0", s.Indices[i], i, v.Name))
			return nil, false
		}
		cond = tir.Or(cond, tir.GE(least, tir.Const(least.DType(), x.shared[i])))
	}
	return cond, false
}

func (r *rollingInjector) expr(e tir.Expr) tir.Expr {
	e = r.m.MapExpr(e)
	l, ok := e.(*tir.BufferLoad)
	if !ok || r.rolling[l.Buffer] == nil {
		return e
	}
	if l.Predicate != nil {
		r.fail(l.Buffer, "Predicated buffer load is not currently supported in inject rolling buffer pass")
		return e
	}
	return l.WithIndices(r.rolling[l.Buffer].window(l.Indices))
}
