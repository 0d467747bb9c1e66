package transform

import (
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// memo keeps the kernels of calls by what a rule can see of a call: operator, attributes, types and constant extents of
// arguments and result, and which arguments are the same. A network repeats few such calls many times, and making a
// kernel takes a hundred times longer than looking one up.
type memo map[string][]remembered

// remembered is a kernel made for a call with these attributes. args says which argument of the call each parameter takes.
type remembered struct {
	bare   *relax.Call // operator and attributes
	kernel string
	args   []int
}

// signature is what a rule can see of the call of k but for attributes; "" where it may see more: symbolic extents, what a variable
// is bound to, constants that become part of a kernel.
func (k *kernel) signature() string {
	if k.l.pick != nil {
		return "" // how it is lowered follows from more than the call
	}
	b := make([]byte, 0, 96)
	b = append(b, k.op.Name...)
	info, ok := appendStatic(b, k.info)
	if !ok {
		return ""
	}
	b = info
	for i, a := range k.call.Args {
		switch a := a.(type) {
		case *relax.Var:
			switch k.l.bound[a].(type) {
			case *relax.Tuple, *relax.ShapeExpr, *relax.PrimValue, *relax.Var, *relax.Constant:
				return ""
			}
			if k.l.transposed[a] != nil {
				return ""
			}
		case *relax.Constant:
			if len(a.Data.Shape()) == 0 {
				return ""
			}
		case *relax.ShapeExpr:
			if b, ok = appendDims(append(b, 's'), a.Values); !ok {
				return ""
			}
			continue
		default:
			return ""
		}
		if b, ok = appendStatic(b, relax.SInfoOf(a)); !ok {
			return ""
		}
		if j := slices.Index(k.call.Args[:i], a); j >= 0 {
			b = strconv.AppendInt(append(b, '='), int64(j), 10)
		}
	}
	return string(b)
}

// appendStatic writes a tensor of constant extents; false for anything else.
func appendStatic(b []byte, s relax.StructInfo) ([]byte, bool) {
	t, ok := s.(*relax.TensorStructInfo)
	if !ok || t.VDevice != nil || t.DType.IsVoid() {
		return b, false
	}
	dims, known := t.Dims()
	if !known {
		return b, false
	}
	return appendDims(append(append(b, ' '), t.DType.String()...), dims)
}

func appendDims(b []byte, dims []tir.Expr) ([]byte, bool) {
	for _, d := range dims {
		n, ok := d.(*tir.IntImm)
		if !ok {
			return b, false
		}
		b = strconv.AppendInt(append(b, ','), n.Value, 10)
		if n.Type.Bits != 64 {
			b = append(b, 'i')
		}
	}
	return b, true
}

func bare(c *relax.Call) *relax.Call { return &relax.Call{Op: c.Op, Attrs: c.Attrs} }

// recall returns the call of a kernel that was made for a call like that of k, nil if there is none.
func (l *legalizer) recall(k *kernel, signature string) *relax.Call {
	for _, r := range l.memo[signature] {
		if r.bare.Attrs != k.call.Attrs && !ir.StructuralEqual(r.bare, bare(k.call), ir.EqualOpts{}) {
			continue
		}
		base := k.base()
		if l.own[r.kernel] {
			l.shared.also(r.kernel, l.edit.Lookup(r.kernel), base.Origin)
		}
		fields := make([]relax.Expr, len(r.args))
		for i, a := range r.args {
			fields[i] = k.call.Args[a]
		}
		return k.callOf(r.kernel, fields)
	}
	return nil
}

// remember keeps the kernel that call calls for the calls like that of k.
func (l *legalizer) remember(k *kernel, signature string, call *relax.Call) {
	if len(k.before)+len(k.absorbed) > 0 || len(call.Args) != 2 || call.SInfo != k.info {
		return
	}
	r := remembered{bare: bare(k.call), kernel: call.Args[0].(*ir.GlobalVar).Name}
	for _, a := range k.args {
		i := slices.Index(k.call.Args, a)
		if i < 0 {
			return
		}
		r.args = append(r.args, i)
	}
	l.memo[signature] = append(l.memo[signature], r)
}
