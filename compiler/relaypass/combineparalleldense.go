package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CombineParallelDense makes one product of several dense layers of the same data.
var CombineParallelDense = &pass.Pass{
	Name: "relay.CombineParallelDense", Level: 4, Kind: pass.Function, Required: []string{inferType},
	Options: []pass.Option{minBranches, {Name: "to_batch", Default: true, Doc: "make one nn.batch_matmul of layers with equal weights' shapes, else one nn.dense of layers of any width"}},
	Doc:     "Makes one nn.batch_matmul of several nn.dense that take the same data, or one nn.dense whose weights lie behind each other, with the elementwise operators that follow all of them, and takes its result apart.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return combining("combine dense layers of one value", func(s *site) combinable {
			if c.Arg("to_batch").(bool) {
				return stackedLayers{s}.combinable()
			}
			return wideLayers{s}.combinable()
		})(c, m)
	},
}

// isLayer reports whether a call of nn.dense has two matrices of known extents.
func (s *site) isLayer(c *relax.Call) bool {
	x, ok := s.dims(c.Args[0])
	w, ok2 := s.dims(c.Args[1])
	return ok && ok2 && len(x) == 2 && len(w) == 2 && s.tensor(c) != nil
}

// alikeLayers reports whether two calls of nn.dense compute in the same element types.
func (s *site) alikeLayers(a, b *relax.Call) bool {
	return s.isLayer(a) && s.isLayer(b) && s.sameType(a, b) && s.sameType(a.Args[1], b.Args[1]) && a.Attrs.DType("out_dtype") == b.Attrs.DType("out_dtype")
}

// stackedLayers become the matrices of a batch. After ParallelDenseToBatchCombiner and ParallelOpBatchCombiner of TVM v0.18.
type stackedLayers struct{ *site }

func (st stackedLayers) combinable() combinable {
	return combinable{
		operator:   "relay.nn.dense",
		compatible: func(a, b *relax.Call) bool { return st.alikeLayers(a, b) && st.sameDims(a.Args[1], b.Args[1]) },
		together: func(g []branch) relax.Expr {
			attrs := ir.NewAttrs("out_dtype", g[0].call(0).Attrs.DType("out_dtype"), "transpose_a", false, "transpose_b", true)
			return callOf("relay.nn.batch_matmul", attrs, stack(operands(g, 0, 0)), stack(operands(g, 0, 1)))
		},
		follows: st.follows,
		joined: func(g []branch, depth, _, i int) relax.Expr {
			list := operands(g, depth, i)
			if t := st.tensor(list[0]); t.NDim == 1 { // so that it broadcasts behind the batch
				for k, e := range list {
					list[k] = op.ExpandDims(e, 0)
				}
			}
			return stack(list)
		},
		parts: func(data relax.Expr, g []branch) relax.Expr {
			if len(g) > op.MaxParts { // told by where they begin
				at := make([]int64, len(g)-1)
				for i := range at {
					at[i] = int64(i + 1)
				}
				return op.SplitAt(data, 0, at...)
			}
			return callOf("relax.split", ir.NewAttrs("indices_or_sections", int64(len(g)), "axis", int64(0)), data)
		},
		outputs: func(data relax.Expr, g []branch, _ int) []relax.Expr {
			out := make([]relax.Expr, len(g))
			for i := range g {
				out[i] = op.Squeeze(&relax.TupleGetItem{Tuple: data, Index: i}, 0)
			}
			return out
		},
	}
}

// stack puts tensors behind each other along a new first axis.
func stack(list []relax.Expr) relax.Expr {
	return callOf("relax.stack", ir.NewAttrs("axis", int64(0)), &relax.Tuple{Fields: list})
}

// follows reports whether the operators at a depth keep the two axes, and take tensors of equal extents with as many.
func (st stackedLayers) follows(g []branch, depth, parent int) bool {
	for _, br := range g {
		c := br.call(depth)
		if !st.sameDims(br[depth].Var, g[0][0].Var) || !st.anywhere(c) {
			return false // an axis has another number behind that of the batch
		}
		for i, a := range c.Args {
			t := st.tensor(a)
			if i == parent || t == nil {
				continue
			}
			if !st.sameDims(a, g[0].call(depth).Args[i]) || t.NDim != 1 && t.NDim != 2 {
				return false
			}
		}
	}
	return true
}

// wideLayers become one layer of the sum of their widths. After ParallelDenseToDenseCombiner of TVM v0.18.
type wideLayers struct{ *site }

func (wl wideLayers) combinable() combinable {
	return combinable{
		operator: "relay.nn.dense",
		compatible: func(a, b *relax.Call) bool {
			if !wl.alikeLayers(a, b) {
				return false
			}
			x, _ := wl.dims(a.Args[1])
			y, _ := wl.dims(b.Args[1])
			return x[1] == y[1]
		},
		together: func(g []branch) relax.Expr {
			units := int64(0)
			for _, br := range g {
				units += wl.width(br)
			}
			attrs := ir.NewAttrs("units", units, "out_dtype", g[0].call(0).Attrs.DType("out_dtype"))
			return callOf("relay.nn.dense", attrs, g[0].call(0).Args[0], op.Concat(0, operands(g, 0, 1)...))
		},
		follows: wl.follows, joined: wl.joined, outputs: wl.outputs,
	}
}

// width is the number of rows of the weights.
func (wl wideLayers) width(br branch) int64 {
	d, _ := wl.dims(br.call(0).Args[1])
	return d[0]
}

// columns returns the axis of the value at a depth that the columns of the layers are.
func (wl wideLayers) columns(br branch, depth int) int {
	axis := 1
	for k := 1; k <= depth; k++ {
		c, out := br.call(k), wl.tensor(br[k].Var).NDim
		if !isCall(c, "relax.expand_dims") {
			axis += out - wl.tensor(br[k-1].Var).NDim // axes that come in by broadcasting are in front
			continue
		}
		inserted := map[int]bool{}
		for _, a := range c.Attrs.Ints("axis") {
			inserted[(int(a)+out)%out] = true
		}
		for i, old := 0, -1; old < axis; i++ {
			if !inserted[i] {
				old++
			}
			if old == axis {
				axis = i
				break
			}
		}
	}
	return axis
}

// follows reports whether the operators at a depth keep the columns, and take tensors with a value for each, or one for all.
func (wl wideLayers) follows(g []branch, depth, parent int) bool {
	for _, br := range g {
		c := br.call(depth)
		out, ok := wl.dims(br[depth].Var)
		if !ok || wl.tensor(br[depth-1].Var) == nil {
			return false
		}
		columns, width := wl.columns(br, depth), wl.width(br)
		if out[columns] != width {
			return false
		}
		if isCall(c, "relax.expand_dims") {
			continue
		}
		bias := biasAlong(c, columns, len(out))
		if !bias && !wl.anywhere(c) {
			return false
		}
		for i, a := range c.Args {
			if i == parent || wl.tensor(a) == nil {
				continue
			}
			d, ok := wl.dims(a)
			first, ok2 := wl.dims(g[0].call(depth).Args[i])
			n := len(d)
			switch {
			case !ok || !ok2 || !bias && columns != len(out)-1:
				return false
			case n == 0 && !isBroadcast(c):
				return false
			case n > 0 && (d[n-1] != 1 && d[n-1] != width || !sameBut(d, first, n-1)):
				return false
			}
		}
	}
	return true
}

// joined repeats what is one value for all columns, and puts the values for the columns behind each other.
func (wl wideLayers) joined(g []branch, depth, _, i int) relax.Expr {
	list := operands(g, depth, i)
	last := max(wl.tensor(list[0]).NDim-1, 0)
	for k, e := range list {
		width, d := wl.width(g[k]), []int64(nil)
		if d, _ = wl.dims(e); len(d) == 0 {
			e = op.ExpandDims(e, -1)
		}
		if len(d) == 0 || d[last] == 1 && width > 1 {
			e = callOf("relax.repeat", ir.NewAttrs("repeats", width, "axis", int64(last)), e)
		}
		list[k] = e
	}
	return op.Concat(int64(last), list...)
}

func (wl wideLayers) outputs(data relax.Expr, g []branch, depth int) []relax.Expr {
	var out []relax.Expr
	begin := int64(0)
	for _, br := range g {
		ndim := wl.tensor(br[depth].Var).NDim
		out = append(out, sizedSlice(data, wl.columns(br, depth), ndim, begin, wl.width(br)))
		begin += wl.width(br)
	}
	return out
}
