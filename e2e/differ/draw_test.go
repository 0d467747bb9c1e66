package differ

import (
	"fmt"
	"math/rand/v2"
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// draw is a random model in the making.
type draw struct {
	*rand.Rand
	b     *ob.Builder
	opset int64
	names []string           // of the inputs
	args  []*tensor.Tensor   // and their values
	more  [][]*tensor.Tensor // values of other extents, which the same program is run with
	tried [][]*tensor.Tensor // values of extents that need not fit
	n     int                // of names
	// symbolic says that extents of inputs are unknown to the compiler; the symbols are called by the extents, or each is another.
	symbolic, apart bool
	batch           bool // only the first extent is symbolic
	loose           bool // results are rounded on the way, so that few of their elements may differ by more
	tol             tolerance
}

// tolerance bounds differences of floats: relative to the element, and to the largest element of the result. Those of a half have their own, where results are rounded to it.
type tolerance struct{ rel, ofMax, abs float64 }

// val is a value of a model.
type val struct {
	name string
	dt   onnxpb.DataType
	dims []int64
}

func newDraw(r *rand.Rand) *draw {
	d := &draw{Rand: r, opset: 13 + r.Int64N(9), tol: tolerance{rel: 1e-5, ofMax: 2e-6, abs: 1e-15}}
	d.symbolic, d.apart = d.chance(0.3), d.chance(0.3)
	return d
}

// sets are all sets of inputs.
func (d *draw) sets() [][]*tensor.Tensor { return append([][]*tensor.Tensor{d.args}, d.more...) }

// old takes an operator set from before 13 at times, from least on.
func (d *draw) old(least int64) {
	if d.chance(0.2) {
		d.opset = min(d.opset, d.between(least, 12))
	}
}

// begin makes the builder; the operator set can no longer be changed.
func (d *draw) begin() *ob.Builder {
	if d.b == nil {
		d.b = ob.New("main_graph", d.opset)
		if d.opset > 22 {
			d.b.Model().IRVersion = 10
		}
	}
	return d.b
}

func (d *draw) chance(p float64) bool { return d.Float64() < p }

// between draws from a closed range.
func (d *draw) between(lo, hi int64) int64 { return lo + d.Int64N(hi-lo+1) }

func pick[T any](d *draw, list ...T) T { return list[d.IntN(len(list))] }

func (d *draw) name(what string) string {
	d.n++
	return fmt.Sprintf("%s_%d", what, d.n)
}

// extent is an extent of a dimension: mostly small, often 1, at times 0.
func (d *draw) extent() int64 {
	switch k := d.IntN(40); {
	case k == 0:
		return 0
	case k < 8:
		return 1
	case k < 36:
		return d.between(2, 7)
	default:
		return d.between(8, 40)
	}
}

// shape is a shape of so many dimensions.
func (d *draw) shape(lo, hi int64) []int64 {
	dims := make([]int64, d.between(lo, hi))
	for i := range dims {
		dims[i] = d.extent()
	}
	return dims
}

// filled is shape without extents 0.
func (d *draw) filled(lo, hi int64) []int64 {
	dims := d.shape(lo, hi)
	for i := range dims {
		dims[i] = max(dims[i], 1)
	}
	return dims
}

// broadcast is a shape that broadcasts to another.
func (d *draw) broadcast(dims []int64) []int64 {
	out := slices.Clone(dims[d.IntN(len(dims)+1):])
	if d.chance(0.4) {
		out = slices.Clone(dims)
	}
	for i := range out {
		if d.chance(0.25) {
			out[i] = 1
		}
	}
	return out
}

// axis is an axis of a shape, from either end.
func (d *draw) axis(rank int) int64 {
	a := d.Int64N(int64(rank))
	if d.chance(0.4) {
		a -= int64(rank)
	}
	return a
}

// axes are some axes without repetition in any order.
func (d *draw) axes(rank int, least int) []int64 {
	var out []int64
	for _, a := range d.Perm(rank)[:least+d.IntN(rank+1-least)] {
		if d.chance(0.4) {
			a -= rank
		}
		out = append(out, int64(a))
	}
	return out
}

func (d *draw) perm(rank int) []int64 {
	out := make([]int64, rank)
	for i, p := range d.Perm(rank) {
		out[i] = int64(p)
	}
	return out
}

func at(axis int64, rank int) int {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// input makes a tensor an input of the model.
func (d *draw) input(t *tensor.Tensor) val {
	name := d.name("x")
	dims := make([]any, len(t.Shape))
	for i, e := range t.Shape {
		dims[i] = int(e)
		if d.batch && i == 0 && len(d.args) == 0 {
			dims[i] = "batch"
		}
		if d.symbolic && d.chance(0.7) {
			dims[i] = fmt.Sprintf("n%d", e)
			if d.apart {
				dims[i] = d.name("n")
			}
		}
	}
	dt := onnxpb.FromDType(t.DType)
	d.begin().Input(name, dt, dims...)
	d.names, d.args = append(d.names, name), append(d.args, t)
	return val{name, dt, t.Shape}
}

// constant makes a tensor a constant of the model.
func (d *draw) constant(t *tensor.Tensor) val {
	pb := onnxpb.Tensor{Type: onnxpb.FromDType(t.DType), Dims: t.Shape, Data: packed(t)}
	name := d.name("c")
	if d.chance(0.2) {
		d.begin().NodeOut("Constant", d.name("constant"), nil, []string{name}, ob.Tensor("value", pb))
	} else {
		d.begin().Initializer(name, pb)
	}
	return val{name, pb.Type, t.Shape}
}

// packed are the bytes of a tensor, with two elements of four bits in each.
func packed(t *tensor.Tensor) []byte {
	if t.DType.Bits != 4 {
		return t.Data
	}
	out := make([]byte, (len(t.Data)+1)/2)
	for i, b := range t.Data {
		out[i/2] |= b & 15 << (4 * (i % 2))
	}
	return out
}

// either makes a tensor a constant with a probability, else an input.
func (d *draw) either(p float64, t *tensor.Tensor) val {
	if d.chance(p) {
		return d.constant(t)
	}
	return d.input(t)
}

// weight is either for what has fixed extents where it is an input.
func (d *draw) weight(p float64, t *tensor.Tensor) val {
	if d.chance(p) {
		return d.constant(t)
	}
	was := d.symbolic
	d.symbolic = false
	defer func() { d.symbolic = was }()
	return d.input(t)
}

// list is a constant list of integers, such as axes; at times it is an input where that is allowed.
func (d *draw) list(vs ...int64) val {
	return d.constant(tensor.MustOf([]int64{int64(len(vs))}, append([]int64{}, vs...)))
}

func (d *draw) scalar(v int64) val { return d.constant(tensor.MustOf(nil, []int64{v})) }

// none is an operand that is left out.
var none = val{}

// nodes adds a node; operands left out at the end are not written.
func (d *draw) nodes(op string, outs int, in []val, attrs ...onnxpb.Attribute) []string {
	var names []string
	for _, v := range in {
		names = append(names, v.name)
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	out := make([]string, outs)
	for i := range out {
		out[i] = d.name("y")
	}
	d.begin().NodeOut(op, d.name(op), names, out, attrs...)
	return out
}

func (d *draw) node(op string, in []val, attrs ...onnxpb.Attribute) string {
	return d.nodes(op, 1, in, attrs...)[0]
}

// out makes a value an output of the model; nothing is said of its shape.
func (d *draw) out(name string, dt onnxpb.DataType) {
	d.begin().Output(name, dt)
	outs := d.b.Model().Graph.Outputs
	outs[len(outs)-1].Type.Tensor.HasShape = false
}

// result adds a node of which the one result is the output.
func (d *draw) result(op string, dt onnxpb.DataType, in []val, attrs ...onnxpb.Attribute) {
	d.out(d.node(op, in, attrs...), dt)
}

// maybe is a list of an attribute, or an empty one.
func maybe(d *draw, p float64, a onnxpb.Attribute) []onnxpb.Attribute {
	if d.chance(p) {
		return []onnxpb.Attribute{a}
	}
	return nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
