package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CombineParallelBatchMatmul makes one batch_matmul of several that take the same data.
var CombineParallelBatchMatmul = &pass.Pass{
	Name: "relay.CombineParallelBatchMatmul", Level: 4, Kind: pass.Function, Required: []string{inferType}, Options: []pass.Option{minBranches},
	Doc: "Makes one nn.batch_matmul of several that take the same data, whose second operand is transposed, with the elementwise operators that follow all of them, and takes its result apart.",
	Run: combining("combine products of one value", func(s *site) combinable {
		bm := batchProducts{s}
		return combinable{
			operator: "relay.nn.batch_matmul", compatible: bm.compatible, follows: bm.follows, outputs: bm.outputs,
			together: func(g []branch) relax.Expr {
				c := g[0].call(0)
				return &relax.Call{Op: c.Op, Args: []relax.Expr{c.Args[0], op.Concat(1, operands(g, 0, 1)...)}, Attrs: c.Attrs}
			},
			joined: func(g []branch, depth, _, i int) relax.Expr { return op.Concat(-1, operands(g, depth, i)...) },
		}
	}),
}

// batchProducts are the calls of nn.batch_matmul that can be combined.
type batchProducts struct{ *site }

// compatible reports whether two products can be one: both transpose the second operand alone, of which there are as many.
func (bm batchProducts) compatible(a, b *relax.Call) bool {
	turned := func(c *relax.Call) bool {
		return !c.Attrs.Bool("transpose_a", false) && c.Attrs.Bool("transpose_b", true)
	}
	if !turned(a) || !turned(b) {
		bm.c.Declined(bm.rule, a, "the second operand alone must be transposed")
		return false
	}
	x, ok := bm.dims(a.Args[1])
	y, ok2 := bm.dims(b.Args[1])
	u, ok3 := bm.dims(a)
	v, ok4 := bm.dims(b)
	return ok && ok2 && ok3 && ok4 && len(x) == 3 && sameBut(x, y, 1) && sameBut(u, v, 2) && bm.sameType(a, b) && bm.sameType(a.Args[1], b.Args[1]) &&
		a.Attrs.DType("out_dtype") == b.Attrs.DType("out_dtype")
}

// follows reports whether the operators at a depth keep the extents and take tensors with a value for each column. TVM asks for nothing here.
func (bm batchProducts) follows(g []branch, depth, parent int) bool {
	for _, br := range g {
		c := br.call(depth)
		out, _ := bm.dims(br[depth].Var)
		if !bm.sameDims(br[depth].Var, br[0].Var) || !bm.anywhere(c) {
			return false
		}
		for i, a := range c.Args {
			if i == parent || bm.tensor(a) == nil {
				continue
			}
			d, ok := bm.dims(a)
			first, ok2 := bm.dims(g[0].call(depth).Args[i])
			if n := len(d); !ok || !ok2 || n == 0 || d[n-1] != out[2] || !sameBut(d, first, n-1) {
				return false
			}
		}
	}
	return true
}

func (bm batchProducts) outputs(data relax.Expr, g []branch, _ int) []relax.Expr {
	var out []relax.Expr
	begin := int64(0)
	for _, br := range g {
		d, _ := bm.dims(br.call(0).Args[1])
		out = append(out, sizedSlice(data, 2, 3, begin, d[1]))
		begin += d[1]
	}
	return out
}
