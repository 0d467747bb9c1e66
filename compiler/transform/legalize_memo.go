package transform

import (
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// memo keeps the kernels of calls by what a rule can see of a call: operator, attributes, types and extents of arguments and
// result, and which arguments are the same. A network repeats few such calls many times, and making a kernel takes a hundred
// times longer than looking one up.
type memo struct {
	kernels map[string][]remembered
	symbols *symbols // in signatures
}

func newMemo() memo { return memo{map[string][]remembered{}, newSymbols()} }

// remembered is a kernel made for a call with these attributes. args says which leaf of the call each parameter takes.
type remembered struct {
	bare   *relax.Call // operator and attributes
	kernel string
	args   []int
	info   relax.StructInfo // of the result, where the kernel writes it otherwise than the call
	values []tir.Expr       // further arguments, for parameters that are scalars
}

// signature is what a rule can see of the call of k but for attributes; "" where it may see more: what a variable is bound to, constants
// that become part of a kernel.
func (k *kernel) signature() string {
	if k.l.pick != nil {
		return "" // how it is lowered follows from more than the call
	}
	b := make([]byte, 0, 96)
	b = append(b, k.op.Name...)
	b, ok := k.l.memo.symbols.appendInfo(b, k.info)
	if !ok {
		return ""
	}
	leaves := make([]relax.Expr, 0, 8)
	for _, a := range k.call.Args {
		t, isTuple := a.(*relax.Tuple)
		if !isTuple {
			if b, ok = k.appendLeaf(b, leaves, a); !ok {
				return ""
			}
			leaves = append(leaves, a)
			continue
		}
		b = append(b, '(')
		for _, f := range t.Fields {
			if _, nested := f.(*relax.Tuple); nested {
				return ""
			}
			if b, ok = k.appendLeaf(b, leaves, f); !ok {
				return ""
			}
			leaves = append(leaves, f)
		}
		b = append(b, ')')
	}
	return string(b)
}

// appendLeaf writes what a rule can see of e, an argument or a field of one that is a tuple, behind the leaves before it; false where it may
// see more than that.
func (k *kernel) appendLeaf(b []byte, before []relax.Expr, e relax.Expr) ([]byte, bool) {
	switch e := e.(type) {
	case *relax.Var:
		switch k.l.bound[e].(type) {
		case *relax.Tuple, *relax.ShapeExpr, *relax.PrimValue, *relax.Var, *relax.Constant:
			return b, false
		}
		if k.l.transposed[e] != nil {
			return b, false
		}
	case *relax.Constant:
		if len(e.Data.Shape()) == 0 {
			return b, false
		}
	case *relax.ShapeExpr:
		return k.l.memo.symbols.appendExtents(append(b, 's'), e.Values)
	default:
		return b, false
	}
	b, ok := k.l.memo.symbols.appendInfo(b, relax.SInfoOf(e))
	if j := slices.Index(before, e); ok && j >= 0 {
		b = strconv.AppendInt(append(b, '='), int64(j), 10)
	}
	return b, ok
}

func bare(c *relax.Call) *relax.Call { return &relax.Call{Op: c.Op, Attrs: c.Attrs} }

// leaves are the arguments of c, of tuples the fields.
func leaves(c *relax.Call) []relax.Expr {
	out := make([]relax.Expr, 0, len(c.Args))
	for _, a := range c.Args {
		if t, ok := a.(*relax.Tuple); ok {
			out = append(out, t.Fields...)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// recall returns the call of a kernel that was made for a call like that of k, nil if there is none.
func (l *legalizer) recall(k *kernel, signature string) *relax.Call {
	for _, r := range l.memo.kernels[signature] {
		if r.bare.Attrs != k.call.Attrs && !ir.StructuralEqual(r.bare, bare(k.call), ir.EqualOpts{}) {
			continue
		}
		base := k.base()
		if l.own[r.kernel] {
			l.shared.also(r.kernel, l.edit.Lookup(r.kernel), base.Origin)
		}
		given := leaves(k.call)
		fields := make([]relax.Expr, len(r.args))
		for i, a := range r.args {
			fields[i] = given[a]
		}
		if r.info != nil {
			k.info = r.info
		}
		call := k.callOf(r.kernel, fields)
		if r.values != nil {
			call.Args = append(call.Args, &relax.ShapeExpr{Values: r.values})
		}
		return call
	}
	return nil
}

// remember keeps the kernel that call calls for the calls like that of k. info is the struct info of the call that is lowered.
func (l *legalizer) remember(k *kernel, signature string, call *relax.Call, info relax.StructInfo) {
	if len(k.before)+len(k.absorbed) > 0 {
		return
	}
	r := remembered{bare: bare(k.call), kernel: call.Args[0].(*ir.GlobalVar).Name}
	given := leaves(k.call)
	for _, a := range k.args {
		i := slices.Index(given, a)
		if i < 0 {
			return
		}
		r.args = append(r.args, i)
	}
	if call.SInfo != info {
		r.info = call.SInfo
	}
	if len(call.Args) > 2 {
		r.values = call.Args[2].(*relax.ShapeExpr).Values
	}
	l.memo.kernels[signature] = append(l.memo.kernels[signature], r)
}
