package onnx

import (
	"hash/fnv"
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A program computes the same each time that it runs, so random numbers follow from a key and from where they stand alone: element i has the bits
// mix(mix(i) + key) modulo 2^32, where mix is lowbias32 (Wellons, Prospecting for hash functions). The key is the bits of the attribute seed, or without
// one the FNV-1a hash of the name of the result.

func randomRows() []operator {
	likeAttrs := func(more ...string) []string { return append(more, "dtype", "seed") }
	return []operator{
		{name: "RandomUniform", attrs: likeAttrs("low", "high", "shape"), convert: func(n *node) { n.random(n.shapeAttr(), dtype.Float32T, n.uniform) }},
		{name: "RandomUniformLike", minIn: 1, maxIn: 1, attrs: likeAttrs("low", "high"), convert: func(n *node) { n.random(n.dims(0), n.dtype(0), n.uniform) }},
		{name: "RandomNormal", attrs: likeAttrs("mean", "scale", "shape"), convert: func(n *node) { n.random(n.shapeAttr(), dtype.Float32T, n.normal) }},
		{name: "RandomNormalLike", minIn: 1, maxIn: 1, attrs: likeAttrs("mean", "scale"), convert: func(n *node) { n.random(n.dims(0), n.dtype(0), n.normal) }},
		{name: "Bernoulli", minIn: 1, maxIn: 1, attrs: likeAttrs(), convert: bernoulli},
		{name: "Multinomial", minIn: 1, maxIn: 1, attrs: likeAttrs("sample_size"), convert: multinomial},
	}
}

// shapeAttr is the attribute shape.
func (n *node) shapeAttr() []tir.Expr {
	if n.pb.Attribute("shape") == nil {
		n.fail("attribute \"shape\" is missing")
	}
	for i, d := range n.ints("shape") {
		if d < 0 {
			n.fail("attribute \"shape\": extent %d is %d", i, d)
		}
	}
	dims := relax.Ints(n.ints("shape"))
	n.check(checkElements(dims))
	return dims
}

// random makes numbers of float32, in the type that the attribute dtype says, the result.
func (n *node) random(dims []tir.Expr, d dtype.DType, numbers func(dims []tir.Expr) relax.Expr) {
	if n.pb.Attribute("dtype") != nil {
		var err error
		d, err = n.elemType("dtype")
		n.check(err)
	}
	if !d.IsFloat() {
		n.fail("random numbers of type %s are not supported, expected floating point", d)
	}
	n.resultAs(numbers(dims), d)
}

func (n *node) resultAs(x relax.Expr, d dtype.DType) {
	if relax.SInfoOf(x).(*relax.TensorStructInfo).DType == d {
		n.set(0, x)
		return
	}
	n.result("relax.astype", args(x), "dtype", d)
}

// linear is x * by + plus.
func (n *node) linear(x relax.Expr, by, plus float64) relax.Expr {
	if by != 1 {
		x = n.emit("relax.multiply", args(x, n.constant(dtype.Float32T, by)))
	}
	if plus != 0 {
		x = n.emit("relax.add", args(x, n.constant(dtype.Float32T, plus)))
	}
	return x
}

func (n *node) uniform(dims []tir.Expr) relax.Expr {
	low, high := n.float("low", 0), n.float("high", 1)
	return n.linear(n.unit(dims, 0), high-low, low)
}

// normal is Box and Muller's transform of two uniform numbers.
func (n *node) normal(dims []tir.Expr) relax.Expr {
	one := n.constant(dtype.Float32T, 1)
	log := n.emit("relax.log", args(n.emit("relax.subtract", args(one, n.unit(dims, 0)))))
	radius := n.emit("relax.sqrt", args(n.linear(log, -2, 0)))
	turn := n.emit("relax.cos", args(n.linear(n.unit(dims, 1), 2*math.Pi, 0)))
	return n.linear(n.emit("relax.multiply", args(radius, turn)), n.float("scale", 1), n.float("mean", 0))
}

// bernoulli is 1 with the probabilities that the operand holds.
func bernoulli(n *node) {
	n.floats(0)
	d := n.dtype(0)
	if n.pb.Attribute("dtype") != nil {
		var err error
		d, err = n.elemType("dtype")
		n.check(err)
	}
	p := n.as(n.expr(0), dtype.Float32T)
	n.resultAs(n.emit("relax.less", args(n.unit(n.dims(0), 0), p)), d)
}

// multinomial draws classes from logarithms of probabilities (batch, classes): how many classes end at or below a uniform number.
func multinomial(n *node) {
	n.floats(0)
	d := dtype.Int32T
	if n.pb.Attribute("dtype") != nil {
		var err error
		d, err = n.elemType("dtype")
		n.check(err)
	}
	if d != dtype.Int32T && d != dtype.Int64T {
		n.fail("attribute \"dtype\" is %s, supported are int32 and int64", d)
	}
	dims, count := n.dims(0), n.int("sample_size", 1)
	if len(dims) != 2 || count < 1 || count > math.MaxInt32 {
		n.fail("input 0 has %d dimensions, and attribute \"sample_size\" is %d: expected 2, and 1 or more", len(dims), count)
	}
	x := n.as(n.expr(0), dtype.Float32T)
	ends := n.emit("relax.cumsum", args(n.emit("relax.nn.softmax", args(x), "axis", int64(1))), "axis", int64(1))
	// The last class ends where all do, whatever the sum has been rounded to.
	ends = n.part(ends, 1, tir.Int(0), tir.Sub(dims[1], tir.Int(1)))
	u := n.unit([]tir.Expr{dims[0], tir.Int(count), tir.Int(1)}, 0)
	below := n.emit("relax.greater_equal", args(u, n.reshape(ends, []tir.Expr{dims[0], tir.Int(1), tir.Sub(dims[1], tir.Int(1))})))
	n.result("relax.sum", args(n.emit("relax.astype", args(below), "dtype", d)), "axis", []int64{2}, "keepdims", false)
}

// unit are numbers from 0 to 1, without 1, of a stream.
func (n *node) unit(dims []tir.Expr, stream uint32) relax.Expr {
	key := uint32(0)
	if a := n.pb.Attribute("seed"); a != nil && a.Type == onnxpb.AttrInt { // that of Dropout
		key = uint32(a.I)
	} else if a := n.attr("seed", onnxpb.AttrFloat); a != nil {
		key = math.Float32bits(a.F)
	} else {
		h := fnv.New32a()
		_, _ = h.Write([]byte(n.pb.Outputs[0]))
		key = h.Sum32()
	}
	key += stream * 0x9e3779b9
	x := n.masked(n.counting(0, product(dims)))
	x = n.masked(n.integerOp("add", n.mixed(x), int64(key)))
	x = n.emit("relax.astype", args(n.integerOp("right_shift", n.mixed(x), 8)), "dtype", dtype.Float32T)
	return n.reshape(n.linear(x, 0x1p-24, 0), dims)
}

func (n *node) integerOp(op string, x relax.Expr, v int64) relax.Expr {
	return n.emit("relax."+op, args(x, n.integers([]int64{}, []int64{v})))
}

// masked is x modulo 2^32.
func (n *node) masked(x relax.Expr) relax.Expr { return n.integerOp("bitwise_and", x, 1<<32-1) }

// mixed is lowbias32 of numbers of 32 bits. Products are taken in halves, so that none is beyond 2^53.
func (n *node) mixed(x relax.Expr) relax.Expr {
	shifted := func(by int64) { x = n.emit("relax.bitwise_xor", args(x, n.integerOp("right_shift", x, by))) }
	times := func(by int64) {
		high := n.integerOp("bitwise_and", n.integerOp("multiply", x, by>>16), 1<<16-1)
		x = n.masked(n.emit("relax.add", args(n.integerOp("multiply", x, by&(1<<16-1)), n.integerOp("multiply", high, 1<<16))))
	}
	shifted(16)
	times(0x7feb352d)
	shifted(15)
	times(0x846ca68b)
	shifted(16)
	return x
}
