package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attentionRows are what transformers are made of.
func attentionRows() []operator {
	return []operator{
		{
			name: "Attention", minIn: 3, maxIn: 7,
			attrs:   []string{"is_causal", "kv_num_heads", "left_window_size", "q_num_heads", "qk_matmul_output_mode", "right_window_size", "scale", "softcap", "softmax_precision"},
			convert: func(n *node) { (&attention{node: n, elem: n.dtype(0)}).convert() },
		},
		{name: "RotaryEmbedding", minIn: 3, maxIn: 4, attrs: []string{"interleaved", "num_heads", "rotary_embedding_dim"}, convert: rotaryEmbedding},
		{name: "CausalConvWithState", minIn: 2, maxIn: 4, attrs: []string{"activation"}, convert: causalConv},
		{name: "LinearAttention", minIn: 3, maxIn: 6, attrs: []string{"chunk_size", "kv_num_heads", "q_num_heads", "scale", "update_rule"}, convert: linearAttention},
	}
}

// attention is a node Attention while it is converted. Its operands are Q, K, V, attn_mask, past_key, past_value and nonpad_kv_seqlen.
type attention struct {
	*node
	elem             dtype.DType
	batch, rows      tir.Expr // sequences, queries of each
	columns          tir.Expr // keys, those of the past too
	heads, keyHeads  tir.Expr
	past             tir.Expr // keys of the past
	flat             bool     // heads and their elements are one axis
	queries, keys, v relax.Expr
	// sink, where it is not nil, is for each head of queries what the softmax counts beside the products.
	sink relax.Expr
}

// byHead is operand i with the axes batch, heads, length and elements of a head.
func (a *attention) byHead(i int, attr string) (relax.Expr, []tir.Expr) {
	x, dims := a.expr(i), a.dims(i)
	if len(dims) == 4 {
		return x, dims
	}
	if len(dims) != 3 {
		a.fail("input %d has %d dimensions, expected 3 or 4", i, len(dims))
	}
	heads := a.int(attr, 0)
	if heads < 1 {
		a.fail("attribute %q is %d, expected 1 or more where input %d has 3 dimensions", attr, heads, i)
	}
	shape := []tir.Expr{dims[0], dims[1], tir.Int(heads), a.divided(dims[2], heads, 2)}
	x = a.emit("relax.permute_dims", args(a.reshape(x, shape)), "axes", []int64{0, 2, 1, 3})
	return x, []tir.Expr{shape[0], shape[2], shape[1], shape[3]}
}

func (a *attention) convert() {
	a.floats(0)
	a.sameDType(0, 1, 4)
	a.sameDType(2, 5)
	var q, k, v []tir.Expr
	a.queries, q = a.byHead(0, "q_num_heads")
	a.keys, k = a.byHead(1, "kv_num_heads")
	a.v, v = a.byHead(2, "kv_num_heads")
	a.flat, a.batch, a.rows, a.heads, a.keyHeads = a.rank(0) == 3, q[0], q[2], q[1], k[1]
	if !a.equal(k[1], v[1]) || !a.equal(k[2], v[2]) || !a.equal(q[3], k[3]) || !a.equal(q[0], k[0]) {
		a.fail("Q, K and V have shapes %s, %s and %s by heads, which do not fit", relax.FormatDims(q), relax.FormatDims(k), relax.FormatDims(v))
	}
	if a.has(4) != a.has(5) {
		a.fail("past_key (input 4) and past_value (input 5) belong together, but one is left out")
	}
	a.columns, a.past = k[2], tir.Int(0)
	if a.has(4) {
		if a.rank(4) != 4 {
			a.fail("past_key (input 4) has %d dimensions, expected 4", a.rank(4))
		}
		a.past = a.dims(4)[2]
		a.columns = tir.Add(a.past, k[2])
		a.keys = a.emit("relax.concat", args(tuple(args(a.expr(4), a.keys))), "axis", int64(2))
		a.v = a.emit("relax.concat", args(tuple(args(a.expr(5), a.v))), "axis", int64(2))
	}
	a.set(1, a.keys)
	a.set(2, a.v)
	probabilities := a.probabilities(q[3])
	// The queries of the heads that share keys are rows of one product.
	y := a.reshape(probabilities, []tir.Expr{a.batch, a.keyHeads, a.shared(), a.columns})
	y = a.emit("relax.matmul", args(y, a.widened(a.v, a.elem)))
	y = a.rounded(a.reshape(y, []tir.Expr{a.batch, a.heads, a.rows, v[3]}), a.elem)
	if !a.flat {
		a.set(0, y)
		return
	}
	y = a.emit("relax.permute_dims", args(y), "axes", []int64{0, 2, 1, 3})
	a.reshapeResult(y, []tir.Expr{a.batch, a.rows, tir.Mul(a.heads, v[3])})
}

// shared is how many rows a head of keys has.
func (a *attention) shared() tir.Expr {
	heads, ok := tir.AsInt(a.heads)
	keys, ok2 := tir.AsInt(a.keyHeads)
	if !ok || !ok2 || keys < 1 || heads%keys != 0 {
		a.fail("there are %s heads of queries and %s of keys, expected constants of which one divides the other", relax.FormatPrim(a.heads), relax.FormatPrim(a.keyHeads))
	}
	return tir.Mul(tir.Int(heads/keys), a.rows)
}

// headScale is what the products of queries and keys of so many elements are scaled by where the node does not say.
func (n *node) headScale(extent tir.Expr) float64 {
	size, ok := tir.AsInt(extent)
	if !ok || size < 1 {
		n.fail("a head has %s elements, expected a constant of 1 or more where there is no attribute \"scale\"", relax.FormatPrim(extent))
	}
	return 1 / math.Sqrt(float64(size))
}

// probabilities are the softmax of what queries and keys of elements extent have in common, with what is masked left out. Output 3 is one of the steps.
func (a *attention) probabilities(extent tir.Expr) relax.Expr {
	wide := a.elem.Accumulator()
	scale := a.float("scale", 0)
	if scale == 0 {
		scale = a.headScale(extent)
	}
	q := a.emit("relax.multiply", args(a.widened(a.queries, a.elem), a.constant(wide, scale)))
	q = a.reshape(q, []tir.Expr{a.batch, a.keyHeads, a.shared(), extent})
	k := a.emit("relax.permute_dims", args(a.widened(a.keys, a.elem)), "axes", []int64{0, 1, 3, 2})
	x := a.reshape(a.emit("relax.matmul", args(q, k)), []tir.Expr{a.batch, a.heads, a.rows, a.columns})
	steps := args(x)
	if cap := a.float("softcap", 0); cap != 0 {
		x = a.emit("relax.tanh", args(a.emit("relax.divide", args(x, a.constant(wide, cap)))))
		x = a.emit("relax.multiply", args(x, a.constant(wide, cap)))
	}
	steps = append(steps, x)
	bias := a.bias()
	if bias != nil {
		x = a.emit("relax.add", args(x, bias))
	}
	steps = append(steps, x)
	x = a.softmax(x)
	if bias != nil { // a row of which nothing is left
		top := a.emit("relax.max", args(bias), "axis", []int64{3}, "keepdims", true)
		none := a.emit("relax.equal", args(top, a.constant(wide, math.Inf(-1))))
		x = a.emit("relax.where", args(none, a.constant(wide, 0), x))
	}
	steps = append(steps, x)
	mode := a.int("qk_matmul_output_mode", 0)
	if mode < 0 || mode > 3 {
		a.fail("attribute \"qk_matmul_output_mode\" is %d, expected 0 to 3", mode)
	}
	if a.wants(3) {
		a.set(3, a.rounded(steps[mode], a.elem))
	}
	return x
}

// softmax is that of the products along the last axis, and of the sink.
func (a *attention) softmax(x relax.Expr) relax.Expr {
	if a.sink == nil {
		return a.emit("relax.nn.softmax", args(x), "axis", int64(3))
	}
	one := tir.Int(1)
	sink := a.reshape(a.widened(a.sink, a.elem), []tir.Expr{one, a.heads, one, one})
	sink = a.emit("relax.broadcast_to", args(sink, shapeExpr([]tir.Expr{a.batch, a.heads, a.rows, one})))
	x = a.emit("relax.concat", args(tuple(args(x, sink))), "axis", int64(3))
	return a.part(a.emit("relax.nn.softmax", args(x), "axis", int64(3)), 3, tir.Int(0), a.columns)
}

// bias is what is added before the softmax: the mask, and minus infinity for keys that a query must not see. It is nil for none.
func (a *attention) bias() (sum relax.Expr) {
	wide := a.elem.Accumulator()
	zero, never := a.constant(wide, 0), a.constant(wide, math.Inf(-1))
	add := func(b relax.Expr) {
		if sum != nil {
			b = a.emit("relax.add", args(sum, b))
		}
		sum = b
	}
	if a.has(3) {
		add(a.mask(zero, never))
	}
	column := a.reshape(a.counting(0, a.columns), []tir.Expr{tir.Int(1), tir.Int(1), tir.Int(1), a.columns})
	ends := relax.Expr(nil) // keys of each sequence
	if a.has(6) {
		a.wantDType(6, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
		ends = a.reshape(a.expr(6), []tir.Expr{a.batch, tir.Int(1), tir.Int(1), tir.Int(1)})
	}
	left, right := a.int("left_window_size", -1), a.int("right_window_size", -1)
	if left < -1 || right < -1 {
		a.fail("attributes \"left_window_size\" and \"right_window_size\" are %d and %d, expected numbers of keys, or -1 for all", left, right)
	}
	if causal := a.bool("is_causal", false); causal || left >= 0 || right >= 0 {
		row := a.reshape(a.counting(0, a.rows), []tir.Expr{tir.Int(1), tir.Int(1), a.rows, tir.Int(1)})
		// The last query sees the last key of its sequence, or of what the past is in front of.
		offset := a.tensor(&value{known: scalar(dtype.Int64T, a.past)})
		if ends != nil && !a.has(4) {
			offset = a.emit("relax.subtract", args(ends, a.tensor(&value{known: scalar(dtype.Int64T, a.rows)})))
		}
		last := a.emit("relax.add", args(row, offset))
		if causal {
			add(a.emit("relax.where", args(a.emit("relax.less", args(last, column)), never, zero)))
		}
		if right >= 0 {
			end := a.emit("relax.add", args(last, a.integers([]int64{}, []int64{right})))
			add(a.emit("relax.where", args(a.emit("relax.less", args(end, column)), never, zero)))
		}
		if left >= 0 {
			first := a.emit("relax.subtract", args(last, a.integers([]int64{}, []int64{left})))
			add(a.emit("relax.where", args(a.emit("relax.less", args(column, first)), never, zero)))
		}
	}
	if ends != nil {
		add(a.emit("relax.where", args(a.emit("relax.less", args(column, ends)), zero, never)))
	}
	return sum
}

// mask is attn_mask as numbers. What it lacks of the last axis is hidden.
func (a *attention) mask(zero, never relax.Expr) relax.Expr {
	wide := a.elem.Accumulator()
	m, dims := a.expr(3), a.dims(3)
	if len(dims) < 2 || len(dims) > 4 {
		a.fail("attn_mask (input 3) has %d dimensions, expected 2 to 4", len(dims))
	}
	if d := a.dtype(3); d.IsBool() {
		m = a.emit("relax.where", args(m, zero, never))
	} else if a.floats(3); d != wide {
		m = a.emit("relax.astype", args(m), "dtype", wide)
	}
	four := append([]tir.Expr{tir.Int(1), tir.Int(1)}[:4-len(dims)], dims...)
	m = a.reshape(m, four)
	have, ok := tir.AsInt(four[3])
	want, ok2 := tir.AsInt(a.columns)
	if ok && ok2 && have < want && have != 1 {
		m = a.emit("relax.nn.pad", args(m), "pad_width", []int64{0, 0, 0, 0, 0, 0, 0, want - have}, "pad_mode", "constant", "pad_value", math.Inf(-1))
	}
	return m
}
