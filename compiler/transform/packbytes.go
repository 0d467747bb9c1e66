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

const rulePackBytes = "multiply bytes by words of four"

// PackByteProducts has products of matrices of bytes computed four bytes at a time.
//
// The bytes that are summed over lie in words: those of the left factor as they are in memory, those of the right one where a kernel, or layout_transform, puts them. What remains is a product of
// matrices of words, in which T.dp4a stands for the multiplication, so that it is scheduled as one of float32 is. Processors multiply bytes without signs by bytes with signs. Where
// both factors are alike, the left one is taken to the other kind by turning over the upper bits of its bytes, which adds 128 to each or takes it off; 128 times the sums of the columns of
// the right factor make up for it. All sums are modulo 2^32, so nothing is lost. TVM does so in alter_op_layout and qnn.legalize of its operators for x86.
var PackByteProducts = &pass.Pass{
	Name: "PackByteProducts", Level: 2, Kind: pass.Module, ReadsTarget: true,
	Doc: "Computes matmul, and conv2d by constant weights, of int8 and uint8 into int32 by words of four bytes (T.dp4a): the right factor is brought into words, which is done when the program is loaded if it is constant, and the left one is viewed as words; weights of convolutions are by layout_transform, their data becomes words of four channels in the kernel, whose results are in blocks of channels. Where the target has avx512vnni, whose instruction multiplies bytes without signs by bytes with signs, the left factor is made the one or the other, and sums of the columns of the right factor correct the result.",
	Options: []pass.Option{
		{Name: "signs", Default: "", Doc: `the bytes that are multiplied by each other: "any", "mixed" for bytes without signs by bytes with signs, or "" for what the target has instructions for`},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		p := &bytePacking{c: c}
		switch signs := c.Arg("signs").(string); signs {
		case "any", "mixed":
			p.ByteWords = allByteWords()
			p.mixed = signs == "mixed"
		case "":
			p.ByteWords = ByteWordsOf(c.TargetOf())
		default:
			return nil, fmt.Errorf(`signs: %q, want "any", "mixed" or ""`, signs)
		}
		return lowerPicked(c, "PackByteProducts", m, p.scan, p.pick)
	},
}

// bytePacking finds and lowers the products.
type bytePacking struct {
	c *pass.Context
	inputsOf
	ByteWords
}

// pick returns the kernel of a product of bytes.
func (p *bytePacking) pick(vb *relax.VarBinding) *lowered {
	if call := callsOp(vb.Value, conv2d); call != nil {
		return p.pickConv(vb, call)
	}
	call := callsOp(vb.Value, "relax.matmul")
	if call == nil || len(call.Args) != 2 {
		return nil
	}
	a, aok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	b, bok := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !aok || !bok || !isByte(a.DType) && !isByte(b.DType) {
		return nil
	}
	if why := p.unfit(vb, call, a, b); why != "" {
		p.c.Declined(rulePackBytes, vb, why)
		return nil
	}
	return &lowered{rule: p.matmul, hint: "dp4a_matmul", why: rulePackBytes, hidden: p.dataflow[vb.Var]}
}

func isByte(d dtype.DType) bool { return d == dtype.Int8T || d == dtype.UInt8T }

// unfit says why a product stays as it is, "" if it does not.
func (p *bytePacking) unfit(vb *relax.VarBinding, call *relax.Call, a, b *relax.TensorStructInfo) string {
	if out, _ := vb.Var.SInfo.(*relax.TensorStructInfo); p.gains && (!isByte(a.DType) || !isByte(b.DType) || out == nil || out.DType != dtype.Int32T) {
		return notSummedUp(a, b)
	}
	return p.Matmul(a, b, p.constants.has(call.Args[1]))
}

func notSummedUp(a, b *relax.TensorStructInfo) string {
	return fmt.Sprintf("it multiplies %s by %s, and the products of bytes are summed up as int32", a.DType, b.DType)
}

// matmul is the kernel, with what brings its factors into words before it.
func (p *bytePacking) matmul(k *kernel) ([]*te.Tensor, error) {
	x, y := k.call.Args[0], k.call.Args[1]
	xt, yt := relax.SInfoOf(x).(*relax.TensorStructInfo), relax.SInfoOf(y).(*relax.TensorStructInfo)
	left, _ := xt.Dims()
	right, _ := yt.Dims()
	dx, dy := xt.DType, yt.DType
	depth, _ := tir.AsInt(right[len(right)-2])
	words := (depth + 3) / 4
	if depth%4 != 0 {
		widths := make([]int64, 2*len(left))
		widths[len(widths)-1] = 4*words - depth
		x = k.bind("padded", op.Pad(x, widths, "constant", 0))
	}
	flip := p.mixed && dx == dy
	dw := wordsOf(dx)
	if flip {
		dw = wordsOf(otherSign(dx))
	}
	shape := append(append([]tir.Expr{}, left[:len(left)-1]...), tir.Int(words))
	x = k.bind("words", viewAs(x, shape, dw))
	if flip {
		x = k.bind("words", op.Binary("bitwise_xor", x, upperBits(dw)))
	}
	out, err := p.product(k, x, y, yt, words)
	if err != nil || !flip {
		return list(out, err)
	}
	sums := k.bind("sums", op.Reduce("sum", k.bind("wide", op.AsType(y, dtype.Int32T)), []int64{int64(len(right) - 2)}, true))
	sign := int64(-128)
	if dx.IsUInt() {
		sign = 128
	}
	of := k.param(sums, 1)
	if k.err != nil {
		return nil, k.err
	}
	return list(topi.Binary("add", topi.T(out), topi.T(te.Compute("correction", of.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Mul(of.At(i...), tir.Const(dtype.Int32T, sign))
	}))))
}

// product is the product of words of x by those of y, whose columns come in blocks where y is a constant matrix: a tile of results reads them from end to end then.
func (p *bytePacking) product(k *kernel, x, y relax.Expr, t *relax.TensorStructInfo, words int64) (*te.Tensor, error) {
	o := topi.MatmulOpts{Words: true}
	dims, static := t.StaticDims()
	if !static || len(dims) != 2 || p.block == 0 || dims[1]%p.block != 0 || !p.constants.has(y) {
		return topi.Matmul(k.param(x, 0), k.param(p.depthWords(k, y, t, words), 1), o)
	}
	left, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	n := columnsOfBlock(p.block, left, dims[1])
	from := te.Placeholder("bytes", t.DType, tir.Int(dims[0]), tir.Int(dims[1]))
	of := topi.Words(from, 0, false)
	blocks := te.Compute("blocks", []tir.Expr{tir.Int(dims[1] / n), tir.Int(words), tir.Int(n)}, func(i []tir.Expr) tir.Expr {
		return of.At(i[1], tir.Add(tir.Mul(i[0], tir.Int(n)), i[2]))
	}, te.AxisPrefix("i"))
	return topi.MatmulBlocked(k.param(x, 0), k.param(k.bindKernel("words", blocks, []*te.Tensor{from}, []relax.Expr{y}), 1), o)
}

// depthWords puts four neighbors each along the last axis but one of a right factor into words: in a kernel of its own or, where an extent is not known, by layout_transform.
func (p *bytePacking) depthWords(k *kernel, y relax.Expr, t *relax.TensorStructInfo, words int64) relax.Expr {
	dims, _ := t.Dims()
	axis := len(dims) - 2
	if _, static := t.StaticDims(); static {
		from := te.Placeholder("bytes", t.DType, dims...)
		return k.bindKernel("words", topi.Words(from, axis, false), []*te.Tensor{from}, []relax.Expr{y})
	}
	depth, _ := tir.AsInt(dims[axis])
	packed := append(append([]tir.Expr{}, dims[:axis]...), tir.Int(words), dims[axis+1])
	return k.bind("words", viewAs(k.bind("packed", packDepth(y, len(dims), depth)), packed, wordsOf(t.DType)))
}

// wordsOf is the type of words of four bytes of type d.
func wordsOf(d dtype.DType) dtype.DType {
	if d.IsUInt() {
		return dtype.UInt32T
	}
	return dtype.Int32T
}

// otherSign is the type of bytes that d is not.
func otherSign(d dtype.DType) dtype.DType {
	if d.IsUInt() {
		return dtype.Int8T
	}
	return dtype.UInt8T
}

// viewAs is the memory of x as a tensor of another shape and type.
func viewAs(x relax.Expr, shape []tir.Expr, d dtype.DType) *relax.Call {
	return &relax.Call{Op: ir.NewOp(opMemView), Args: []relax.Expr{x, &relax.ShapeExpr{Values: shape}, dtypeImm(d), &relax.PrimValue{Value: tir.Int(0)}}}
}

// packDepth puts four neighbors each along the last axis but one of x, of extent depth, behind each other in memory, with zeros where the last four are not whole.
func packDepth(x relax.Expr, rank int, depth int64) *relax.Call {
	m := &tir.IndexMap{}
	for i := range rank {
		m.Initial = append(m.Initial, tir.NewVar(fmt.Sprintf("i%d", i), dtype.Int64T))
	}
	for _, v := range m.Initial {
		m.Final = append(m.Final, v)
	}
	k := m.Initial[rank-2]
	m.Final[rank-2] = tir.FloorDiv(k, tir.Int(4))
	m.Final = append(m.Final, tir.FloorMod(k, tir.Int(4)))
	call := op.LayoutTransform(x, m)
	if depth%4 != 0 {
		call.Attrs = call.Attrs.With("pad_value", tir.Const(relax.SInfoOf(x).(*relax.TensorStructInfo).DType, 0))
	}
	return call
}

// upperBits is a word of type d with the upper bit of each byte.
func upperBits(d dtype.DType) *relax.Constant {
	bits := float64(0x80808080)
	if d.IsInt() {
		bits -= 1 << 32
	}
	c, err := op.Scalar(d, bits)
	if err != nil {
		panic("transform: " + err.Error())
	}
	return c
}
