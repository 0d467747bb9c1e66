package onnx

import (
	"fmt"
	"sort"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Dim is a dimension that the user gives an input: a size, or with a Name a symbolic one.
type Dim struct {
	Value int64
	Name  string
}

// symbols maps the names of symbolic dimensions (dim_param) to what they stand for.
type symbols struct {
	byName map[string]tir.Expr
	names  names
	born   []*tir.Var // those that values have at run time, in the order in which they were made
}

// extent is a new symbol for an extent that shows at run time.
func (s *symbols) extent(hint string) *tir.Var {
	v := tir.NewVar(s.names.fresh(hint+"_extent"), dtype.Int64T)
	s.born = append(s.born, v)
	return v
}

func newSymbols() *symbols { return &symbols{byName: map[string]tir.Expr{}} }

// dim returns the expression for a symbolic dimension, a new variable at its first use.
func (s *symbols) dim(param string) tir.Expr {
	e := s.byName[param]
	if e == nil {
		e = tir.NewVar(s.names.fresh(param), dtype.Int64T)
		s.byName[param] = e
	}
	return e
}

// unify notes that a symbolic dimension has the size that the user gave. Two different
// sizes for one name are an error.
func (s *symbols) unify(param string, d Dim) error {
	var e tir.Expr = tir.Int(d.Value)
	if d.Name != "" {
		e = s.dim(d.Name)
	}
	old := s.byName[param]
	if old != nil && old != e {
		a, aok := tir.AsInt(old)
		b, bok := tir.AsInt(e)
		if !aok || !bok || a != b {
			return fmt.Errorf("symbolic dimension %q is given as both %s and %s", param, relax.FormatPrim(old), relax.FormatPrim(e))
		}
	}
	s.byName[param] = e
	return nil
}

// bindShapes applies the shapes that the user gave to the inputs of g: each must have as
// many dimensions as the model declares and agree with those that are fixed. A name that is
// no input but a symbolic dimension takes a single size.
func (s *symbols) bindShapes(g *onnxpb.Graph, shapes map[string][]Dim) error {
	inputs := map[string]*onnxpb.ValueInfo{}
	params := map[string]bool{}
	var known []string
	for i := range g.Inputs {
		in := &g.Inputs[i]
		inputs[in.Name] = in
		known = append(known, in.Name)
		if in.Type == nil || in.Type.Tensor == nil {
			continue
		}
		for _, d := range in.Type.Tensor.Shape {
			if d.Param != "" && !params[d.Param] {
				params[d.Param] = true
				known = append(known, d.Param)
			}
		}
	}
	names := make([]string, 0, len(shapes))
	for name := range shapes {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		dims := shapes[name]
		for _, d := range dims {
			if d.Name == "" && d.Value < 0 {
				return fmt.Errorf("shape given for %q: dimension %d is negative", name, d.Value)
			}
		}
		in := inputs[name]
		switch {
		case in == nil && params[name] && len(dims) == 1:
			if err := s.unify(name, dims[0]); err != nil {
				return err
			}
		case in == nil:
			return fmt.Errorf("a shape is given for %q, which is neither an input nor a symbolic dimension; these are: %s", name, quoteList(known))
		case in.Type != nil && in.Type.Tensor != nil && in.Type.Tensor.HasShape:
			if err := s.unifyShape(name, in.Type.Tensor.Shape, dims); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *symbols) unifyShape(name string, declared []onnxpb.Dim, dims []Dim) error {
	if len(declared) != len(dims) {
		return fmt.Errorf("the shape given for input %q has %d dimensions, but the model declares %d", name, len(dims), len(declared))
	}
	for i, d := range declared {
		switch {
		case d.HasValue && d.Value >= 0 && (dims[i].Name != "" || dims[i].Value != d.Value):
			return fmt.Errorf("dimension %d of input %q is %d in the model and cannot be changed", i, name, d.Value)
		case d.Param != "":
			if err := s.unify(d.Param, dims[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isSequence reports whether a type is that of a sequence, which may be optional.
func isSequence(t *onnxpb.Type) bool {
	if t != nil && t.Optional != nil {
		t = t.Optional
	}
	return t != nil && t.Sequence != nil
}

// inputType returns the struct info of a graph input.
func (s *symbols) inputType(in *onnxpb.ValueInfo, given []Dim) (*relax.TensorStructInfo, error) {
	typ := in.Type
	if typ != nil && typ.Optional != nil { // one that is there
		typ = typ.Optional
	}
	sequence := isSequence(in.Type)
	if sequence {
		typ = typ.Sequence
	}
	if typ == nil || typ.Tensor == nil {
		return nil, fmt.Errorf("input %q has type %v; tensors, sequences of tensors, and optional ones are supported", in.Name, in.Type)
	}
	t := typ.Tensor
	if sequence { // its elements have one shape, and are along a new first axis
		stacked := *t
		stacked.Shape = append([]onnxpb.Dim{{}}, t.Shape...)
		t = &stacked
	}
	d, err := t.Elem.DType()
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", in.Name, err)
	}
	if !t.HasShape && given == nil {
		return nil, fmt.Errorf("input %q declares no shape: give one, such as 1x3x224x224", in.Name)
	}
	dims := make([]tir.Expr, max(len(t.Shape), len(given)))
	for i := range dims {
		switch {
		case i < len(given) && given[i].Name == "":
			dims[i] = tir.Int(given[i].Value)
		case i < len(given):
			dims[i] = s.dim(given[i].Name)
		case t.Shape[i].Param != "":
			dims[i] = s.dim(t.Shape[i].Param)
		case t.Shape[i].HasValue && t.Shape[i].Value >= 0:
			dims[i] = tir.Int(t.Shape[i].Value)
		default:
			dims[i] = tir.NewVar(s.names.fresh(fmt.Sprintf("%s_dim%d", identifier(in.Name), i)), dtype.Int64T)
		}
	}
	if err := checkElements(dims); err != nil {
		return nil, fmt.Errorf("input %q: %w", in.Name, err)
	}
	return relax.TensorOf(d, dims...), nil
}

// maxElements bounds the elements of a tensor, as the reader does.
const maxElements = 1 << 31

// checkElements refuses shapes whose constant extents alone make too many elements.
func checkElements(dims []tir.Expr) error {
	var fixed []int64
	for _, d := range dims {
		if v, ok := tir.AsInt(d); ok {
			fixed = append(fixed, v)
		}
	}
	n, err := ir.CheckedElements(fixed)
	if err == nil && n > maxElements {
		err = fmt.Errorf("shape %s has %d elements; the limit is %d", relax.FormatDims(dims), n, int64(maxElements))
	}
	return err
}
