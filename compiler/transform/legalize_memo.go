package transform

import (
	"encoding/binary"
	"math"
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
	forms   map[string]*kernelForm
	symbols *symbols // in signatures
	key     signature
}

func newMemo() memo {
	return memo{kernels: map[string][]remembered{}, forms: map[string]*kernelForm{}, symbols: newSymbols()}
}

// remembered is a kernel made for a call with these attributes. args says which leaf of the call each parameter takes.
type remembered struct {
	bare   *relax.Call // operator and attributes
	kernel string
	args   []int
	info   relax.StructInfo // of the result, where the kernel writes it otherwise than the call
	values []tir.Expr       // further arguments, for parameters that are scalars
}

// signature is what a rule can see of a call but for attributes. The values of scalars, which become part of kernels, stand at its end.
type signature struct {
	text    []byte
	values  int        // where they begin
	scalars []tir.Expr // them
	static  bool       // whether no extent is symbolic
	leaves  []relax.Expr
}

// sign writes the signature of the call of k; false where a rule may see more: what a variable is bound to.
func (k *kernel) sign() bool {
	if k.l.pick != nil {
		return false // how it is lowered follows from more than the call
	}
	symbols, s := k.l.memo.symbols, &k.l.memo.key
	before := symbols.written
	s.scalars, s.leaves = s.scalars[:0], s.leaves[:0]
	b, ok := symbols.appendInfo(append(s.text[:0], k.op.Name...), k.info)
	for i := 0; i < len(k.call.Args) && ok; i++ {
		t, isTuple := k.call.Args[i].(*relax.Tuple)
		if !isTuple {
			b, ok = k.appendLeaf(b, k.call.Args[i])
			continue
		}
		b = append(b, '(')
		for j := 0; j < len(t.Fields) && ok; j++ {
			b, ok = k.appendLeaf(b, t.Fields[j])
		}
		b = append(b, ')')
	}
	s.values, s.static = len(b), symbols.written == before
	for _, v := range s.scalars {
		switch v := v.(type) {
		case *tir.FloatImm:
			b = binary.AppendUvarint(append(b, 'f'), math.Float64bits(v.Value))
		case *tir.IntImm:
			b = binary.AppendVarint(append(b, 'i'), v.Value)
		}
	}
	s.text = b
	return ok
}

// appendLeaf writes what a rule can see of e, an argument or a field of one that is a tuple, behind the leaves before it; false where it may
// see more than that.
func (k *kernel) appendLeaf(b []byte, e relax.Expr) ([]byte, bool) {
	s := &k.l.memo.key
	before := s.leaves
	s.leaves = append(s.leaves, e)
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
			v := immediate(e.Data)
			if v == nil {
				return b, false
			}
			s.scalars, b = append(s.scalars, v), append(b, '#')
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

// recall returns the call of a kernel that was made for a call like that of k, whose signature was written last; nil if there is none.
func (l *legalizer) recall(k *kernel) *relax.Call {
	list := l.memo.kernels[string(l.memo.key.text)]
	for i := range list {
		r := &list[i]
		if r.bare.Attrs != k.call.Attrs && !ir.StructuralEqual(r.bare, bare(k.call), ir.EqualOpts{}) {
			continue
		}
		call := l.callRemembered(k, r)
		if l.own[r.kernel] {
			l.shared.also(r.kernel, l.edit.Lookup(r.kernel), call.Origin)
		}
		return call
	}
	return nil
}

// callRemembered is the call of a kernel with the leaves of the call of k.
func (l *legalizer) callRemembered(k *kernel, r *remembered) *relax.Call {
	fields := make([]relax.Expr, len(r.args))
	for i, a := range r.args {
		fields[i] = l.memo.key.leaves[a]
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

// remember keeps the kernel that call calls for the calls like that of k, with leaves as that of k has them; false where it cannot. info is
// the struct info of the call that is lowered.
func (l *legalizer) remember(k *kernel, signature string, leaves []relax.Expr, call *relax.Call, info relax.StructInfo) (r remembered, ok bool) {
	if len(k.before)+len(k.absorbed) > 0 {
		return r, false
	}
	r = remembered{bare: bare(k.call), kernel: call.Args[0].(*ir.GlobalVar).Name}
	for _, a := range k.args {
		i := slices.Index(leaves, a)
		if i < 0 {
			return r, false
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
	return r, true
}
