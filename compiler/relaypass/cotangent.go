package relaypass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// cotangent is the adjoint of a value as far as it was added up: that of a tensor, or those of the fields of a tuple. It grows with what reaches
// it and is put together when it is asked for, so that a wide tuple costs no more than its fields. TVM begins with zeros.
type cotangent struct {
	info   relax.StructInfo
	sum    relax.Expr // of a tensor, nil as long as nothing was added
	fields []*cotangent
}

func newCotangent(s relax.StructInfo) *cotangent {
	out := &cotangent{info: s}
	if t, ok := s.(*relax.TupleStructInfo); ok {
		out.fields = make([]*cotangent, len(t.Fields))
		for i, f := range t.Fields {
			out.fields[i] = newCotangent(f)
		}
	}
	return out
}

// ofTensors reports whether a value is a tensor or a tuple of such.
func ofTensors(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return true
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if !ofTensors(f) {
				return false
			}
		}
		return true
	}
	return false
}

// differentiable reports whether a tensor has a derivative: integers and truth values move in steps.
func differentiable(s relax.StructInfo) bool {
	t, ok := s.(*relax.TensorStructInfo)
	return ok && (t.DType.IsVoid() || t.DType.IsFloat())
}

// adjoint is that of a variable.
func (p *backprop) adjoint(v *relax.Var) *cotangent {
	a := p.adjoints[v]
	if a == nil {
		a = newCotangent(p.bb.Context().SInfoOf(v))
		p.adjoints[v] = a
	}
	return a
}

// reached reports whether anything was added.
func (a *cotangent) reached() bool {
	if a.sum != nil {
		return true
	}
	for _, f := range a.fields {
		if f.reached() {
			return true
		}
	}
	return false
}

// add adds e to the adjoint of an operand: of a variable, or of those that a tuple is made of. Nothing depends on constants.
func (p *backprop) add(to, e relax.Expr) error {
	switch to := to.(type) {
	case *relax.Var:
		return p.adjoint(to).add(p, e, to.Name)
	case *relax.Tuple:
		if !ofTensors(p.bb.Context().SInfoOf(to)) {
			return fmt.Errorf("a tuple holds what is no tensor")
		}
		n, err := p.bb.Normalize(e)
		if err != nil {
			return err
		}
		if _, written := n.(*relax.Tuple); !written {
			if n, err = p.named(n, "x"); err != nil {
				return err
			}
		}
		for i, f := range to.Fields {
			if err := p.add(f, fieldOf(n, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fields passes the adjoint of a tuple on to its fields.
func (p *backprop) fields(t *relax.Tuple, a *cotangent) error {
	for i, f := range t.Fields {
		switch f := f.(type) {
		case *relax.Var:
			if err := p.adjoint(f).join(p, a.fields[i], f.Name); err != nil {
				return err
			}
		case *relax.Tuple:
			if err := p.fields(f, a.fields[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// join adds another adjoint.
func (a *cotangent) join(p *backprop, b *cotangent, name string) error {
	if b.sum != nil {
		return a.add(p, b.sum, name)
	}
	for i, f := range b.fields {
		if err := a.fields[i].join(p, f, name); err != nil {
			return err
		}
	}
	return nil
}

// add adds e, the adjoint of a value of that name.
func (a *cotangent) add(p *backprop, e relax.Expr, name string) error {
	if a.fields == nil && !differentiable(a.info) {
		return nil
	}
	if a.fields != nil {
		n, err := p.named(e, name+"_adjoint")
		if err != nil {
			return err
		}
		for i, f := range a.fields {
			if err := f.add(p, fieldOf(n, i), name); err != nil {
				return err
			}
		}
		return nil
	}
	if a.sum != nil {
		e = op.Add(a.sum, e)
	}
	v, err := p.named(e, name+"_adjoint")
	a.sum = v
	return err
}

// named binds a value by a let unless it is a variable or a tuple.
func (p *backprop) named(e relax.Expr, name string) (relax.Expr, error) {
	switch e.(type) {
	case *relax.Var, *relax.Tuple:
		return e, nil
	}
	return p.let(e, name)
}

// value is the adjoint of e as a value, zeros where nothing was added.
func (a *cotangent) value(p *backprop, e relax.Expr) (relax.Expr, error) {
	switch {
	case a.sum != nil:
		return a.sum, nil
	case a.fields == nil:
		return p.let(callOf("relay.zeros_like", nil, e), "zeros")
	}
	t := &relax.Tuple{Fields: make([]relax.Expr, len(a.fields))}
	for i, f := range a.fields {
		of := e
		if f.sum == nil {
			of = fieldOf(e, i)
		}
		v, err := f.value(p, of)
		if err != nil {
			return nil, err
		}
		t.Fields[i] = v
	}
	return t, nil
}

// ones is the adjoint of the result.
func (p *backprop) ones(e relax.Expr) (relax.Expr, error) {
	switch info := p.bb.Context().SInfoOf(e).(type) {
	case *relax.TupleStructInfo:
		t := &relax.Tuple{Fields: make([]relax.Expr, len(info.Fields))}
		for i := range info.Fields {
			v, err := p.ones(fieldOf(e, i))
			if err != nil {
				return nil, err
			}
			t.Fields[i] = v
		}
		return t, nil
	case *relax.TensorStructInfo:
		return p.let(callOf("relay.ones_like", nil, e), "ones")
	default:
		return nil, fmt.Errorf("the result is %s; only tensors and tuples of them can be differentiated", relax.FormatSInfo(info))
	}
}

// fieldOf is a field of a tuple.
func fieldOf(e relax.Expr, i int) relax.Expr {
	if t, ok := e.(*relax.Tuple); ok {
		return t.Fields[i]
	}
	return &relax.TupleGetItem{Tuple: e, Index: i}
}
