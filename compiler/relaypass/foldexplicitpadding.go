package relaypass

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// FoldExplicitPadding lets a convolution or a pooling pad itself.
var FoldExplicitPadding = &pass.Pass{
	Name: "relay.FoldExplicitPadding", Kind: pass.Function, Required: []string{inferType},
	Doc: "Removes a pad of the spatial axes whose result only a convolution or a pooling reads, and adds it to their padding: of zeros (for a quantized convolution its zero point) before a convolution or a mean, of the least value before a maximum.",
	Run: rewriting("fold the padding", foldExplicitPadding),
}

func foldExplicitPadding(s *site) relax.Expr {
	c, ok := s.value.(*relax.Call)
	if !ok || len(c.Args) == 0 {
		return nil
	}
	kind := windowKind(c)
	pad := s.call(c.Args[0], "relay.nn.pad", "relax.nn.pad")
	if kind == "" || pad == nil {
		return nil
	}
	widths, ok := spatialPadding(pad, c.Attrs.Str("data_layout", c.Attrs.Str("layout", "")))
	if !ok {
		return s.declined("an axis is padded that is not spatial, or the layout is blocked")
	}
	attrs := c.Attrs
	old := attrs.Ints("padding")
	if len(old) != len(widths) {
		return s.declined("the padding of the operator has another form")
	}
	if kind == "qnn" {
		if !isCall(pad, "relay.nn.pad") || !sameScalar(pad.Args[1], c.Args[2]) {
			return s.declined("the value of the padding is not the zero point of the input")
		}
	} else {
		v, known := padValue(pad)
		t := s.tensor(c.Args[0])
		switch {
		case !known || pad.Attrs.Str("pad_mode", "constant") != "constant":
			return s.declined("the value of the padding is not constant")
		case kind == "max" && (t == nil || v != least(t.DType)):
			return s.declined("the value of the padding is not the least of its type")
		case kind != "max" && v != 0:
			return s.declined("the value of the padding is not zero")
		}
		if kind == "avg" && !attrs.Bool("count_include_pad", false) {
			for _, p := range old {
				if p != 0 {
					return s.declined("the mean counts the pad, but not its own padding")
				}
			}
			attrs = attrs.With("count_include_pad", true)
		}
		if kind == "avg" && attrs.Bool("ceil_mode", false) {
			return s.declined("windows beyond the end count the pad, but not what is behind it")
		}
	}
	sum := make([]int64, len(old))
	for i := range sum {
		sum[i] = old[i] + widths[i]
	}
	if kind == "max" && !meetsData(attrs, sum) {
		return s.declined("a window may lie in the padding alone, where a maximum is less than any number")
	}
	args := append([]relax.Expr{pad.Args[0]}, c.Args[1:]...)
	return &relax.Call{Base: c.Base, Op: c.Op, Args: args, Attrs: attrs.With("padding", sum)}
}

// windowKind is conv, qnn, avg or max for an operator that can pad, "" for others.
func windowKind(c *relax.Call) string {
	o, ok := c.Op.(*ir.Op)
	if !ok {
		return ""
	}
	switch name := strings.TrimPrefix(o.Name, "relax.nn."); name {
	case "conv1d", "conv2d", "conv3d":
		return "conv"
	case "avg_pool1d", "avg_pool2d", "avg_pool3d":
		return "avg"
	case "max_pool1d", "max_pool2d", "max_pool3d":
		return "max"
	case "relay.qnn.conv2d":
		return "qnn"
	}
	return ""
}

// spatialPadding returns what a pad adds before each spatial axis, then what it adds behind each; ok is false where it pads another axis.
func spatialPadding(pad *relax.Call, layout string) (out []int64, ok bool) {
	w := pad.Attrs.Ints("pad_width")
	if len(w) != 2*len(layout) {
		return nil, false
	}
	for side := range 2 {
		for i := range len(layout) {
			n := w[2*i+side]
			if strings.IndexByte("DHW", layout[i]) >= 0 {
				out = append(out, n)
			}
			if n < 0 || strings.IndexByte("DHW", layout[i]) < 0 && n != 0 {
				return nil, false
			}
		}
	}
	return out, true
}

// meetsData reports whether every window of a pooling with that padding holds an element of the data.
func meetsData(attrs *ir.Attrs, padding []int64) bool {
	size, strides, dilation := attrs.Ints("pool_size"), attrs.Ints("strides"), attrs.Ints("dilation")
	n := len(padding) / 2
	for i := range n {
		beyond := padding[n+i]
		if attrs.Bool("ceil_mode", false) {
			beyond += strides[i] - 1
		}
		if dilation[i] != 1 || padding[i] >= size[i] || beyond >= size[i] {
			return false
		}
	}
	return true
}

// padValue is the constant that a pad adds.
func padValue(pad *relax.Call) (float64, bool) {
	if isCall(pad, "relax.nn.pad") {
		return pad.Attrs.Float("pad_value", 0), true
	}
	c, ok := pad.Args[1].(*relax.Constant)
	if !ok || len(c.Data.Shape()) > 0 {
		return 0, false
	}
	return number(c.Data)
}

// number is a scalar of a common type.
func number(d *ir.Blob) (float64, bool) { return element(d, 0) }

// element is an element of a common type.
func element(d *ir.Blob, i int64) (float64, bool) {
	raw, le := d.Elem(i), binary.LittleEndian
	switch d.DType() {
	case dtype.Float32T:
		return float64(math.Float32frombits(le.Uint32(raw))), true
	case dtype.Float64T:
		return math.Float64frombits(le.Uint64(raw)), true
	case dtype.Int32T:
		return float64(int32(le.Uint32(raw))), true
	case dtype.Int64T:
		return float64(int64(le.Uint64(raw))), true
	case dtype.MustParse("int8"):
		return float64(int8(raw[0])), true
	case dtype.MustParse("uint8"):
		return float64(raw[0]), true
	}
	return 0, false
}

// least is the least finite value of a type, as TVM's min_value; NaN for types that it has none of.
func least(dt dtype.DType) float64 {
	switch dt {
	case dtype.Float32T:
		return -math.MaxFloat32
	case dtype.Float64T:
		return -math.MaxFloat64
	case dtype.Int32T:
		return math.MinInt32
	case dtype.Int64T:
		return math.MinInt64
	case dtype.MustParse("int8"):
		return math.MinInt8
	case dtype.MustParse("uint8"):
		return 0
	}
	return math.NaN()
}

// sameScalar reports whether two values are constants of one value.
func sameScalar(a, b relax.Expr) bool {
	x, ok := a.(*relax.Constant)
	y, ok2 := b.(*relax.Constant)
	if !ok || !ok2 {
		return a == b
	}
	u, ok := number(x.Data)
	v, ok2 := number(y.Data)
	return ok && ok2 && u == v
}
