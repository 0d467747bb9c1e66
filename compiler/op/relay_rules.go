package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relayRule says how the struct info of an operator of Relay follows from its arguments. Where TVM's type relation
// needs what the call does not say, the rule gives less: the rank, or nothing but that it is a tensor.
type relayRule struct {
	infer    InferFunc
	complete func(*ir.Attrs) *ir.Attrs
}

// relayRules returns the rules that relay_ops.txt names.
func relayRules() map[string]relayRule {
	return map[string]relayRule{
		"unknown": {infer: fixed(relax.TensorOfRank(dtype.Void, -1))}, "object": {infer: fixed(relax.Object())}, "unit": {infer: fixed(&relax.TupleStructInfo{})},
		"first": {infer: like(0)}, "pair": {infer: inferPair}, "binary": {infer: inferBinary}, "cast": {infer: inferCastTo}, "concat": {infer: inferConcat},
		"shapeOfFirst": {infer: shapeAndType(0, 1)}, "shapeOfSecond": {infer: shapeAndType(1, 0)}, "where": {infer: inferRelayWhere}, "called": {infer: inferCalled},
		"dense": {infer: inferDense}, "batchMatmul": {infer: inferBatchMatmul}, "pad": {infer: inferRelayPad}, "globalPool": {infer: inferGlobalPool},
		"pool2d":          {func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferPool(c, 2) }, completeWindow(2, "layout")},
		"conv2d":          {func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferConv(c, 2) }, completeWindow(2, "data_layout")},
		"conv2dTranspose": {func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferConvTranspose(c, 2) }, completeWindow(2, "data_layout")},
		"backwardWeight":  {inferBackwardWeight, completeWindow(2, "data_layout")}, "gatherND": {infer: inferRelayGatherND},
		"deformable": {inferDeformable, completeWindow(2, "data_layout")}, "roi": {infer: inferROI},
		"adaptivePool": {infer: inferRelayAdaptivePool}, "upsampling": {infer: inferUpsampling}, "resize2d": {infer: inferRelayResize},
		"depthToSpace": {infer: blocks(true)}, "spaceToDepth": {infer: blocks(false)}, "batchToSpace": {infer: batchBlocks("crops", true)}, "spaceToBatch": {infer: batchBlocks("paddings", false)},
		"init": {infer: inferInit}, "broadcastTo": {infer: inferRelayBroadcastTo}, "sliceLike": {infer: inferSliceLike}, "sparseToDense": {infer: inferSparseToDense},
		"reshape": {infer: inferRelayReshape(false)}, "reverseReshape": {infer: inferRelayReshape(true)}, "reshapeLike": {infer: inferReshapeLike},
		"split": {infer: inferRelaySplit}, "stack": {infer: inferRelayStack}, "topk": {infer: inferRelayTopK}, "argsort": {infer: inferRelayArgsort},
		"argReduce": {infer: inferRelayReduce(dtype.Int32T)}, "reduce": {infer: inferRelayReduce(dtype.Void)}, "scan": {infer: inferScan},
		"layoutTransform": {infer: inferRelayLayout}, "shapeOf": {infer: inferRelayShapeOf}, "scalarOf": {infer: inferScalarOf}, "stridedSlice": {infer: inferRelaySlice},
		"take": {infer: inferRelayTake}, "oneHot": {infer: inferRelayOneHot}, "rank1": {infer: inferRankOne}, "loss": {infer: inferRelayLoss}, "allocTensor": {infer: inferRelayAlloc},
		"anyRank": {infer: ranked(0, false)}, "anyRankOfSecond": {infer: ranked(1, false)}, "rankOfFirst": {infer: ranked(0, true)}, "dynShape": {infer: inferDynShape(1)}, "dynInit": {infer: inferDynShape(0)},
	}
}

// fixed is the same for every call.
func fixed(s relax.StructInfo) InferFunc {
	return func(*relax.Call, *InferContext) (relax.StructInfo, error) { return s, nil }
}

// ranked is a tensor of the element type of argument i, of its rank too where the operator keeps it.
func ranked(i int, keeps bool) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		t, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if keeps {
			return rankOf(c.orDType(t.DType), t.NDim, t), nil
		}
		return rankOf(t.DType, -1, t), nil
	}
}

// orDType is the element type that an attribute gives, else dt.
func (c *InferContext) orDType(dt dtype.DType) dtype.DType {
	for _, name := range []string{"out_dtype", "dtype"} {
		if c.Op.Attr(name) != nil {
			if d := c.DType(name); !d.IsVoid() {
				return d
			}
		}
	}
	return dt
}

func inferPair(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{c.SInfo(0), c.SInfo(0)}}, nil
}

// shapeAndType has the shape of argument shape and the elements of argument elem, which are the first two.
func shapeAndType(shape, elem int) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		a, b, err := c.twoTensors()
		if err != nil {
			return nil, err
		}
		ts := [...]*relax.TensorStructInfo{a, b}
		return withDType(ts[shape], ts[elem].DType), nil
	}
}

// inferRelayWhere is inferWhere with a condition of any element type.
func inferRelayWhere(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	cond, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	ts, args, err := c.operands(1, 3)
	if err != nil {
		return nil, err
	}
	dt := commonDType(ts)
	return c.broadcastTensors(dt, append([]int{0}, args...), append([]*relax.TensorStructInfo{cond}, ts...))
}

// inferCalled is the result of the function that is the first argument.
func inferCalled(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if f, ok := c.SInfo(0).(*relax.FuncStructInfo); ok && f.Ret != nil {
		return relax.EraseToWellDefined(f.Ret, func(*tir.Var) bool { return false }, func(*relax.Var) bool { return false }), nil
	}
	return relax.Object(), nil
}

func inferInit(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	dt := c.DType("dtype")
	if dt.IsVoid() && c.NumArgs() > 0 {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		dt = t.DType
	}
	shape, ok := c.Ints("shape")
	if !ok {
		return rankOf(dt, -1), nil
	}
	return tensorOf(dt, relax.Ints(shape)), nil
}

// inferSparseToDense is a tensor of the values, of the shape that is given.
func inferSparseToDense(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(1)
	if err != nil {
		return nil, err
	}
	shape, _ := c.Ints("output_shape")
	return tensorOf(t.DType, relax.Ints(shape), t), nil
}

func inferRelayBroadcastTo(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	shape, ok := c.Ints("shape")
	if !ok {
		return rankOf(t.DType, -1, t), nil
	}
	to := relax.Ints(shape)
	if d, known := c.dimsOf(t); known {
		if _, _, bad := broadcastDims(c.InferContext, to, d); bad >= 0 || len(d) > len(to) {
			return nil, c.argErr(0, dims(d), "a shape that broadcasts to %s", dims(to))
		}
	}
	return tensorOf(t.DType, to, t), nil
}

func inferRelayShapeOf(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if t.NDim < 0 {
		return rankOf(c.orDType(dtype.Int32T), 1, t), nil
	}
	return tensorOf(c.orDType(dtype.Int32T), []tir.Expr{tir.Int(int64(t.NDim))}, t), nil
}

func inferScalarOf(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return tensorOf(c.orDType(dtype.Int32T), nil, t), nil
}

func inferRankOne(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return rankOf(c.DType("dtype"), 1), nil
}

func inferRelayAlloc(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if shape, ok := c.Ints("assert_shape"); ok {
		return tensorOf(c.DType("dtype"), relax.Ints(shape)), nil
	}
	return rankOf(c.DType("dtype"), -1), nil
}

// inferDynShape has the shape that argument i holds: its extent is the rank.
func inferDynShape(i int) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		dt := c.orDType(dtype.Void)
		if i > 0 {
			t, err := c.Tensor(0)
			if err != nil {
				return nil, err
			}
			dt = c.orDType(t.DType)
		}
		s, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if d, ok := s.StaticDims(); ok && len(d) == 1 && d[0] >= 0 && d[0] <= 64 {
			return rankOf(dt, int(d[0])), nil
		}
		return rankOf(dt, -1), nil
	}
}

// inferCastTo is the first argument with elements of out_dtype.
func inferCastTo(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return withDType(t, c.DType("out_dtype")), nil
}
