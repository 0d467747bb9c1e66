package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// wideTuple is how many fields a tuple may have whose adjoint is written as a tuple each time a field adds to it, as TVM does. That of a wider
// one, such as all weights of a model, is put together when it is asked for: otherwise the bindings would be as many as the square of the fields.
const wideTuple = 16

// of returns the adjoint of v, nil where nothing added to it.
func (d *differ) of(v *relax.Var) (*relax.Var, error) {
	if fields := d.pending[v]; fields != nil {
		delete(d.pending, v)
		for i, f := range fields {
			if f != nil {
				continue
			}
			zero, err := zerosLike(v.SInfo.(*relax.TupleStructInfo).Fields[i])
			if err != nil {
				return nil, err
			}
			fields[i] = zero
		}
		if err := d.add(v, &relax.Tuple{Fields: fields}); err != nil {
			return nil, err
		}
	}
	return d.adjoint[v], nil
}

// add adds e to the adjoint of an operand: of a variable, or of the variables that a tuple is made of. Nothing depends on anything else.
func (d *differ) add(to, e relax.Expr) error {
	e, err := d.bb.Normalize(e)
	if err != nil {
		return err
	}
	return d.addNormal(to, e)
}

func (d *differ) addNormal(to, e relax.Expr) error {
	switch to := to.(type) {
	case *relax.Tuple:
		for i, f := range to.Fields {
			if err := d.addNormal(f, part(e, i)); err != nil {
				return err
			}
		}
	case *relax.Var:
		e, err := d.bb.Normalize(e)
		if err != nil {
			return err
		}
		if old := d.adjoint[to]; old != nil {
			e = sumOf(old, e, to.SInfo)
		}
		return d.set(to, e)
	}
	return nil
}

// set makes e the adjoint of v.
func (d *differ) set(v *relax.Var, e relax.Expr) error {
	a, err := d.bb.Emit(e, v.Name+"_adjoint")
	d.adjoint[v] = a
	return err
}

// field adds the adjoint of a field to that of its tuple.
func (d *differ) field(get *relax.TupleGetItem, grad *relax.Var) error {
	t, ok := get.Tuple.(*relax.Var)
	if !ok {
		return d.add(part(get.Tuple, get.Index), grad)
	}
	info, ok := t.SInfo.(*relax.TupleStructInfo)
	if !ok {
		return fmt.Errorf("the fields of %s, which is %s, are not known", t.Name, relax.FormatSInfo(t.SInfo))
	}
	old := d.adjoint[t]
	fields := make([]relax.Expr, len(info.Fields))
	switch {
	case len(fields) > wideTuple:
		if d.pending[t] == nil {
			d.pending[t] = fields
		}
		fields = d.pending[t]
		if fields[get.Index] == nil {
			fields[get.Index] = grad
			return nil
		}
		v, err := d.bb.Emit(sumOf(fields[get.Index], grad, info.Fields[get.Index]), "")
		fields[get.Index] = v
		return err
	case old == nil:
		for i, f := range info.Fields {
			if i == get.Index {
				fields[i] = grad
				continue
			}
			zero, err := zerosLike(f)
			if err != nil {
				return err
			}
			fields[i] = zero
		}
	default:
		for i := range fields {
			fields[i] = part(old, i)
		}
		fields[get.Index] = sumOf(fields[get.Index], grad, info.Fields[get.Index])
	}
	return d.set(t, &relax.Tuple{Fields: fields})
}

// part returns field i of e.
func part(e relax.Expr, i int) relax.Expr {
	if t, ok := e.(*relax.Tuple); ok {
		return t.Fields[i]
	}
	return &relax.TupleGetItem{Tuple: e, Index: i}
}

// sumOf adds two values of struct info s, field by field where they are tuples.
func sumOf(a, b relax.Expr, s relax.StructInfo) relax.Expr {
	t, ok := s.(*relax.TupleStructInfo)
	if !ok {
		return op.Add(a, b)
	}
	fields := make([]relax.Expr, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = sumOf(part(a, i), part(b, i), f)
	}
	return &relax.Tuple{Fields: fields}
}

// zerosLike returns zeros of struct info s, which is that of a tensor of known shape or of a tuple of such.
func zerosLike(s relax.StructInfo) (relax.Expr, error) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if _, known := s.Dims(); known && !s.DType.IsVoid() {
			return op.Zeros(s.Shape, s.DType), nil
		}
	case *relax.TupleStructInfo:
		out := &relax.Tuple{Fields: make([]relax.Expr, len(s.Fields))}
		for i, f := range s.Fields {
			zero, err := zerosLike(f)
			if err != nil {
				return nil, err
			}
			out.Fields[i] = zero
		}
		return out, nil
	}
	return nil, fmt.Errorf("a derivative by %s is not known to be a tensor of a known shape", relax.FormatSInfo(s))
}
