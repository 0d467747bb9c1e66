// Package optest makes random calls of operators, right and wrong ones, for tests of what
// looks at calls: inference, verification, legalization. Only tests may import it.
package optest

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Gen makes calls. Dims that are symbolic are over N and M.
type Gen struct {
	Rand *rand.Rand
	N, M *tir.Var
}

// New returns a generator of the given seed.
func New(seed uint64) *Gen {
	return &Gen{Rand: rand.New(rand.NewPCG(seed, 2)), N: tir.NewVar("n", dtype.Int64T), M: tir.NewVar("m", dtype.Int64T)}
}

func (g *Gen) one(n int) bool { return g.Rand.IntN(n) == 0 }

func pick[T any](g *Gen, list ...T) T { return list[g.Rand.IntN(len(list))] }

// shapes are arguments that fit each other, of operators that take such together that no two random ones fit. Elements are of the same random type
// but where the type stands behind the extents.
var shapes = map[string]string{
	"relax.nn.conv1d":                            "2 4 8, 4 4 3",
	"relax.nn.conv2d":                            "2 4 8 8, 4 4 3 3",
	"relax.nn.conv3d":                            "2 4 8 8 4, 4 4 3 3 1",
	"relax.nn.conv1d_transpose":                  "2 4 8, 4 4 3",
	"relax.nn.conv2d_transpose":                  "2 4 8 8, 4 4 3 3",
	"relax.nn.conv3d_transpose":                  "2 4 8 8 4, 4 4 3 3 1",
	"relax.nn.batch_norm":                        "2 4 8, 4, 4, 4, 4",
	"relax.nn.instance_norm":                     "2 4 8, 4, 4",
	"relax.nn.group_norm":                        "2 4 8, 4, 4",
	"relax.nn.layer_norm":                        "2 4 8, 8, 8",
	"relax.nn.rms_norm":                          "2 4 8, 8",
	"relax.nn.attention":                         "2 4 2 8, 2 4 2 8, 2 4 2 8",
	"relax.nn.attention_bias":                    "2 4 2 8, 2 4 2 8, 2 4 2 8, 2 2 4 4",
	"relax.nn.attention_var_len":                 "8 2 4, 8 2 4, 8 2 4, 3 int32, 1 int32, 3 int32, 1 int32",
	"relax.nn.rnn":                               "3 2 4, 4 4, 2 4",
	"relax.nn.gru":                               "3 2 12, 4 12, 2 4, 4",
	"relax.nn.lstm":                              "3 2 16, 4 16, 2 4, 2 4",
	"relax.nn.nll_loss":                          "2 4 3, 2 3 int64, 4",
	"relax.nn.cross_entropy_with_logits":         "2 4, 2 4",
	"relax.grad.nll_loss_backward":               "2 3, 2 4 3, 2 3 int64, 4",
	"relax.grad.max_pool2d_backward":             "1 2 4 4, 1 2 4 4",
	"relax.grad.avg_pool2d_backward":             "1 2 4 4, 1 2 4 4",
	"relax.grad.take_backward":                   "2 4, 3 4, 2 int64",
	"relax.bucketize":                            "2 4, 3",
	"relax.multinomial_from_uniform":             "2 4 float32, 3 1 float32, 3 1 int64",
	"relax.quantize":                             "2 4 float32, 4 float32, 4 int8",
	"relax.dequantize":                           "2 4 int8, 4 float32, 4 int8",
	"relax.reverse_sequence":                     "2 4 3, 2 int64",
	"relax.image.resize3d":                       "1 2 4 4 4",
	"relax.image.grid_sample":                    "2 3 4 4, 2 2 3 5",
	"relax.image.affine_grid":                    "2 2 3",
	"relax.vision.roi_align":                     "1 2 8 8, 3 5",
	"relax.vision.roi_pool":                      "1 2 8 8, 3 5",
	"relax.vision.all_class_non_max_suppression": "2 6 4, 2 3 6, int64, float32, float32",
	"relax.vision.get_valid_counts":              "2 5 6",
	"relax.vision.non_max_suppression":           "2 5 6, 2 int32, 2 5 int32",
	"relax.vision.multibox_transform_loc":        "2 3 4, 2 16, 1 4 4",
}

// fitting returns the arguments that stand in shapes.
func fitting(text string, like dtype.DType) (out []*relax.TensorStructInfo) {
	for arg := range strings.SplitSeq(text, ",") {
		d, dims := like, []int64{}
		for _, w := range strings.Fields(arg) {
			if n, err := strconv.ParseInt(w, 10, 64); err == nil {
				dims = append(dims, n)
			} else {
				d = dtype.MustParse(w)
			}
		}
		out = append(out, relax.StaticTensor(d, dims...))
	}
	return out
}

// Call returns a call of o with arguments of the kinds that it takes, most of the time, and
// of shapes, ranks and types that may or may not fit. The variables it uses are its
// parameters. ok is false where the attributes alone are refused.
func (g *Gen) Call(o *op.Op) (call *relax.Call, ok bool) {
	like := g.dims()
	typ := g.dtype()
	var args []relax.Expr
	var fit []*relax.TensorStructInfo
	if text := shapes[o.Name]; text != "" && !g.one(4) {
		fit = fitting(text, typ)
	}
	for i, a := range o.Args {
		if a.Optional && g.one(2) {
			break
		}
		if i < len(fit) && !g.one(10) {
			args = append(args, &relax.Var{Name: "x", SInfo: fit[i]})
			like, _ = fit[0].Dims()
			continue
		}
		args = append(args, g.arg(a.Kind, like, typ))
	}
	if n := len(o.Args); n > 0 && o.Args[n-1].Variadic {
		for range g.Rand.IntN(3) {
			args = append(args, g.arg(o.Args[n-1].Kind, like, typ))
		}
	}
	if g.one(20) && len(args) > 0 {
		args = args[:len(args)-1]
	}
	var attrs *ir.Attrs
	for _, a := range o.Attrs {
		if a.Required || g.one(3+len(fit)) {
			attrs = attrs.With(a.Name, g.attr(a, len(like)))
		}
	}
	call, err := o.Call(args, attrs)
	return call, err == nil
}

func (g *Gen) dtype() dtype.DType {
	return pick(g, dtype.Float32T, dtype.Float32T, dtype.Float32T, dtype.Int64T, dtype.Int32T, dtype.BoolT, dtype.Float16T)
}

func (g *Gen) dim() tir.Expr {
	switch g.Rand.IntN(10) {
	case 0:
		return g.N
	case 1:
		return tir.Mul(g.M, tir.Int(2))
	case 2:
		return tir.Int(0)
	}
	return tir.Int(int64(pick(g, 1, 2, 3, 4, 4, 8)))
}

func (g *Gen) dims() []tir.Expr {
	out := make([]tir.Expr, g.Rand.IntN(6))
	for i := range out {
		out[i] = g.dim()
	}
	return out
}

// near is like like, with an extent changed, or a dimension more or less, now and then.
func (g *Gen) near(like []tir.Expr) []tir.Expr {
	out := append([]tir.Expr{}, like...)
	switch g.Rand.IntN(8) {
	case 0:
		return g.dims()
	case 1:
		if len(out) > 0 {
			out = out[g.Rand.IntN(len(out)):]
		}
	case 2:
		if len(out) > 0 {
			out[g.Rand.IntN(len(out))] = g.dim()
		}
	case 3:
		if len(out) > 0 {
			out = out[len(out)-1:]
		}
	}
	return out
}

func (g *Gen) arg(k op.ArgKind, like []tir.Expr, typ dtype.DType) relax.Expr {
	if g.one(30) {
		k = pick(g, op.Tensor, op.Tensors, op.Shape, op.Prim, op.String, op.DType)
	}
	switch k {
	case op.Tensor, op.AnyValue:
		return g.tensor(like, typ)
	case op.Tensors, op.Tuple:
		if g.one(10) {
			return &relax.Var{Name: "t", SInfo: &relax.TupleStructInfo{Fields: []relax.StructInfo{relax.TensorOf(typ, like...)}}}
		}
		t := &relax.Tuple{}
		for range g.Rand.IntN(4) {
			t.Fields = append(t.Fields, g.tensor(like, typ))
		}
		return t
	case op.Shape:
		if g.one(10) {
			return &relax.Var{Name: "s", SInfo: &relax.ShapeStructInfo{NDim: g.Rand.IntN(4) - 1}}
		}
		if g.one(4) {
			t := &relax.Tuple{}
			for _, d := range g.near(like) {
				t.Fields = append(t.Fields, &relax.PrimValue{Value: d})
			}
			return t
		}
		return &relax.ShapeExpr{Values: g.near(like)}
	case op.Prim:
		return &relax.PrimValue{Value: tir.Int(int64(g.Rand.IntN(9) - 3))}
	case op.String:
		return &relax.StringImm{Value: "global"}
	case op.DType:
		return &relax.DataTypeImm{Value: g.dtype()}
	}
	return ir.NewGlobalVar("f")
}

func (g *Gen) tensor(like []tir.Expr, typ dtype.DType) relax.Expr {
	if g.one(6) {
		typ = g.dtype()
	}
	dims := g.near(like)
	var info relax.StructInfo = relax.TensorOf(typ, dims...)
	switch g.Rand.IntN(30) {
	case 0:
		info = relax.TensorOfRank(typ, len(dims))
	case 1:
		info = relax.TensorOfRank(typ, -1)
	case 2:
		info = relax.TensorOf(dtype.Void, dims...)
	case 3:
		info = relax.Object()
	}
	return &relax.Var{Name: "x", SInfo: info}
}

// attr is a value of the type of a: small numbers, some of them negative, and lists of about
// as many as there are dimensions.
func (g *Gen) attr(a op.Attr, rank int) ir.Value {
	n := int64(g.Rand.IntN(9) - 4)
	switch {
	case g.one(40):
		n = pick(g, int64(1)<<40, -1<<40, 1<<62, -1<<63)
	case g.one(20):
		n = pick(g, int64(17), -17)
	}
	switch a.Type {
	case op.IntAttr, op.OptIntAttr:
		return n
	case op.IntOrIntsAttr:
		if g.one(2) {
			return n
		}
		return g.ints(rank)
	case op.FloatAttr, op.OptFloatAttr:
		return float64(n) / 2
	case op.BoolAttr:
		return n > 0
	case op.StringAttr, op.OptStringAttr:
		if len(a.Enum) > 0 {
			return pick(g, a.Enum...)
		}
		return pick(g, "", "NCHW", "NHWC", "OIHW", "HWIO", "NCW", "NWC", "NCDHW", "NCHW4c", "ij,jk->ik", "ii", "i,i->i", "é->é", ",->", "int32", "float32")
	case op.IntsAttr, op.OptIntsAttr:
		return g.ints(rank)
	case op.FloatsAttr:
		return ir.Normalize([]float64{0, 1})
	case op.DTypeAttr:
		return g.dtype()
	case op.NodeAttr:
		v := tir.NewVar("i", dtype.Int64T)
		if g.one(2) {
			return &tir.IndexMap{Initial: []*tir.Var{v}, Final: []tir.Expr{tir.FloorDiv(v, tir.Int(4)), tir.FloorMod(v, tir.Int(4))}}
		}
		return &relax.VDevice{Target: "llvm"}
	}
	return nil
}

func (g *Gen) ints(rank int) ir.Value {
	list := make([]int64, max(rank+g.Rand.IntN(5)-3, 0))
	if g.one(2) {
		list = make([]int64, g.Rand.IntN(5))
	}
	for i := range list {
		list[i] = int64(g.Rand.IntN(7) - 3)
		if g.one(3) {
			list[i] = int64(g.Rand.IntN(rank + 1))
		}
		if g.one(60) {
			list[i] = pick(g, int64(1)<<40, 17, -17, -1<<63)
		}
	}
	return ir.Normalize(list)
}
