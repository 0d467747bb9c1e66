package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Signature describes a function that users may call.
type Signature struct {
	Name   string  `json:"name"`
	Params []Param `json:"params"`
	Result Type    `json:"result"`
	// Outputs are the names that the model gives the fields of the result; may be empty.
	Outputs []string `json:"outputs,omitempty"`
	// Kernel marks a PrimFunc: its results are the parameters that it writes.
	Kernel bool `json:"kernel,omitempty"`
}

// Param is a parameter with the name that the model gave it.
type Param struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
	// Written marks a tensor that a kernel writes.
	Written bool `json:"written,omitempty"`
}

// The kinds of types.
const (
	KindTensor = "tensor"
	KindShape  = "shape"
	KindPrim   = "prim"
	KindTuple  = "tuple"
	KindFunc   = "func"
	KindObject = "object"
)

// Type is the type of a parameter or result: what struct info says, without expressions
// that need a compiler to read.
type Type struct {
	Kind   string `json:"kind"`
	DType  string `json:"dtype,omitempty"`  // tensor, prim; empty where unknown
	NDim   *int   `json:"ndim,omitempty"`   // tensor, shape; nil where unknown
	Shape  []Dim  `json:"shape,omitempty"`  // tensor, shape; nil where unknown, or of no dimensions
	Fields []Type `json:"fields,omitempty"` // tuple
}

// Count returns how many results a function of this result type has: the fields of a tuple, else one.
func (t Type) Count() int {
	if t.Kind == KindTuple {
		return len(t.Fields)
	}
	return 1
}

// Dim is a dimension: a number, or a symbolic expression such as "n" or "n * 2". In JSON
// it is a number or a string.
type Dim struct {
	Value int64
	Expr  string // empty for a number
}

// String writes the number or expression.
func (d Dim) String() string {
	if d.Expr != "" {
		return d.Expr
	}
	return strconv.FormatInt(d.Value, 10)
}

// MarshalJSON writes a number or a string.
func (d Dim) MarshalJSON() ([]byte, error) {
	if d.Expr != "" {
		return json.Marshal(d.Expr)
	}
	return json.Marshal(d.Value)
}

// UnmarshalJSON reads a number or a string.
func (d *Dim) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &d.Expr); err != nil {
			return err
		}
		if d.Expr == "" {
			return errors.New("a dimension is an empty string")
		}
		return nil
	}
	if err := json.Unmarshal(b, &d.Value); err != nil {
		return err
	}
	if d.Value < 0 {
		return fmt.Errorf("a dimension is %d", d.Value)
	}
	return nil
}

// Tensor makes the type of a tensor of known shape.
func Tensor(dt dtype.DType, dims ...Dim) Type {
	n := len(dims)
	return Type{Kind: KindTensor, DType: dt.String(), NDim: &n, Shape: dims}
}

// Static makes dimensions of numbers.
func Static(shape ...int64) []Dim {
	dims := make([]Dim, len(shape))
	for i, n := range shape {
		dims[i].Value = n
	}
	return dims
}

// String writes the type as messages show it: float32[n, 3, 224, 224].
func (t Type) String() string {
	switch t.Kind {
	case KindTuple:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.String()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case KindTensor, KindShape:
		name := t.DType
		if t.Kind == KindShape {
			name = "shape"
		} else if name == "" {
			name = KindTensor
		}
		if t.NDim == nil {
			return name
		}
		if len(t.Shape) != *t.NDim {
			return fmt.Sprintf("%s[%d dimensions]", name, *t.NDim)
		}
		parts := make([]string, len(t.Shape))
		for i, d := range t.Shape {
			parts[i] = d.String()
		}
		return name + "[" + strings.Join(parts, ", ") + "]"
	case KindPrim:
		return t.DType
	}
	return t.Kind
}

// Check reports what keeps the host tensors in from being the arguments of the function; see Sizes.
func (s Signature) Check(in []*tensor.Tensor) error {
	_, err := s.Sizes(in)
	return err
}

// Sizes returns what the symbolic dimensions that are variables are with the host tensors in as the arguments, by name. It is an
// error if they cannot be: their number, an element type, a number of dimensions, a fixed dimension, or a symbolic dimension with
// two values. The error names the parameter and what was expected.
func (s Signature) Sizes(in []*tensor.Tensor) (map[string]int64, error) {
	if len(in) != len(s.Params) {
		names := make([]string, len(s.Params))
		for i, p := range s.Params {
			names[i] = p.Name
		}
		return nil, fmt.Errorf("%s takes %d inputs (%s), got %d", s.Name, len(s.Params), strings.Join(names, ", "), len(in))
	}
	bound := map[string]int64{}
	for i, p := range s.Params {
		t := in[i]
		bad := func(format string, args ...any) (map[string]int64, error) {
			return nil, fmt.Errorf("input %s is %v, expected %v: %s", p.Name, t, p.Type, fmt.Sprintf(format, args...))
		}
		if p.Type.Kind == KindPrim && s.Kernel {
			n, err := number(t, p.Type.DType)
			if err != nil {
				return bad("%v", err)
			}
			if k, ok := n.AsInt(); ok {
				if prev, ok := bound[p.Name]; ok && prev != k {
					return bad("it is %d here and %d in an earlier input", k, prev)
				}
				bound[p.Name] = k
			}
			continue
		}
		if p.Type.Kind != KindTensor {
			return bad("only tensors can be passed")
		}
		if p.Type.DType != "" && p.Type.DType != t.DType.String() {
			return bad("the element types differ")
		}
		if p.Type.NDim == nil {
			continue
		}
		if *p.Type.NDim != len(t.Shape) {
			return bad("the numbers of dimensions differ")
		}
		for k, d := range p.Type.Shape {
			if k >= len(t.Shape) {
				break
			}
			have := t.Shape[k]
			switch prev, ok := bound[d.Expr]; {
			case d.Expr == "" && d.Value != have:
				return bad("dimension %d differs", k)
			case d.Expr == "" || !isName(d.Expr):
			case !ok:
				bound[d.Expr] = have
			case prev != have:
				return bad("dimension %s is %d here and %d in an earlier input", d.Expr, have, prev)
			}
		}
	}
	return bound, nil
}

// isName reports whether a symbolic dimension is a variable and not an expression.
func isName(s string) bool {
	for i, c := range s {
		if c != '_' && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
