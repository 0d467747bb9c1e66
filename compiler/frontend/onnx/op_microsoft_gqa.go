package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// groupQueryAttention is causal, with positions that it may turn. Queries, keys, and values may be beside each other. The past has room for as many keys as
// the longest sequence has, of which the others use the first; the new keys follow those that are used.
func groupQueryAttention(n *node) {
	for i, what := range map[int]string{12: "k_scale", 13: "v_scale"} {
		if n.has(i) {
			n.fail("%s (input %d) is given, which is not supported", what, i)
		}
	}
	n.want("sliding_window_cache", 0, "past and present hold all keys")
	n.want("qk_output", 0, "products are not results")
	h := n.newHeads()
	if h.keys = n.int("kv_num_heads", 0); h.keys < 1 || h.count%h.keys != 0 {
		n.fail("attributes \"num_heads\" and \"kv_num_heads\" are %d and %d, expected a multiple and its divisor", h.count, h.keys)
	}
	in := n.ranked(0, 3, 3)
	h.batch, h.rows = in[0], in[1]
	h.q = n.floats(0)
	size := n.static(0, 2) / h.count
	if n.has(1) {
		h.k, h.v = n.expr(1), n.expr(2)
	} else {
		size = n.static(0, 2) / (h.count + 2*h.keys)
		p := n.lastParts(h.q, size*h.count, size*h.keys, size*h.keys)
		h.q, h.k, h.v = p[0], p[1], p[2]
	}
	h.q, h.k = h.normalized(h.q, 14, h.count, size), h.normalized(h.k, 15, h.keys, size)
	switch {
	case n.has(11):
		h.sink = n.expr(11)
	case n.bool("smooth_softmax", false):
		h.sink = n.splat(n.dtype(0), []int64{h.count}, 0)
	}
	h.setPast(3, 4)
	room, grows := h.room(6)
	// How many keys of the past each sequence uses: none in a prompt, whose shorter sequences are filled up at their ends.
	used := n.emit("relax.subtract", args(n.as(n.expr(5), dtype.Int64T), n.tensor(&value{known: scalar(dtype.Int64T, tir.Sub(h.rows, tir.Int(1)))})))
	used = n.reshape(n.emit("relax.maximum", args(used, n.integers([]int64{}, []int64{0}))), []tir.Expr{h.batch, tir.Int(1)})
	if n.bool("do_rotary", false) {
		at := n.emit("relax.add", args(used, n.reshape(n.counting(0, h.rows), []tir.Expr{tir.Int(1), h.rows})))
		if n.has(9) {
			at = n.expr(9)
		}
		turn := func(x relax.Expr, count int64) relax.Expr {
			attrs := []onnxpb.Attribute{intAttr("num_heads", count), intAttr("interleaved", n.int("rotary_interleaved", 0))}
			if half, ok := tir.AsInt(n.ranked(7, 2, 2)[1]); ok && half*2 < size {
				attrs = append(attrs, intAttr("rotary_embedding_dim", half*2))
			}
			return n.tensor(n.apply("RotaryEmbedding", values(x, n.expr(7), n.expr(8), at), attrs...)[0])
		}
		h.q, h.k = turn(h.q, h.count), turn(h.k, h.keys)
	}
	window := n.int("local_window_size", -1)
	if window < 1 && window != -1 {
		n.fail("attribute \"local_window_size\" is %d, expected 1 or more, or -1 for all keys", window)
	}
	causal := n.bool("causal", true)
	if grows && (tir.IsConst(h.past, 0) || tir.IsConst(h.batch, 1)) {
		h.addOperand(10)
		if window > 0 { // the query's own key counts
			h.attrs = append(h.attrs, intAttr("left_window_size", window-1))
		}
		n.out = h.run(causal)
		return
	}
	from := h.closing(used, room)
	h.k, h.v = h.closed(h.k, h.pastKey, from), h.closed(h.v, h.pastVal, from)
	h.pastKey, h.pastVal = nil, nil
	if n.has(10) {
		h.add(h.wide(10, room))
	}
	h.addSeen(used, room, window, causal)
	n.setValue(0, h.run(false)[0])
	n.set(1, h.k)
	n.set(2, h.v)
}

// normalized is x, of so many heads of a size, with each head divided by the root of its mean square and times operand i, if that is given.
func (h *heads) normalized(x relax.Expr, i int, count, size int64) relax.Expr {
	if !h.has(i) {
		return x
	}
	by := []tir.Expr{h.batch, h.rows, tir.Int(count), tir.Int(size)}
	attrs := []onnxpb.Attribute{intAttr("axis", -1), floatAttr("epsilon", h.float("qk_norm_epsilon", 1e-6))}
	x = h.tensor(h.apply("RMSNormalization", values(h.reshape(x, by), h.expr(i)), attrs...)[0])
	return h.reshape(x, []tir.Expr{h.batch, h.rows, tir.Int(count * size)})
}

// room is how many keys the present has room for: as many as the longest sequence has, which operand i says, or as the past has room for. It grows if the past is
// as long as what the longest sequence has of it.
func (h *heads) room(i int) (room tir.Expr, grows bool) {
	whole := tir.Add(h.past, h.rows)
	var longest tir.Expr
	if k := h.known(i); k != nil && len(k.elems) == 1 {
		if longest = h.g.widen(k.elems[0], dtype.Int64T); longest == nil {
			longest = tir.CastTo(dtype.Int64T, k.elems[0])
		}
	} else {
		longest = h.extentsOf(h.reshape(h.expr(i), []tir.Expr{tir.Int(1)}), 1)[0]
	}
	if (&relax.InferContext{Prover: h.g.prover}).Equal(longest, whole) == relax.True || tir.IsConst(h.past, 0) {
		return whole, true
	}
	return tir.Max(h.past, longest), false
}

// addSeen masks keys of the present, room of them, that a query must not see.
func (h *heads) addSeen(used relax.Expr, room tir.Expr, window int64, causal bool) {
	one := tir.Int(1)
	key := h.reshape(h.counting(0, room), []tir.Expr{one, one, one, room})
	first := h.reshape(used, []tir.Expr{h.batch, one, one, one})
	query := h.emit("relax.add", args(first, h.reshape(h.counting(0, h.rows), []tir.Expr{one, one, h.rows, one})))
	last := query
	if !causal {
		last = h.emit("relax.add", args(first, h.tensor(&value{known: scalar(dtype.Int64T, tir.Sub(h.rows, one))})))
	}
	seen := h.emit("relax.less_equal", args(key, last))
	if window > 0 {
		seen = h.emit("relax.logical_and", args(seen, h.emit("relax.greater", args(key, h.emit("relax.subtract", args(query, h.integers([]int64{}, []int64{window})))))))
	}
	h.add(h.emit("relax.where", args(seen, h.constant(dtype.Float32T, 0), h.constant(dtype.Float32T, math.Inf(-1)))))
}

// wide is operand i, which is added to the products of all keys, with columns for those that no sequence has.
func (h *heads) wide(i int, room tir.Expr) relax.Expr {
	x, dims := h.widened(h.expr(i), h.dtype(i)), h.ranked(i, 4, 4)
	if (&relax.InferContext{Prover: h.g.prover}).Equal(dims[3], room) == relax.True {
		return x
	}
	rest := append(slices.Clone(dims[:3]), tir.Sub(room, dims[3]))
	return h.emit("relax.concat", args(tuple(args(x, h.filled(dtype.Float32T, rest, 0)))), "axis", int64(3))
}

// closing is where the keys of each sequence, room of them, come from if the new ones move next to those of its past that are used, (batch, room, 1).
func (h *heads) closing(used relax.Expr, room tir.Expr) relax.Expr {
	total := tir.Add(h.past, h.rows)
	key := h.reshape(h.counting(0, room), []tir.Expr{tir.Int(1), room})
	past, last := h.tensor(&value{known: scalar(dtype.Int64T, h.past)}), h.tensor(&value{known: scalar(dtype.Int64T, tir.Sub(total, tir.Int(1)))})
	from := h.emit("relax.minimum", args(h.emit("relax.add", args(key, h.emit("relax.subtract", args(past, used)))), last))
	from = h.emit("relax.where", args(h.emit("relax.less", args(key, used)), key, from))
	return h.reshape(from, []tir.Expr{h.batch, room, tir.Int(1)})
}

// closed are keys, or values, behind those of the past, as closing says: batch, heads, room, and elements of one.
func (h *heads) closed(x, past, from relax.Expr) relax.Expr {
	size := h.ranked(3, 4, 4)[3]
	x = h.reshape(x, []tir.Expr{h.batch, h.rows, tir.Int(h.keys), size})
	past = h.emit("relax.permute_dims", args(past), "axes", []int64{0, 2, 1, 3})
	x = h.emit("relax.concat", args(tuple(args(past, x))), "axis", int64(1))
	x = h.emit("relax.gather_nd", args(x, from), "batch_dims", int64(1))
	return h.emit("relax.permute_dims", args(x), "axes", []int64{0, 2, 1, 3})
}
