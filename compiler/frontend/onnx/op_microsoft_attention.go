package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// microsoftAttentionRows are attention with what surrounds it: projections, masks of whole keys, and turned positions.
func microsoftAttentionRows() []operator {
	return []operator{
		{
			name: "Attention", minIn: 2, maxIn: 7, convert: microsoftAttention,
			attrs: []string{"do_rotary", "mask_filter_value", "num_heads", "past_present_share_buffer", "qkv_hidden_sizes", "rotary_embedding_dim", "scale", "unidirectional"},
		},
		{
			name: "QAttention", minIn: 5, maxIn: 9, convert: qAttention,
			attrs: []string{"do_rotary", "mask_filter_value", "num_heads", "past_present_share_buffer", "scale", "unidirectional"},
		},
		{name: "MultiHeadAttention", minIn: 1, maxIn: 10, attrs: []string{"mask_filter_value", "num_heads", "scale", "unidirectional"}, convert: multiHeadAttention},
		{
			name: "GroupQueryAttention", minIn: 1, maxIn: 16, convert: groupQueryAttention,
			attrs: []string{
				"causal", "do_rotary", "k_quant_type", "kv_cache_bit_width", "kv_num_heads", "local_window_size", "num_heads", "qk_norm_epsilon", "qk_output", "rotary_interleaved",
				"scale", "sliding_window_cache", "smooth_softmax", "softcap", "v_quant_type",
			},
		},
		{
			name: "RotaryEmbedding", minIn: 4, maxIn: 4, convert: microsoftRotary,
			attrs: []string{"interleaved", "is_packed_batching", "num_heads", "rotary_embedding_dim", "scale"},
		},
	}
}

// heads is an attention in the making: its operands, with the axes batch, length, and elements of all heads, or batch, heads, length, and elements of one.
type heads struct {
	*node
	q, k, v           relax.Expr
	bias              relax.Expr // what is added before the softmax, or nil
	pastKey, pastVal  relax.Expr // or nil
	sink              relax.Expr // for each head what the softmax counts beside the products, or nil
	count, keys       int64      // of heads
	batch, rows, past tir.Expr
	attrs             []onnxpb.Attribute
}

func (n *node) newHeads() *heads {
	h := &heads{node: n, count: n.int("num_heads", 0), attrs: n.kept("scale", "softcap"), past: tir.Int(0)}
	if h.count < 1 {
		n.fail("attribute \"num_heads\" is %d, expected 1 or more", h.count)
	}
	h.keys = h.count
	return h
}

// run computes the attention. Results are the output and keys and values with those of the past in front.
func (h *heads) run(causal bool) []*value {
	attrs := append(h.attrs, intAttr("q_num_heads", h.count), intAttr("kv_num_heads", h.keys), boolAttr("is_causal", causal))
	s := h.step("Attention", values(h.q, h.k, h.v, h.bias, h.pastKey, h.pastVal), attrs)
	(&attention{node: s, elem: s.dtype(0), sink: h.sink}).convert()
	return s.out
}

// add adds a term of shape (batch or 1, heads or 1, rows, columns) to the bias.
func (h *heads) add(term relax.Expr) {
	if h.bias != nil {
		term = h.emit("relax.add", args(h.bias, term))
	}
	h.bias = term
}

// addOperand adds operand i, if it is given.
func (h *heads) addOperand(i int) {
	if h.has(i) {
		h.add(h.widened(h.expr(i), h.dtype(i)))
	}
}

// addMask adds attribute mask_filter_value where operand i, if it is given, masks a key: by 0 for each key, or each key of a row, or by the ends of the keys of each
// sequence, behind which their starts may be.
func (h *heads) addMask(i int, columns tir.Expr) {
	if !h.has(i) {
		return
	}
	h.wantDType(i, "int32", func(d dtype.DType) bool { return d == dtype.Int32T })
	m, dims := h.expr(i), h.dims(i)
	one := tir.Int(1)
	var keep relax.Expr
	switch len(dims) {
	case 1:
		column := h.emit("relax.astype", args(h.reshape(h.counting(0, columns), []tir.Expr{one, one, one, columns})), "dtype", dtype.Int32T)
		at := func(lo, hi tir.Expr) relax.Expr {
			return h.reshape(h.part(m, 0, lo, hi), []tir.Expr{h.batch, one, one, one})
		}
		if !sameDims(dims, []tir.Expr{tir.Mul(h.batch, tir.Int(2))}) {
			if !mayEqual(dims[0], h.batch) {
				h.fail("the mask (input %d) has shape %s, expected ends, or ends and starts, of %s sequences, or 2 or 3 dimensions", i, relax.FormatDims(dims), relax.FormatPrim(h.batch))
			}
			if ends := []tir.Expr{h.batch}; !sameDims(dims, ends) {
				m = h.matchCast(m, ends)
			}
			keep = h.emit("relax.less", args(column, h.reshape(m, []tir.Expr{h.batch, one, one, one})))
			break
		}
		end, start := at(tir.Int(0), h.batch), at(h.batch, tir.Mul(h.batch, tir.Int(2)))
		keep = h.emit("relax.logical_and", args(h.emit("relax.less", args(column, end)), h.emit("relax.greater_equal", args(column, start))))
	case 2, 3:
		shape := []tir.Expr{h.batch, one, one, columns}
		if len(dims) == 3 {
			shape[2] = h.rows
		}
		keep = h.emit("relax.greater", args(h.reshape(m, shape), h.integers32(0)))
	default:
		h.fail("the mask (input %d) has %d dimensions, supported are 1 to 3", i, len(dims))
	}
	wide := dtype.Float32T
	h.add(h.emit("relax.where", args(keep, h.constant(wide, 0), h.constant(wide, h.float("mask_filter_value", -10000)))))
}

func (n *node) integers32(v int64) relax.Expr {
	return n.as(n.integers([]int64{}, []int64{v}), dtype.Int32T)
}

// lastParts cuts x along its last axis.
func (n *node) lastParts(x relax.Expr, sizes ...int64) []relax.Expr {
	dims, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	axis, at := len(dims)-1, int64(0)
	out := make([]relax.Expr, len(sizes))
	for i, s := range sizes {
		out[i] = n.part(x, axis, tir.Int(at), tir.Int(at+s))
		at += s
	}
	return out
}

// static is extent a of operand i, the last, which must be constant.
func (n *node) static(i, a int) int64 {
	d := n.ranked(i, a+1, a+1)[a]
	v, ok := tir.AsInt(d)
	if !ok {
		n.fail("extent %d of input %d is %s, expected a constant", a, i, relax.FormatPrim(d))
	}
	return v
}

// microsoftAttention projects its input to queries, keys, and values first.
func microsoftAttention(n *node) {
	n.sameDType(0, 1, 2, 4, 5)
	n.projected(n.emit("relax.matmul", args(n.floats(0), n.expr(1))), n.optional(2), 3, 4, 5)
}

// qAttention is Attention with an input and weights of bytes.
func qAttention(n *node) {
	sum := op.ByteMatmul(n.emit, n.byteFactor(0, 6, ofRows), n.byteFactor(1, 7, ofColumns))
	scale := n.emit("relax.multiply", args(n.scaleOf(3), n.vector(4, ofColumns)))
	n.projected(n.emit("relax.multiply", args(n.as(sum, dtype.Float32T), scale)), n.expr(2), 5, 8, -1)
}

// projected is the attention of queries, keys, and values that are beside each other, before their bias is added. The mask, the past, and what is added to
// products are operands.
func (n *node) projected(qkv, bias relax.Expr, mask, past, add int) {
	n.want("do_rotary", 0, "turn positions in front of the attention")
	n.want("past_present_share_buffer", 0, "past and present are tensors of their own")
	h := n.newHeads()
	if bias != nil {
		qkv = n.emit("relax.add", args(qkv, bias))
	}
	in := n.ranked(0, 3, 3)
	h.batch, h.rows = in[0], in[1]
	sizes := n.ints("qkv_hidden_sizes")
	if sizes == nil {
		third := n.static(1, 1) / 3
		sizes = []int64{third, third, third}
	}
	if len(sizes) != 3 || sizes[0]+sizes[1]+sizes[2] != n.static(1, 1) || slices.Min(sizes) < 1 {
		n.fail("the weights have %d columns, expected those of queries, keys, and values: %v", n.static(1, 1), sizes)
	}
	p := n.lastParts(qkv, sizes...)
	h.q, h.k, h.v = p[0], p[1], p[2]
	if n.has(past) {
		d := n.ranked(past, 5, 5)
		half := func(i int64) relax.Expr { return n.reshape(n.part(n.expr(past), 0, tir.Int(i), tir.Int(i+1)), d[1:]) }
		h.pastKey, h.pastVal, h.past = half(0), half(1), d[3]
	}
	h.addMask(mask, tir.Add(h.past, h.rows))
	if add > 0 {
		h.addOperand(add)
	}
	out := h.run(n.bool("unidirectional", false))
	n.setValue(0, out[0])
	if n.wants(1) {
		both := make([]relax.Expr, 2)
		for i := range both {
			both[i] = n.emit("relax.expand_dims", args(n.tensor(out[1+i])), "axis", []int64{0})
		}
		n.set(1, n.emit("relax.concat", args(tuple(both)), "axis", int64(0)))
	}
}

// multiHeadAttention takes queries, keys, and values before their bias is added; keys and values may be by heads, and have none then.
func multiHeadAttention(n *node) {
	h := n.newHeads()
	if n.has(8) || n.has(9) {
		n.fail("buffers that past and present share (inputs 8 and 9) are given; they must be tensors of their own")
	}
	if n.wants(3) {
		n.fail("the products of queries and keys (output 3) are used, which is not supported")
	}
	h.q = n.floats(0)
	q := n.dims(0)
	h.batch, h.rows = q[0], q[1]
	length, apart := h.rows, false
	switch {
	case len(q) == 5:
		p := n.packed(0, 3)
		h.q, h.k, h.v = p[0], p[1], p[2]
	case n.rank(1) == 5:
		p := n.packed(1, 2)
		h.k, h.v, length = p[0], p[1], n.dims(1)[1]
	default:
		n.ranked(0, 3, 3)
		k := n.ranked(1, 3, 4)
		h.k, h.v, length = n.expr(1), n.expr(2), k[1]
		if apart = len(k) == 4; apart { // keys and values by heads
			length = k[2]
		}
	}
	if n.has(3) {
		width := func(x relax.Expr) int64 {
			d, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
			v, ok := tir.AsInt(d[len(d)-1])
			if !ok {
				n.fail("the elements of all heads are %s, expected a constant where there is a bias (input 3)", relax.FormatPrim(d[len(d)-1]))
			}
			return v
		}
		hidden := width(h.q)
		b := n.lastParts(n.expr(3), hidden, hidden, n.static(3, 0)-2*hidden)
		h.q = n.emit("relax.add", args(h.q, b[0]))
		if !apart {
			h.k, h.v = n.emit("relax.add", args(h.k, b[1])), n.emit("relax.add", args(h.v, b[2]))
		}
	}
	h.setPast(6, 7)
	h.addMask(4, tir.Add(h.past, length))
	h.addOperand(5)
	n.out = h.run(n.bool("unidirectional", false))
}

// packed are the tensors that operand i holds beside each other, so many for each head: batch, length, and elements of all heads.
func (n *node) packed(i int, count int64) []relax.Expr {
	d := n.ranked(i, 5, 5)
	if !tir.IsConst(d[3], count) {
		n.fail("input %d has shape %s, expected %d tensors along axis 3", i, relax.FormatDims(d), count)
	}
	out := make([]relax.Expr, count)
	for k := range out {
		x := n.part(n.expr(i), 3, tir.Int(int64(k)), tir.Int(int64(k+1)))
		out[k] = n.reshape(x, []tir.Expr{d[0], d[1], tir.Mul(d[2], d[4])})
	}
	return out
}

// setPast takes keys and values of the past from operands, if they are given.
func (h *heads) setPast(k, v int) {
	if !h.has(k) {
		return
	}
	h.pastKey, h.pastVal, h.past = h.expr(k), h.expr(v), h.ranked(k, 4, 4)[2]
}

// microsoftRotary is RotaryEmbedding with the operands in another order, and positions that may be one for the first element of each sequence.
func microsoftRotary(n *node) {
	n.want("is_packed_batching", 0, "sequences are apart")
	if s := n.float("scale", 1); s != 1 {
		n.fail("attribute \"scale\" is %v, supported is 1", s)
	}
	dims, angles := n.ranked(0, 3, 4), n.ranked(2, 2, 2)
	rows, attrs := dims[len(dims)-2], n.kept("interleaved", "rotary_embedding_dim")
	count := n.int("num_heads", 0)
	if len(dims) == 3 {
		if count == 0 {
			half, ok := tir.AsInt(angles[1])
			if !ok || half < 1 || n.static(0, 2)%(2*half) != 0 {
				n.fail("the cosines (input 2) have shape %s, which the %s elements of all heads are no multiple of", relax.FormatDims(angles), relax.FormatPrim(dims[2]))
			}
			count = n.static(0, 2) / (2 * half)
		}
		rows, attrs = dims[1], append(attrs, intAttr("num_heads", count))
	}
	at := n.expr(1)
	if n.rank(1) < 2 {
		at = n.emit("relax.add", args(n.reshape(n.as(at, dtype.Int64T), []tir.Expr{tir.Int(1), tir.Int(1)}), n.reshape(n.counting(0, rows), []tir.Expr{tir.Int(1), rows})))
		at = n.emit("relax.broadcast_to", args(at, shapeExpr([]tir.Expr{dims[0], rows})))
	}
	n.out = n.apply("RotaryEmbedding", values(n.expr(0), n.expr(2), n.expr(3), at), attrs...)
}
