package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

const ruleBlockMatmul = "bring weights into blocks of columns"

// BlockMatmulWeights brings constant right factors of products into blocks of columns, as many as a vector holds, whose rows lie behind each other.
//
// A tile of results reads such blocks from end to end, however far apart the rows of the matrix are, so that no copy is made of them at each inference. TVM's dense_pack.x86 does so
// in alter_op_layout. A transposed convolution of small images, whose vectors would be as short as their rows, is such a product of its pixels, as ONNX Runtime computes all of them.
var BlockMatmulWeights = &pass.Pass{
	Name: "BlockMatmulWeights", Level: 2, Kind: pass.Module, ReadsTarget: true,
	Doc: "Computes matmul of float32 by a constant matrix, whose columns are a multiple of the numbers that a vector of the target holds, with that matrix in blocks of so many columns, for one row of eight times as many, each with its rows behind each other. It is brought into them by layout_transform, which is done when the program is loaded. Products of one row by a matrix that was transposed stay: they read its columns from end to end. A conv2d_transpose of images by constant weights whose rows fill no vector becomes a product of its pixels by its weights, and a kernel that adds up what overlaps.",
	Options: []pass.Option{
		{Name: "block", Default: int64(0), Doc: "the columns of a block; 0 for as many as a vector of 32-bit numbers of the target holds, if these are 8 or more"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		block := c.Arg("block").(int64)
		if block == 0 && !c.TargetOf().IsZero() {
			if block = int64(c.TargetOf().VectorLanes(dtype.Float32T)); block < gainful {
				block = 0
			}
		}
		if block < 0 || block > maxBlock {
			return nil, fmt.Errorf("block: %d columns, want 0 to %d", block, maxBlock)
		}
		p := &weightBlocking{c: c, block: block}
		m, err := lowerPicked(c, "BlockMatmulWeights", m, p.scan, p.pickTransposedConv)
		if err != nil {
			return nil, err
		}
		return lowerPicked(c, "BlockMatmulWeights", m, p.scan, p.pick)
	},
}

// weightBlocking finds and lowers the products.
type weightBlocking struct {
	c     *pass.Context
	block int64
	inputsOf
}

// pick returns the kernel of a product.
func (p *weightBlocking) pick(vb *relax.VarBinding) *lowered {
	call := callsOp(vb.Value, "relax.matmul")
	if call == nil || len(call.Args) != 2 {
		return nil
	}
	if why := p.unfit(vb, call); why != "" {
		p.c.Declined(ruleBlockMatmul, vb, why)
		return nil
	}
	return &lowered{rule: p.matmul, hint: "matmul", why: ruleBlockMatmul, hidden: p.dataflow[vb.Var]}
}

// unfit says why a product stays as it is, "" if it does not.
func (p *weightBlocking) unfit(vb *relax.VarBinding, call *relax.Call) string {
	a, aok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	b, bok := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	out, ook := vb.Var.SInfo.(*relax.TensorStructInfo)
	switch {
	case p.block < 2:
		return "the target has no vectors of 8 numbers or more, and the option block is not given"
	case !aok || !bok || !ook || a.DType != dtype.Float32T || b.DType != dtype.Float32T || out.DType != dtype.Float32T:
		return "its tensors are not of type float32"
	case !p.constants.has(call.Args[1]):
		return "its right factor is not constant: it would be brought into blocks at each inference"
	}
	left, known := a.Dims()
	right, also := b.StaticDims()
	switch {
	case !known || !also || len(left) == 0:
		return "the shape of a factor is not known"
	case len(right) != 2:
		return fmt.Sprintf("its right factor has %d dimensions", len(right))
	case right[0] == 0 || right[1] == 0 || !tir.IsConst(left[len(left)-1], right[0]):
		return "how many products are summed up is not known"
	case right[1]%p.block != 0:
		return fmt.Sprintf("it has %d columns, which blocks of %d do not divide", right[1], p.block)
	case p.transposed(call.Args[1]) && oneRow(left):
		return "one row is multiplied by a matrix that was transposed: its columns are read from end to end"
	}
	return ""
}

// transposed reports whether a value exchanges the axes of a matrix.
func (p *weightBlocking) transposed(x relax.Expr) bool {
	v, ok := x.(*relax.Var)
	return ok && callsOp(p.constants.bound(v), "relax.permute_dims") != nil
}

// oneRow reports whether all dimensions but the last are one.
func oneRow(dims []tir.Expr) bool {
	for _, d := range dims[:len(dims)-1] {
		if !tir.IsConst(d, 1) {
			return false
		}
	}
	return true
}

// matmul is the kernel, with what brings its weights into blocks before it.
func (p *weightBlocking) matmul(k *kernel) ([]*te.Tensor, error) {
	blocked := k.bind("blocked", columnBlocks(k.call.Args[1], p.width(k.call)))
	out, err := topi.MatmulBlocked(k.tensor(0), k.param(blocked, 1), topi.MatmulOpts{})
	return list(out, err)
}

// wide is how many vectors of sums one row is computed with at a time: their blocks are one, so that all weights are read from end to end.
const wide = 8

// width is how many columns make a block.
func (p *weightBlocking) width(call *relax.Call) int64 {
	left, _ := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo).Dims()
	right, _ := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo).StaticDims()
	return columnsOfBlock(p.block, left, right[1])
}

// columnsOfBlock is how many columns make a block for vectors of so many, which divide them, for a left factor.
func columnsOfBlock(lanes int64, left []tir.Expr, columns int64) int64 {
	n := lanes
	for oneRow(left) && n < wide*lanes && columns%(2*n) == 0 {
		n *= 2
	}
	return n
}

// columnBlocks brings a matrix into blocks of n columns.
func columnBlocks(x relax.Expr, n int64) *relax.Call {
	row, column := tir.NewVar("i0", dtype.Int64T), tir.NewVar("i1", dtype.Int64T)
	return op.LayoutTransform(x, &tir.IndexMap{
		Initial: []*tir.Var{row, column},
		Final:   []tir.Expr{tir.FloorDiv(column, tir.Int(n)), row, tir.FloorMod(column, tir.Int(n))},
	})
}
