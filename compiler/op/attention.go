package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func attentionOps() []*Op {
	args := []Arg{
		{Name: "query", Doc: "The queries: (batch, length, heads, head extent)."},
		{Name: "key", Doc: "The keys, in the same layout."},
		{Name: "value", Doc: "The values, in the same layout."},
	}
	attrs := []Attr{
		{Name: "scale", Type: OptFloatAttr, Doc: "The factor before the softmax; None is 1 / sqrt(head extent)."},
		{Name: "causal_mask", Type: OptStringAttr, Doc: "The causal mask; None for none.", Enum: []string{"TopLeft", "BottomRight"}},
		{Name: "window_size", Type: OptIntAttr, Doc: "The extent of a sliding window; None for none."},
	}
	return []*Op{
		{
			Name: "relax.nn.attention", Args: args, Attrs: attrs, Infer: inferAttention, Pattern: Opaque,
			Doc: "Scaled dot-product attention.",
		},
		{
			Name: "relax.nn.attention_bias", Args: append(args[:3:3], Arg{Name: "bias", Doc: "Added to the scores before the softmax."}),
			Attrs: attrs, Infer: inferAttention, Pattern: Opaque,
			Doc: "Scaled dot-product attention with a bias.",
		},
		{
			Name: "relax.nn.attention_var_len", Infer: like(0), Pattern: Opaque, Doc: "Attention over sequences of different lengths.",
			Args: []Arg{
				{Name: "queries", Doc: "The queries."},
				{Name: "keys", Doc: "The keys."},
				{Name: "values", Doc: "The values."},
				{Name: "seqstart_q", Doc: "Where queries start."},
				{Name: "max_seqlen_q", Doc: "The longest sequence of queries."},
				{Name: "seqstart_k", Doc: "Where keys start."},
				{Name: "max_seqlen_k", Doc: "The longest sequence of keys."},
			},
			Attrs: []Attr{
				{Name: "scale", Type: OptFloatAttr, Doc: "The scale."}, {Name: "causal_mask", Type: OptStringAttr, Doc: "The mask."}, {Name: "window_size", Type: OptIntAttr, Doc: "The window."},
			},
		},
	}
}

func inferAttention(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	n := c.NumArgs()
	ts, ds := make([]*relax.TensorStructInfo, n), make([][]tir.Expr, n)
	known := true
	for i := range n {
		t, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if t.NDim >= 0 && t.NDim != 4 {
			return nil, c.argErr(i, describe(t), "a tensor of 4 dimensions: batch, length, heads, head extent")
		}
		d, ok := c.dimsOf(t)
		ts[i], ds[i], known = t, d, known && ok
	}
	if !known {
		return rankOf(ts[0].DType, 4, ts[0]), nil
	}
	q, k, v := ds[0], ds[1], ds[2]
	for _, x := range []struct {
		arg  int
		a, b tir.Expr
		what string
	}{
		{1, q[0], k[0], "batch extent of query"},
		{2, q[0], v[0], "batch extent of query"},
		{2, k[1], v[1], "length of key"},
		{1, q[3], k[3], "head extent of query"},
	} {
		if c.differ(x.a, x.b) {
			return nil, c.argErr(x.arg, relax.FormatPrim(x.b), "the %s, %s", x.what, relax.FormatPrim(x.a))
		}
	}
	for i := 1; i < 3; i++ {
		heads, ok := tir.AsInt(q[2])
		own, ok2 := tir.AsInt(ds[i][2])
		if ok && ok2 && (own == 0 || heads%own != 0) {
			return nil, c.argErr(i, dims(ds[i]), "heads that divide the %d heads of query", heads)
		}
	}
	if n == 4 {
		for i, want := range []tir.Expr{q[0], q[2], q[1], k[1]} {
			if got := ds[3][i]; (i == 3 || !tir.IsConst(got, 1)) && c.differ(got, want) {
				return nil, c.argErr(3, dims(ds[3]), "extent %s at axis %d", relax.FormatPrim(want), i)
			}
		}
	}
	return tensorOf(ts[0].DType, []tir.Expr{q[0], q[1], q[2], v[3]}, ts[0]), nil
}
