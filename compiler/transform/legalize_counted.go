package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// counted lowers an operator whose results have as many elements as are found: a kernel finds them, in tensors that are large enough for all, and
// counts them; a match_cast gives the number a name; another kernel makes tensors of that size.
type counted struct {
	*legalizer
	vb     *relax.VarBinding
	first  *kernel
	before []relax.Binding
	found  []relax.Expr // results of the first kernel
	n      *tir.Var     // how many there are
}

func (l *legalizer) newCounted(vb *relax.VarBinding) (*counted, error) {
	c := &counted{legalizer: l, vb: vb, first: l.newKernel(vb)}
	if err := knownTensors(relax.SInfoOf(c.first.call.Args[0])); err != nil {
		return nil, skipf("argument 0: %s", err)
	}
	return c, nil
}

func (c *counted) bind(name string, info relax.StructInfo, value relax.Expr) *relax.Var {
	k := c.first
	b := bindNew(k.base(), k.v.Name+name, info, value)
	b.Var.Dataflow = k.v.Dataflow
	c.before = append(c.before, b)
	return b.Var
}

// find binds the results of the first kernel, int64 tensors with the given extents in the graph, of which the last is the number.
func (c *counted) find(hint string, outs []*te.Tensor, dims ...[]tir.Expr) error {
	k := c.first
	if k.err != nil {
		return k.err
	}
	info := &relax.TupleStructInfo{}
	for _, d := range dims {
		info.Fields = append(info.Fields, relax.TensorOf(dtype.Int64T, d...))
	}
	k.info = info
	call, err := k.finish(hint, outs)
	if err != nil {
		return err
	}
	all := c.bind("_found", k.info, call)
	for i, s := range k.info.(*relax.TupleStructInfo).Fields {
		c.found = append(c.found, c.bind("_found", s, &relax.TupleGetItem{Base: k.base(), Tuple: all, Index: i, SInfo: s}))
	}
	plain := &relax.ShapeStructInfo{NDim: 1}
	count := c.found[len(c.found)-1]
	shape := c.bind("_shape", plain, &relax.Call{Base: k.base(), Op: ir.NewOp("relax.tensor_to_shape"), Args: []relax.Expr{count}, SInfo: plain})
	c.n = tir.NewVar("found", dtype.Int64T)
	named := relax.ShapeOf(c.n)
	v := &relax.Var{Base: k.base(), Name: k.v.Name + "_named", SInfo: named, Dataflow: k.v.Dataflow}
	c.before = append(c.before, &relax.MatchCast{Base: v.Base, Var: v, Value: shape, SInfo: named})
	return nil
}

// shaped is a tensor of the type of a result, with extents.
func shaped(s relax.StructInfo, dims ...tir.Expr) relax.StructInfo {
	t := *s.(*relax.TensorStructInfo)
	t.Shape, t.NDim = &relax.ShapeExpr{Values: dims}, len(dims)
	return &t
}

// nonZero returns the call of the kernel that makes the result of nonzero.
func (l *legalizer) nonZero(vb *relax.VarBinding) ([]relax.Binding, *relax.Call, error) {
	c, err := l.newCounted(vb)
	if err != nil {
		return nil, nil, err
	}
	dims, _ := relax.SInfoOf(c.first.call.Args[0]).(*relax.TensorStructInfo).Dims()
	if len(dims) == 0 {
		return nil, nil, skipf("argument 0 is a scalar")
	}
	rank := tir.Int(int64(len(dims)))
	places, count := topi.NonZero(c.first.tensor(0))
	if err := c.find("nonzero", []*te.Tensor{places, count}, []tir.Expr{rank, extentProduct(dims)}, []tir.Expr{tir.Int(1)}); err != nil {
		return nil, nil, err
	}
	k := l.newKernel(vb)
	k.info = shaped(k.info, rank, c.n)
	x := k.param(c.found[0], 0)
	out := topi.Columns(x, k.sym(c.n))
	if k.err != nil {
		return nil, nil, k.err
	}
	call, err := k.finish("nonzero_places", []*te.Tensor{out})
	return c.before, call, err
}

func extentProduct(dims []tir.Expr) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, d := range dims {
		n = tir.Mul(n, d)
	}
	return n
}

// unique returns the call of the kernel that makes the results of unique.
func (l *legalizer) unique(vb *relax.VarBinding) ([]relax.Binding, *relax.Call, error) {
	c, err := l.newCounted(vb)
	if err != nil {
		return nil, nil, err
	}
	k := c.first
	flag := func(i int, def bool) bool {
		if k.err != nil || !k.has(i) {
			return def
		}
		v, ok := tir.AsInt(k.prim(i))
		if !ok {
			k.fail(skipf("argument %d is not a constant", i))
		}
		return v != 0
	}
	x := k.tensor(0)
	sorted := flag(1, true)
	dims, _ := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo).Dims()
	axis, n := -1, extentProduct(dims)
	if k.has(5) && k.err == nil {
		a, ok := tir.AsInt(k.prim(5))
		if !ok || a < -int64(len(dims)) || a >= int64(len(dims)) {
			return nil, nil, skipf("the axis is not a constant, or none of %d", len(dims))
		}
		axis = int((a + int64(len(dims))) % int64(len(dims)))
		n = dims[axis]
	}
	wanted := []bool{flag(2, false), flag(3, false), flag(4, false)}
	if k.err != nil {
		return nil, nil, k.err
	}
	d := topi.Unique(x, axis, sorted)
	whole := []tir.Expr{n}
	if err := c.find("unique", []*te.Tensor{d.Index, d.Inverse, d.Counts, d.Total}, whole, whole, whole, []tir.Expr{tir.Int(1)}); err != nil {
		return nil, nil, err
	}
	k = l.newKernel(vb)
	fields, tuple := k.info, false
	if t, ok := k.info.(*relax.TupleStructInfo); ok {
		fields, tuple = t.Fields[0], true
	}
	at := []tir.Expr{c.n}
	if axis >= 0 {
		at = append([]tir.Expr{}, dims...)
		at[axis] = c.n
	}
	outs := []*te.Tensor{topi.At(k.tensor(0), k.param(c.found[0], 0), k.sym(c.n), axis)}
	info := &relax.TupleStructInfo{Fields: []relax.StructInfo{shaped(fields, at...)}}
	for i, extent := range []tir.Expr{c.n, n, c.n} {
		if wanted[i] {
			outs = append(outs, topi.First(k.param(c.found[i], 0), k.sym(extent)))
			info.Fields = append(info.Fields, relax.TensorOf(dtype.Int64T, extent))
		}
	}
	if k.info = info; !tuple {
		k.info = info.Fields[0]
	}
	if k.err != nil {
		return nil, nil, k.err
	}
	call, err := k.finish("unique_elements", outs)
	return c.before, call, err
}
