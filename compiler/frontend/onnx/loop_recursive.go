package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A loop that is not written out is a private function of all that a turn needs. If there is another turn it computes that and returns what it gives
// for the values behind it; otherwise it returns what it got:
//
//	def loop(extents, number, limit, condition, carried..., collected..., outer values...):
//	    if condition and number < limit:
//	        body
//	        r = loop(extents, number + 1, limit, condition', carried'..., collected'..., outer values...)
//	    else:
//	        r = (carried..., collected..., number)
//	    return r
//
// Symbolic variables are those of one function, so it has its own, which the first argument defines.

// builtFunc is a function that belongs to what is being built.
type builtFunc struct {
	name string
	fn   ir.Function
}

// recursion is such a function while it is built.
type recursion struct {
	*loop
	name    string
	outer   []*tir.Var // symbolic variables outside of the function that values in it depend on
	sub     relax.Subst
	back    relax.Subst // undoes sub
	dynamic bool        // the condition is computed by each turn
	until   relax.Expr  // the limit as a tensor outside, nil without one
	carried []*relax.TensorStructInfo
	widened []map[int]bool // extents of carried values that turns change
	scanned []*relax.TensorStructInfo
	names   []string // of outer values that the body reads
	passed  []relax.Expr
}

// recursive makes the loop a function and calls it.
func (l *loop) recursive() (carried, collected []*value) {
	g := l.g
	holds, known := l.truth(l.cond)
	r := &recursion{loop: l, name: g.functionNames.fresh(l.label()), dynamic: l.cond != nil && !known || !holds && known}
	for _, v := range l.carried {
		t, ok := relax.SInfoOf(l.tensor(v)).(*relax.TensorStructInfo)
		if !ok {
			l.fail("what a loop carries must be tensors")
		}
		if _, ok := t.Dims(); !ok {
			l.fail("the shape of what the loop carries is not known during the import")
		}
		r.carried, r.widened = append(r.carried, t), append(r.widened, map[int]bool{})
	}
	if l.limit != nil {
		r.until = l.reshape(l.tensor(l.limit), nil)
	}
	r.capture()
	r.symbols()
	r.settle()
	if r.until == nil && !r.dynamic {
		l.fail("the loop has neither a trip count nor a condition that can end it")
	}
	inner := len(g.built)
	fn := r.build()
	for _, b := range g.built[inner:] { // of loops in the body
		g.bb.UpdateFunc(b.name, b.fn)
	}
	gv := g.bb.UpdateFunc(r.name, fn)
	g.built = append(g.built, builtFunc{r.name, fn})
	call := &relax.Call{Base: ir.Base{Origin: l.origin}, Op: gv, Args: r.arguments()}
	out := l.bind(call, l.base, false)
	return r.unpack(out)
}

// capture finds the values outside that the body reads.
func (r *recursion) capture() {
	g := r.g
	own := map[string]bool{"": true}
	for i := range r.body.Inputs {
		own[r.body.Inputs[i].Name] = true
	}
	add := func(name string) {
		if !own[name] && g.values[name] != nil {
			own[name] = true
			r.names = append(r.names, name)
		}
	}
	for i := range r.body.Nodes {
		for name := range operandNames(&r.body.Nodes[i]) {
			add(name)
		}
	}
	for i := range r.body.Outputs {
		add(r.body.Outputs[i].Name)
	}
	for _, s := range r.sources {
		r.passed = append(r.passed, r.tensor(s.v))
	}
	for _, name := range r.names {
		v := g.values[name]
		switch {
		case v.list != nil || v.absent:
			r.tensor(v) // refuses it
		case v.stack != nil:
			r.passed = append(r.passed, v.stack)
		case isPassed(v):
			r.passed = append(r.passed, v.expr)
		}
	}
}

// isPassed reports whether a value outside is an argument of the function: constants and computed shapes are made anew in it.
func isPassed(v *value) bool {
	_, constant := v.expr.(*relax.Constant)
	return v.known == nil && !constant
}

// symbols gives the function variables in the place of those outside.
func (r *recursion) symbols() {
	r.sub, r.back = relax.Subst{Prims: map[*tir.Var]tir.Expr{}}, relax.Subst{Prims: map[*tir.Var]tir.Expr{}}
	add := func(es ...tir.Expr) {
		for _, e := range es {
			for _, v := range relax.VarsOf(e) {
				if r.sub.Prims[v] == nil {
					own := tir.NewVar(v.Name, v.DType())
					r.outer = append(r.outer, v)
					r.sub.Prims[v], r.back.Prims[own] = own, v
				}
			}
		}
	}
	for _, t := range r.carried {
		dims, _ := t.Dims()
		add(dims...)
	}
	for _, e := range r.passed {
		ir.Walk(relax.SInfoOf(e), func(n ir.Node) bool {
			if e, ok := n.(tir.Expr); ok {
				add(e)
				return false
			}
			return true
		})
	}
	for _, name := range r.names {
		if k := r.g.values[name].known; k != nil {
			add(k.elems...)
		}
	}
	for i, t := range r.carried {
		r.carried[i] = r.sub.SInfo(t).(*relax.TensorStructInfo)
	}
}

// ret is the type of what the function returns. Of a tensor with an extent that turns change the number of dimensions is known.
func (r *recursion) ret() *relax.TupleStructInfo {
	out := &relax.TupleStructInfo{Fields: []relax.StructInfo{}}
	for i, t := range r.carried {
		if len(r.widened[i]) > 0 {
			t = relax.TensorOfRank(t.DType, t.NDim)
		}
		out.Fields = append(out.Fields, t)
	}
	for _, t := range r.scanned {
		out.Fields = append(out.Fields, relax.TensorOfRank(t.DType, t.NDim+1))
	}
	if len(r.scanned) > 0 {
		out.Fields = append(out.Fields, relax.StaticTensor(dtype.Int64T))
	}
	return out
}

// build makes the function.
func (r *recursion) build() *relax.Function {
	g := r.g
	f := r.open()
	defer f.close()
	stub := &relax.Function{Params: f.params, Ret: r.ret(), Pure: true, Body: &relax.SeqExpr{Body: tuple(nil)}, Attrs: ir.NewAttrs()}
	gv := g.bb.UpdateFunc(r.name, stub)
	g.bb.BeginFunction(r.name, f.params, relax.FuncOpts{Private: true, Base: ir.Base{Origin: r.origin}})
	var cond relax.Expr
	if f.limit != nil {
		cond = r.emit("relax.less", args(f.number, f.limit))
	}
	switch {
	case cond == nil:
		cond = f.cond
	case f.cond != nil:
		cond = r.emit("relax.logical_and", args(f.cond, cond))
	}
	again := func() (out relax.Expr, err error) {
		defer recoverBail(&err)
		defer g.scope()()
		next := f.once()
		var list []relax.Expr
		if len(r.outer) > 0 {
			list = append(list, f.params[0])
		}
		list = append(list, r.emit("relax.add", args(f.number, r.integers([]int64{}, []int64{1}))))
		if v, ok := f.limit.(*relax.Var); ok {
			list = append(list, v)
		}
		if f.cond != nil {
			c := next.cond
			if t := c.tensorInfo(); t == nil || !t.DType.IsBool() {
				r.fail("the condition that the body yields is not of type bool")
			}
			list = append(list, r.reshape(r.tensor(c), nil))
		}
		for i, v := range next.carried {
			r.carriedInfo(i, v)
			list = append(list, r.tensor(v))
		}
		list = append(list, f.collect(next.elements)...)
		for _, e := range f.outer {
			if _, constant := e.(*relax.Constant); !constant {
				list = append(list, e)
			}
		}
		return r.bind(&relax.Call{Base: ir.Base{Origin: r.origin}, Op: gv, Args: list}, r.base, false), nil
	}
	done := func() (relax.Expr, error) {
		var list []relax.Expr
		for _, v := range f.in.carried {
			list = append(list, v.expr)
		}
		for _, v := range f.got {
			list = append(list, v)
		}
		if len(f.got) > 0 {
			list = append(list, f.number)
		}
		return tuple(list), nil
	}
	v, err := g.bb.EmitIfAt(ir.Base{Origin: r.origin}, cond, again, done, g.names.fresh(r.base))
	r.check(err)
	fn, err := g.bb.EndLocalFunction(v)
	r.check(err)
	out := *fn
	out.Ret = stub.Ret
	return &out
}

// arguments are those of the first call.
func (r *recursion) arguments() []relax.Expr {
	var list []relax.Expr
	if len(r.outer) > 0 {
		var extents []tir.Expr
		for _, v := range r.outer {
			extents = append(extents, v)
		}
		list = append(list, shapeExpr(extents))
	}
	list = append(list, r.integers([]int64{}, []int64{0}))
	if _, constant := r.until.(*relax.Constant); r.until != nil && !constant {
		list = append(list, r.until)
	}
	if r.dynamic {
		c := r.cond
		if c == nil {
			c = &value{known: scalar(dtype.BoolT, tir.Bool(true))}
		}
		list = append(list, r.reshape(r.tensor(c), nil))
	}
	for _, v := range r.loop.carried {
		list = append(list, r.tensor(v))
	}
	for _, t := range r.scanned {
		dims, _ := r.back.SInfo(t).(*relax.TensorStructInfo).Dims()
		list = append(list, r.emptyRows(t.DType, dims))
	}
	for i, e := range r.passed {
		if _, constant := e.(*relax.Constant); !constant || i >= len(r.sources) {
			list = append(list, e)
		}
	}
	return list
}

// unpack returns the fields of what the loop gives, with extents: those that turns change are symbols.
func (r *recursion) unpack(out relax.Expr) (carried, collected []*value) {
	g := r.g
	field := func(i int, dims []tir.Expr) *value {
		x := r.bind(&relax.TupleGetItem{Base: ir.Base{Origin: r.origin}, Tuple: out, Index: i}, r.base, false)
		if t := relax.SInfoOf(x).(*relax.TensorStructInfo); dims != nil && t.Shape == nil {
			x = r.matchCast(x, dims)
		}
		return &value{expr: x}
	}
	for i, t := range r.carried {
		dims, _ := t.Dims()
		dims = slices.Clone(dims)
		for axis := range dims {
			if r.widened[i][axis] {
				dims[axis] = g.symbols.extent(r.base)
			} else {
				dims[axis] = r.back.Prim(dims[axis])
			}
		}
		carried = append(carried, field(i, dims))
	}
	if len(r.scanned) == 0 {
		return carried, nil
	}
	count := r.turns()
	if count == nil {
		number := field(len(r.carried)+len(r.scanned), nil)
		count = r.extentsOf(r.reshape(number.expr, []tir.Expr{tir.Int(1)}), 1)[0]
	}
	room := g.symbols.extent(r.base + "_room")
	for k, t := range r.scanned {
		dims, _ := r.back.SInfo(t).(*relax.TensorStructInfo).Dims()
		rows := field(len(r.carried)+k, append([]tir.Expr{room}, dims...))
		x := r.part(rows.expr, 0, tir.Int(0), count)
		collected = append(collected, &value{expr: r.matchCast(x, append([]tir.Expr{count}, dims...))})
	}
	return carried, collected
}

// turns is how many there are: the limit, unless a condition can end the loop before, or it is data. It is nil where that shows at run time.
func (r *recursion) turns() tir.Expr {
	if r.limit != nil && !r.dynamic {
		if e := r.element(r.limit, "the trip count"); e != nil {
			if n, ok := tir.AsInt(e); ok {
				return tir.Int(max(n, 0))
			}
			if r.g.prover.CanProve(tir.GE(e, tir.Int(0))) {
				return e
			}
		}
	}
	return nil
}
