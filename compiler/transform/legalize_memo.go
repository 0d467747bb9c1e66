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

// remembered is a kernel made for a call with these attributes. args says which leaf of the call each parameter takes, or, by ^i, that it takes the result of ahead[i].
type remembered struct {
	bare   *relax.Call // operator and attributes
	kernel string
	args   []int
	info   relax.StructInfo // of the result, where the kernel writes it otherwise than the call
	values []tir.Expr       // further arguments, for parameters that are scalars
	ahead  []rememberedAhead
}

// rememberedAhead is a kernel that is called before another one, on leaves of the same call.
type rememberedAhead struct {
	name, kernel string
	args         []int
	info         relax.StructInfo
}

// signature is what a rule can see of a call but for attributes. The values of scalars, which become part of kernels, stand at its end.
type signature struct {
	text    []byte
	values  int        // where they begin
	scalars []tir.Expr // them
	static  bool       // whether no extent is symbolic
	leaves  []relax.Expr
}

// sign writes the signature of the call of k, which is lowered in a form; false where a rule may see more: what a variable is bound to.
func (k *kernel) sign(form string) bool {
	if k.l.pick != nil && form == "" {
		return false
	}
	symbols, s := k.l.memo.symbols, &k.l.memo.key
	before := symbols.written
	s.scalars, s.leaves = s.scalars[:0], s.leaves[:0]
	b, ok := symbols.appendInfo(append(append(s.text[:0], k.op.Name...), form...), k.info)
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
		l.standsFor(r.kernel, call.Origin)
		for _, a := range r.ahead {
			l.standsFor(a.kernel, call.Origin)
		}
		return call
	}
	return nil
}

// standsFor notes that a kernel is that of a call of this origin, too.
func (l *legalizer) standsFor(name string, id ir.OriginID) {
	if l.own[name] {
		l.shared.also(name, l.edit.Lookup(name), id)
	}
}

// callRemembered is the call of a kernel with the leaves of the call of k, behind what must be bound before.
func (l *legalizer) callRemembered(k *kernel, r *remembered) *relax.Call {
	fieldsOf := func(args []int) []relax.Expr {
		fields := make([]relax.Expr, len(args))
		for i, a := range args {
			if a < 0 {
				fields[i] = k.before[^a].Bound()
			} else {
				fields[i] = l.memo.key.leaves[a]
			}
		}
		return fields
	}
	for _, a := range r.ahead {
		k.callAhead(a.name, a.kernel, fieldsOf(a.args), a.info)
	}
	fields := fieldsOf(r.args)
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
	if len(k.before) != len(k.ahead) || len(k.ahead) > 0 && !l.memo.key.static || len(k.absorbed) > 0 {
		return r, false
	}
	r = remembered{bare: bare(k.call), kernel: call.Args[0].(*ir.GlobalVar).Name}
	placesOf := func(args []relax.Expr) []int {
		var out []int
		for _, e := range args {
			i := slices.Index(leaves, e)
			if i < 0 {
				j := slices.IndexFunc(k.before, func(b relax.Binding) bool { return relax.Expr(b.Bound()) == e })
				i, ok = ^j, ok && j >= 0
			}
			out = append(out, i)
		}
		return out
	}
	ok = true
	r.args = placesOf(k.args)
	for i, a := range k.ahead {
		ahead := k.before[i].BoundValue().(*relax.Call)
		r.ahead = append(r.ahead, rememberedAhead{name: a, kernel: ahead.Args[0].(*ir.GlobalVar).Name, args: placesOf(fieldsOf(ahead.Args[1])), info: ahead.SInfo})
	}
	if !ok {
		return r, false
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
