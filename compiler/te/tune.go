package te

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Better says that the graph which better returns computes the results of t's computation more
// exactly or in fewer steps: tune takes it in their place. It returns as many tensors as the
// computation has, of their types and extents. t itself is returned.
func Better(t *Tensor, better func() []*Tensor) *Tensor {
	t.op.better = better
	return t
}

// tune returns tensors equal to outs whose computations are more exact, and those that say so by
// Better replaced:
//
//   - What a graph of several computations, or with a reduction, computes in halves is computed in float32 and rounded once,
//     at the end. Products of bytes are added in 32 bits, which gives the same bits in the end:
//     vectors have no multiplication of bytes.
//   - Long sums and products of float32 are accumulated in float64, see accumulator, and so are
//     sums of several terms side by side, whose results are subtracted from each other where they
//     are the moments of a normalization.
//   - A maximum starts from minus infinity, a minimum from infinity: TVM starts them from the
//     least and the greatest finite number, which is wrong where all elements are infinite.
//   - A copy on the way is left out.
//   - A power with exponent 2, 3 or 1/2 is a product or a root, which is exact where pow may not be.
//
// What has nothing of the kind is returned as it is. The cost is linear in the graph.
func tune(outs []*Tensor) []*Tensor {
	t := &tuner{done: map[*operation][]*Tensor{}, casts: map[castKey]*Tensor{}, exprsDone: map[tir.Expr]tir.Expr{}}
	ops := t.reach(outs)
	t.halves = len(ops) > 1
	for _, op := range ops {
		if r := op.reduce(); r != nil {
			t.halves = true
			t.maxima = t.maxima || combines(r.Combiner, 0, tir.OpMax)
			t.minima = t.minima || combines(r.Combiner, 0, tir.OpMin)
		}
	}
	list := make([]*Tensor, len(outs))
	taken := map[*Tensor]bool{}
	for i, o := range outs {
		x := t.cast(t.tensor(o), o.DType)
		if x.op == nil || taken[x] {
			x = t.cast(t.operation(o.op, true)[o.value], o.DType) // a copy that is a result
		}
		taken[x] = true
		list[i] = x
	}
	return list
}

// copied returns what op copies, nil if it does something else.
func (op *operation) copied() *Tensor {
	if op.extern != nil || len(op.body) != 1 {
		return nil
	}
	l, ok := op.body[0].(*tir.ProducerLoad)
	if !ok || len(l.Indices) != len(op.axes) {
		return nil
	}
	x, ok := l.Producer.(*Tensor)
	for k := range op.axes {
		ok = ok && l.Indices[k] == tir.Expr(op.axes[k].Var) && ir.StructuralEqual(x.Shape[k], op.axes[k].Dom.Extent, ir.EqualOpts{})
	}
	if !ok {
		return nil
	}
	return x
}

type tuner struct {
	done           map[*operation][]*Tensor
	casts          map[castKey]*Tensor
	exprsDone      map[tir.Expr]tir.Expr
	halves         bool // halves are widened
	maxima, minima bool
}

type castKey struct {
	t *Tensor
	d dtype.DType
}

// reach returns the computations behind outs, with better ones in their places.
func (t *tuner) reach(outs []*Tensor) []*operation {
	seen := map[*operation]bool{}
	var list []*operation
	var visit func(x *Tensor)
	visit = func(x *Tensor) {
		if x.op == nil || seen[x.op] {
			return
		}
		seen[x.op] = true
		for _, in := range x.op.instead().inputs() {
			visit(in)
		}
		list = append(list, x.op.instead())
	}
	for _, o := range outs {
		visit(o)
	}
	return list
}

// instead is op, or what computes its results better.
func (op *operation) instead() *operation {
	if op.better == nil {
		return op
	}
	if op.replaced == nil {
		op.replaced = op.better()
	}
	if len(op.replaced) == 0 || op.replaced[0].op == nil {
		return op
	}
	return op.replaced[0].op.instead()
}

// tensor returns what computes x, of a wider type where that is more exact.
func (t *tuner) tensor(x *Tensor) *Tensor {
	if x.op == nil {
		return x
	}
	if t.done[x.op] == nil {
		if x.op.better != nil && x.op.instead() != x.op {
			list := make([]*Tensor, len(x.op.replaced))
			for i, r := range x.op.replaced {
				list[i] = t.tensor(r)
			}
			t.done[x.op] = list
		} else if from := x.op.copied(); from != nil {
			t.done[x.op] = []*Tensor{t.tensor(from)}
		} else {
			t.done[x.op] = t.operation(x.op, false)
		}
	}
	return t.done[x.op][x.value]
}

// cast is x with elements of type d; x itself where they are.
func (t *tuner) cast(x *Tensor, d dtype.DType) *Tensor {
	if x.DType == d {
		return x
	}
	key := castKey{x, d}
	if t.casts[key] == nil {
		t.casts[key] = Compute("T_cast", x.Shape, func(i []tir.Expr) tir.Expr { return tir.CastTo(d, x.At(i...)) })
	}
	return t.casts[key]
}

// operation returns the results of op, tuned. A copy is what it copies, unless it is to be kept.
func (t *tuner) operation(op *operation, keep bool) []*Tensor {
	if op.extern != nil {
		ins := make([]*Tensor, len(op.extern.inputs))
		for i, in := range op.extern.inputs {
			ins[i] = t.cast(t.tensor(in), in.DType)
		}
		if slices.Equal(ins, op.extern.inputs) {
			return op.outputs
		}
		out := *op
		ext := *op.extern
		ext.inputs = ins
		out.extern = &ext
		return out.results(nil)
	}
	out := *op
	if r := op.reduce(); r != nil {
		t.reduction(&out, r)
	} else {
		out.body = make([]tir.Expr, len(op.body))
		for k, e := range op.body {
			out.body[k] = tir.CastTo(t.wide(e.DType()), t.expr(e))
		}
	}
	if from := out.copied(); from != nil && !keep {
		return []*Tensor{from}
	}
	if slices.Equal(out.body, op.body) {
		return op.outputs
	}
	return out.results(out.body)
}

// results gives op new outputs, of the types of body or of those that it has.
func (op *operation) results(body []tir.Expr) []*Tensor {
	old := op.outputs
	op.outputs = make([]*Tensor, len(old))
	for k, o := range old {
		x := *o
		x.op = op
		if body != nil {
			x.DType = body[k].DType()
		}
		op.outputs[k] = &x
	}
	return op.outputs
}

// wide is the type in which values of type d are kept on the way.
func (t *tuner) wide(d dtype.DType) dtype.DType {
	if t.halves {
		return d.Accumulator()
	}
	return d
}

// reduction sets the body of op, the reduction r, with wider accumulators.
func (t *tuner) reduction(op *operation, r *tir.Reduce) {
	sums := true
	for k := range r.Source {
		sums = sums && (combines(r.Combiner, k, tir.OpAdd) || combines(r.Combiner, k, tir.OpMul))
	}
	source := make([]tir.Expr, len(r.Source))
	for k, e := range r.Source {
		d := t.wide(e.DType())
		if sums {
			d = accumulator(e, len(r.Source) > 1, r.Axis)
		}
		if sums && len(r.Source) == 1 && isDot(e) {
			source[k] = t.product(e.(*tir.Binary), d)
		} else {
			source[k] = t.expr(e)
		}
		if len(r.Source) > 1 && sums {
			source[k] = retype(source[k], d)
		}
		source[k] = tir.CastTo(d, source[k])
		if d == dtype.Float64T && e.DType() == dtype.Float32T && len(r.Source) == 1 && combines(r.Combiner, 0, tir.OpAdd) {
			op.attrs = op.attrs.With(tir.AttrSumRuns, int64(termsOfRun))
		}
	}
	if slices.Equal(source, r.Source) && !t.maxima && !t.minima {
		return
	}
	c := &tir.CommReducer{}
	sub := map[*tir.Var]tir.Expr{}
	fresh := func(v *tir.Var, k int) *tir.Var {
		if v.DType() == source[k].DType() {
			return v
		}
		w := tir.NewVar(v.Name, source[k].DType())
		sub[v] = w
		return w
	}
	for k := range source {
		c.LHS, c.RHS = append(c.LHS, fresh(r.Combiner.LHS[k], k)), append(c.RHS, fresh(r.Combiner.RHS[k], k))
		c.Identity = append(c.Identity, tir.CastTo(source[k].DType(), t.infinite(r.Combiner.Identity[k])))
	}
	for _, e := range r.Combiner.Result {
		c.Result = append(c.Result, rebuilt(e, sub))
	}
	op.body = make([]tir.Expr, len(source))
	for k := range source {
		op.body[k] = &tir.Reduce{Combiner: c, Source: source, Axis: r.Axis, Condition: r.Condition, ValueIndex: k}
	}
}

// rebuilt is e, a combination of variables, with those of sub in their places.
func rebuilt(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	if len(sub) == 0 {
		return e
	}
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			if x := sub[e]; x != nil {
				return x
			}
		case *tir.Binary:
			return tir.NewBinary(e.Op, e.A, e.B) // of the new type
		}
		return e
	})
}

// combines reports whether result k of c is op of its two operands.
func combines(c *tir.CommReducer, k int, op tir.BinaryOp) bool {
	b, ok := c.Result[k].(*tir.Binary)
	return ok && b.Op == op && b.A == tir.Expr(c.LHS[k]) && b.B == tir.Expr(c.RHS[k])
}

// infinite is e, or the infinity that it stands for as the start of a maximum or minimum.
func (t *tuner) infinite(e tir.Expr) tir.Expr {
	f, ok := e.(*tir.FloatImm)
	if !ok || !hasInf(f.Type) {
		return e
	}
	switch greatest := maxFloat(f.Type); {
	case t.maxima && f.Value == -greatest:
		return Lowest(f.Type)
	case t.minima && f.Value == greatest:
		return Highest(f.Type)
	}
	return e
}
