package transform

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// kernelForm is a kernel that was made for a call with a scalar in it: calls that differ in the scalar's value take copies of it with theirs. A model
// may have thousands of them, and a copy takes a tenth of what making one does.
type kernelForm struct {
	remembered
	hint   string // of the kernel's name
	fn     *tir.PrimFunc
	scalar *tir.FloatImm // the only one in fn
}

// formOps are the operators whose kernels are the same for all scalars but 0: nothing else of what a rule, the tuner or a simplifier
// does depends on the value.
var formOps = map[string]bool{"relax.add": true, "relax.subtract": true, "relax.multiply": true, "relax.maximum": true, "relax.minimum": true}

// formScalar is the scalar of a call whose kernel may be a copy, nil if there is none. The call has a signature.
func (k *kernel) formScalar() *tir.FloatImm {
	key := &k.l.memo.key
	if !key.static || len(key.scalars) != 1 || !formOps[k.op.Name] || k.l.custom[k.op.Name] != nil {
		return nil
	}
	s, ok := key.scalars[0].(*tir.FloatImm)
	if !ok || s.Value == 0 || math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return nil
	}
	return s
}

// formKey is the signature without the value of the scalar and with the names that the kernel gets from the call.
func (k *kernel) formKey() string {
	var b strings.Builder
	b.Write(k.l.memo.key.text[:k.l.memo.key.values])
	for _, a := range k.call.Args {
		if v, ok := a.(*relax.Var); ok {
			b.WriteByte(' ')
			b.WriteString(v.Name)
		}
	}
	return b.String()
}

// copyForm returns the call of a copy of a kernel that was made for a call like that of k, nil if there is none.
func (l *legalizer) copyForm(k *kernel, signature, key string, scalar *tir.FloatImm) *relax.Call {
	f := l.memo.forms[key]
	if f == nil || f.bare.Attrs != k.call.Attrs && !ir.StructuralEqual(f.bare, bare(k.call), ir.EqualOpts{}) {
		return nil
	}
	base := k.base()
	if (base.Origin == 0) != (f.fn.Origin == 0) {
		return nil
	}
	c := formCopier{from: f.fn.Origin, to: base.Origin, scalar: f.scalar, value: scalar}
	r := f.remembered
	r.kernel = l.addCopy(f.hint, c.function(f.fn), scalar.Value)
	l.memo.kernels[signature] = append(l.memo.kernels[signature], r)
	return l.callRemembered(k, &r)
}

// rememberForm keeps a kernel that was just made for the call of k, where it may be copied.
func (l *legalizer) rememberForm(key, hint string, r remembered, scalar *tir.FloatImm) {
	fn, ok := l.edit.Lookup(r.kernel).(*tir.PrimFunc)
	if !ok {
		return
	}
	c := formCopier{}
	c.function(fn)
	if c.other || len(c.found) != 1 || c.found[0].Type != scalar.Type || c.found[0].Value != scalar.Value {
		return
	}
	l.memo.forms[key] = &kernelForm{remembered: r, hint: hint, fn: fn, scalar: c.found[0]}
}

// formCopier copies an elementwise kernel with other origins and another scalar.
type formCopier struct {
	from, to      ir.OriginID
	scalar, value *tir.FloatImm

	vars    [][2]*tir.Var
	buffers [][2]*tir.Buffer
	found   []*tir.FloatImm // the scalars
	other   bool            // whether there is something that it does not copy
}

func (c *formCopier) base(b ir.Base) ir.Base {
	if b.Origin == c.from {
		b.Origin = c.to
	}
	return b
}

func (c *formCopier) function(f *tir.PrimFunc) *tir.PrimFunc {
	out := *f
	out.Base = c.base(f.Base)
	out.Params = make([]*tir.Var, len(f.Params))
	for i, p := range f.Params {
		out.Params[i] = c.variable(p)
	}
	out.Buffers = make([]*tir.Buffer, len(f.Buffers))
	for i, b := range f.Buffers {
		if b != nil {
			out.Buffers[i] = c.buffer(b)
		}
	}
	out.Body = c.stmt(f.Body)
	return &out
}

// variable is the copy of a variable, which is made where it is met first.
func (c *formCopier) variable(v *tir.Var) *tir.Var {
	for _, x := range c.vars {
		if x[0] == v {
			return x[1]
		}
	}
	out := *v
	out.Base = c.base(v.Base)
	c.vars = append(c.vars, [2]*tir.Var{v, &out})
	return &out
}

func (c *formCopier) buffer(b *tir.Buffer) *tir.Buffer {
	for _, x := range c.buffers {
		if x[0] == b {
			return x[1]
		}
	}
	out := *b
	out.Base = c.base(b.Base)
	out.Data = c.variable(b.Data)
	c.other = c.other || b.Strides != nil || b.ElemOffset != nil
	for _, d := range b.Shape {
		c.other = c.other || tir.Symbolic(d)
	}
	c.buffers = append(c.buffers, [2]*tir.Buffer{b, &out})
	return &out
}

func (c *formCopier) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BlockRealize:
		out := *s
		out.Base, out.Values, out.Block = c.base(s.Base), c.exprs(s.Values), c.block(s.Block)
		return &out
	case *tir.For:
		out := *s
		out.Base, out.LoopVar, out.Body = c.base(s.Base), c.variable(s.LoopVar), c.stmt(s.Body)
		c.other = c.other || s.Thread != nil || s.Step != nil || tir.Symbolic(s.Min) || tir.Symbolic(s.Extent)
		return &out
	case *tir.BufferStore:
		out := *s
		out.Base, out.Buffer, out.Value, out.Indices = c.base(s.Base), c.buffer(s.Buffer), c.expr(s.Value), c.exprs(s.Indices)
		c.other = c.other || s.Predicate != nil
		return &out
	}
	c.other = true
	return s
}

func (c *formCopier) block(b *tir.Block) *tir.Block {
	out := *b
	out.Base = c.base(b.Base)
	if b.IterVars != nil {
		out.IterVars = make([]*tir.IterVar, len(b.IterVars))
	}
	for i, v := range b.IterVars {
		iv := *v
		iv.Base, iv.Var, iv.Dom = c.base(v.Base), c.variable(v.Var), c.extent(v.Dom)
		out.IterVars[i] = &iv
	}
	out.Reads, out.Writes, out.Body = c.regions(b.Reads), c.regions(b.Writes), c.stmt(b.Body)
	c.other = c.other || len(b.AllocBuffers)+len(b.MatchBuffers) > 0 || b.Init != nil || b.Annotations.Len() > 0
	return &out
}

func (c *formCopier) regions(list []*tir.BufferRegion) []*tir.BufferRegion {
	if list == nil {
		return nil
	}
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		x := *r
		x.Base, x.Buffer, x.Region = c.base(r.Base), c.buffer(r.Buffer), make([]*tir.Range, len(r.Region))
		for j, d := range r.Region {
			x.Region[j] = c.extent(d)
		}
		out[i] = &x
	}
	return out
}

func (c *formCopier) extent(r *tir.Range) *tir.Range {
	out := *r
	out.Base, out.Min, out.Extent = c.base(r.Base), c.expr(r.Min), c.expr(r.Extent)
	return &out
}

func (c *formCopier) exprs(list []tir.Expr) []tir.Expr {
	if list == nil {
		return nil
	}
	out := make([]tir.Expr, len(list))
	for i, e := range list {
		out[i] = c.expr(e)
	}
	return out
}

func (c *formCopier) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		return c.variable(e)
	case *tir.IntImm:
		return e
	case *tir.FloatImm:
		c.found = append(c.found, e)
		if e == c.scalar {
			return c.value
		}
		return e
	case *tir.BufferLoad:
		out := *e
		out.Base, out.Buffer, out.Indices = c.base(e.Base), c.buffer(e.Buffer), c.exprs(e.Indices)
		c.other = c.other || e.Predicate != nil
		return &out
	case *tir.Binary:
		out := *e
		out.Base, out.A, out.B = c.base(e.Base), c.expr(e.A), c.expr(e.B)
		return &out
	}
	c.other = true
	return e
}
