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
	r := f.remembered
	r.kernel = l.addCopy(f.hint, f.copied(scalar, base.Origin), scalar.Value)
	l.memo.kernels[signature] = append(l.memo.kernels[signature], r)
	return l.callRemembered(k, &r)
}

// rememberForm keeps a kernel that was just made for the call of k, where it may be copied.
func (l *legalizer) rememberForm(key, hint string, r remembered, scalar *tir.FloatImm) {
	fn, ok := l.edit.Lookup(r.kernel).(*tir.PrimFunc)
	if !ok {
		return
	}
	found := floats(fn)
	if len(found) != 1 || found[0].Type != scalar.Type || found[0].Value != scalar.Value {
		return
	}
	l.memo.forms[key] = &kernelForm{remembered: r, hint: hint, fn: fn, scalar: found[0]}
}

// copied is the kernel with another scalar, of another origin.
func (f *kernelForm) copied(scalar *tir.FloatImm, origin ir.OriginID) *tir.PrimFunc {
	c := tir.NewCopier()
	c.OnExpr = func(e tir.Expr) tir.Expr {
		if e == tir.Expr(f.scalar) {
			return scalar
		}
		return e
	}
	c.OnStmt = func(s tir.Stmt) tir.Stmt {
		if s.Meta().Origin != f.fn.Origin {
			return s
		}
		return ir.WithOrigin(s, origin)
	}
	return ir.WithOrigin(c.Func(f.fn), origin)
}

// floats are the numbers with a fraction that a kernel computes with, one for each place.
func floats(f *tir.PrimFunc) []*tir.FloatImm {
	var out []*tir.FloatImm
	ir.Walk(f.Body, func(n ir.Node) bool {
		if x, ok := n.(*tir.FloatImm); ok {
			out = append(out, x)
		}
		return true
	})
	return out
}
