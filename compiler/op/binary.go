package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// binaryOps are the operators on two tensors with broadcasting, and where and ewise_fma.
func binaryOps() []*Op {
	var ops []*Op
	add := func(infer InferFunc, names string) {
		for _, n := range strings.Fields(names) {
			ops = append(ops, &Op{
				Name:  "relax." + n,
				Args:  []Arg{{Name: "x1", Doc: "The first input tensor or scalar."}, {Name: "x2", Doc: "The second input tensor or scalar."}},
				Infer: infer, Pattern: Broadcast, Doc: binaryDocs[n],
			})
		}
	}
	add(inferBinary, "add atan2 divide floor_divide log_add_exp multiply power subtract mod floor_mod minimum maximum")
	add(inferBinary, "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift")
	add(inferCompare, "equal greater greater_equal less less_equal not_equal")
	return append(ops,
		&Op{
			Name: "relax.where",
			Args: []Arg{
				{Name: "condition", Doc: "Where it is true x1 is taken, elsewhere x2. Of type bool."},
				{Name: "x1", Doc: "The first input tensor."},
				{Name: "x2", Doc: "The second input tensor."},
			},
			Infer: inferWhere, Pattern: Broadcast, Doc: "Chooses elements of two tensors by a condition, with broadcasting.",
		},
		&Op{
			Name: "relax.ewise_fma",
			Args: []Arg{
				{Name: "x1", Doc: "The left factor."}, {Name: "x2", Doc: "The right factor."}, {Name: "x3", Doc: "The summand."},
			},
			Infer: inferFMA, Pattern: ElemWise, Doc: "Computes x1 * x2 + x3 for tensors of one shape.",
		})
}

var binaryDocs = map[string]string{
	"add": "The sum.", "atan2": "The angle of the point (x2, x1).", "bitwise_and": "The bitwise and.", "bitwise_or": "The bitwise or.",
	"bitwise_xor": "The bitwise exclusive or.", "divide": "The quotient.", "equal": "Whether the elements are equal.",
	"floor_divide": "The quotient rounded down.", "floor_mod": "The remainder of floor_divide.", "greater": "Whether x1 > x2.",
	"greater_equal": "Whether x1 >= x2.", "left_shift": "x1 shifted left by x2 bits.", "less": "Whether x1 < x2.",
	"less_equal": "Whether x1 <= x2.", "log_add_exp": "log(exp(x1) + exp(x2)).", "logical_and": "Whether both are true.",
	"logical_or": "Whether one is true.", "logical_xor": "Whether exactly one is true.", "maximum": "The greater element.",
	"minimum": "The lesser element.", "mod": "The remainder of the truncating division.", "multiply": "The product.",
	"not_equal": "Whether the elements differ.", "power": "x1 to the power of x2.", "right_shift": "x1 shifted right by x2 bits.",
	"subtract": "The difference.",
}

// operand returns argument i as a tensor; a scalar counts as a tensor without dimensions.
func (c *InferContext) operand(i int) (*relax.TensorStructInfo, error) {
	switch s := c.SInfo(i).(type) {
	case *relax.TensorStructInfo:
		return s, nil
	case *relax.PrimStructInfo:
		return relax.ScalarTensor(s.DType), nil
	default:
		return nil, c.argErr(i, describe(s), "a tensor or a scalar")
	}
}

// operands returns the arguments i..j-1 and checks that their element types agree.
func (c *InferContext) operands(i, j int) ([]*relax.TensorStructInfo, []int, error) {
	var ts []*relax.TensorStructInfo
	var args []int
	for ; i < j; i++ {
		t, err := c.operand(i)
		if err != nil {
			return nil, nil, err
		}
		if len(ts) > 0 && !t.DType.IsVoid() && !ts[0].DType.IsVoid() && t.DType != ts[0].DType {
			return nil, nil, c.argErr(i, t.DType.String(), "elements of type %s, like those of %s (insert relax.astype)", ts[0].DType, c.argName(i-len(ts)))
		}
		ts, args = append(ts, t), append(args, i)
	}
	return ts, args, nil
}

// commonDType returns the element type of ts, Void if one is unknown.
func commonDType(ts []*relax.TensorStructInfo) dtype.DType {
	for _, t := range ts {
		if t.DType.IsVoid() {
			return dtype.Void
		}
	}
	return ts[0].DType
}

func inferBinary(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, args, err := c.operands(0, 2)
	if err != nil {
		return nil, err
	}
	return c.broadcastTensors(commonDType(ts), args, ts)
}

func inferCompare(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, args, err := c.operands(0, 2)
	if err != nil {
		return nil, err
	}
	return c.broadcastTensors(dtype.BoolT, args, ts)
}

func inferWhere(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	cond, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if !cond.DType.IsVoid() && !cond.DType.IsBool() {
		return nil, c.argErr(0, cond.DType.String(), "a tensor of type bool")
	}
	ts, _, err := c.operands(1, 3)
	if err != nil {
		return nil, err
	}
	return c.broadcastTensors(commonDType(ts), []int{0, 1, 2}, append([]*relax.TensorStructInfo{cond}, ts...))
}

func inferFMA(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, _, err := c.operands(0, 3)
	if err != nil {
		return nil, err
	}
	for i, t := range ts[1:] {
		if t.NDim >= 0 && ts[0].NDim >= 0 && c.shapesDiffer(t, ts[0]) {
			return nil, c.argErr(i+1, describe(t), "the shape of x1, %s", describe(ts[0]))
		}
	}
	return withDType(ts[0], commonDType(ts)), nil
}
