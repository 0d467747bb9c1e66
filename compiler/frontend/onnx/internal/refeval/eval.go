// Package refeval computes ONNX models in plain Go with float64 arithmetic, one naive loop
// nest for each operator. It is the oracle for the models in testdata: independent of the
// importer and of all that follows it, and checked itself against published test data.
//
// The gallery's generator and tests import it. It knows the operators that those models
// use, in the operator sets that they use, and nothing more.
package refeval

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Tensor is a tensor of any element type, its values held as float64.
type Tensor struct {
	Dims []int
	Data []float64
}

// New returns a tensor of zeros.
func New(dims ...int) *Tensor { return &Tensor{Dims: dims, Data: make([]float64, product(dims))} }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// FromONNX converts a float or integer tensor.
func FromONNX(t *onnxpb.Tensor) (*Tensor, error) {
	out := &Tensor{Dims: make([]int, len(t.Dims))}
	for i, d := range t.Dims {
		out.Dims[i] = int(d)
	}
	if t.Type == onnxpb.Float || t.Type == onnxpb.Double {
		var err error
		out.Data, err = t.Floats()
		return out, err
	}
	ints, err := t.Ints()
	for _, v := range ints {
		out.Data = append(out.Data, float64(v))
	}
	return out, err
}

// Float32 converts t to a float32 TensorProto.
func (t *Tensor) Float32(name string) *onnxpb.Tensor {
	out := &onnxpb.Tensor{Name: name, Type: onnxpb.Float}
	for _, d := range t.Dims {
		out.Dims = append(out.Dims, int64(d))
	}
	for _, v := range t.Data {
		out.Data = binary.LittleEndian.AppendUint32(out.Data, math.Float32bits(float32(v)))
	}
	return out
}

// Run computes m on the inputs, which stand in the order of the graph's inputs that have no
// initializer, and returns the outputs.
func Run(m *onnxpb.Model, inputs []*Tensor) ([]*Tensor, error) {
	vals := map[string]*Tensor{}
	for i := range m.Graph.Initializers {
		t := &m.Graph.Initializers[i]
		v, err := FromONNX(t)
		if err != nil {
			return nil, fmt.Errorf("initializer %s: %w", t.Name, err)
		}
		vals[t.Name] = v
	}
	for _, in := range m.Graph.Inputs {
		if vals[in.Name] != nil {
			continue
		}
		if len(inputs) == 0 {
			return nil, fmt.Errorf("no value for input %s", in.Name)
		}
		vals[in.Name], inputs = inputs[0], inputs[1:]
	}
	opset, _ := m.Opset("")
	for i := range m.Graph.Nodes {
		n := &m.Graph.Nodes[i]
		f, ok := operators[n.OpType]
		if !ok {
			return nil, fmt.Errorf("node %d: operator %s is not known to the oracle", i, n.OpType)
		}
		c := &call{node: n, opset: opset}
		for _, name := range n.Inputs {
			c.in = append(c.in, vals[name])
		}
		vals[n.Outputs[0]] = f(c)
	}
	var out []*Tensor
	for _, v := range m.Graph.Outputs {
		out = append(out, vals[v.Name])
	}
	return out, nil
}

func (t *Tensor) ints() []int {
	out := make([]int, len(t.Data))
	for i, v := range t.Data {
		out[i] = int(v)
	}
	return out
}

// call is one node with its operands.
type call struct {
	node  *onnxpb.Node
	opset int64
	in    []*Tensor
}

func (c *call) int(name string, def int) int {
	if a := c.node.Attribute(name); a != nil {
		return int(a.I)
	}
	return def
}

func (c *call) float(name string, def float64) float64 {
	if a := c.node.Attribute(name); a != nil {
		return float64(a.F)
	}
	return def
}

func (c *call) ints(name string, def ...int) []int {
	a := c.node.Attribute(name)
	if a == nil {
		return def
	}
	out := make([]int, len(a.Ints))
	for i, v := range a.Ints {
		out[i] = int(v)
	}
	return out
}

// list is an operand that older operator sets give as an attribute.
func (c *call) list(attr string, operand int) []int {
	if c.node.Attribute(attr) == nil && operand < len(c.in) && c.in[operand] != nil {
		return c.in[operand].ints()
	}
	return c.ints(attr)
}

// axis normalises a negative axis.
func axis(a, rank int) int {
	if a < 0 {
		return a + rank
	}
	return a
}

// strides of a row-major tensor.
func strides(dims []int) []int {
	out := make([]int, len(dims))
	s := 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = s
		s *= dims[i]
	}
	return out
}

// Each calls f with every index of a tensor of shape dims, in row-major order.
func Each(dims []int, f func(i int, idx []int)) {
	idx := make([]int, len(dims))
	for i := range product(dims) {
		f(i, idx)
		for k := len(dims) - 1; k >= 0; k-- {
			if idx[k]++; idx[k] < dims[k] {
				break
			}
			idx[k] = 0
		}
	}
}
