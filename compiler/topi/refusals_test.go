package topi

import (
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestRefusals: what no kernel can be made of is said in words, by every operator that takes a layout, a name or a number of axes.
func TestRefusals(t *testing.T) {
	in := func(shape ...int64) *te.Tensor { return te.Placeholder("x", dtype.Float32T, intShape(shape...)...) }
	x, w := in(1, 2, 3, 4), in(2, 2, 1, 1)
	ones, zeros := []int64{1, 1}, []int64{0, 0}
	conv := func(data, kernel, result string) ConvOpts {
		return ConvOpts{Strides: ones, Dilation: ones, Before: zeros, After: zeros, OutputPadding: zeros, Groups: 1, Data: data, Kernel: kernel, Result: result}
	}
	pool := func(data, result string) PoolOpts {
		return PoolOpts{Size: ones, Strides: ones, Dilation: ones, Before: zeros, After: zeros, Layout: data, Result: result}
	}
	type make func() (*te.Tensor, error)
	both := func(x, w *te.Tensor, o ConvOpts) []make {
		return []make{func() (*te.Tensor, error) { return Conv(x, w, o) }, func() (*te.Tensor, error) { return ConvTranspose(x, w, o) }}
	}
	pools := func(o PoolOpts) []make {
		return []make{
			func() (*te.Tensor, error) { return Pool("max", x, o) },
			func() (*te.Tensor, error) { return Pool("avg", x, o) },
			func() (*te.Tensor, error) { return AdaptiveAvgPool(x, intShape(1, 1), o.Layout, o.Result) },
		}
	}
	one := func(f make) []make { return []make{f} }
	for _, c := range []struct {
		makes []make
		want  string
	}{
		{both(in(1, 2), w, conv("NC", "OI", "")), "convolution of a tensor of 2 dimensions: expected 3 to 5"},
		{both(in(1, 2, 3, 4, 5, 6), w, conv("NC", "OI", "")), "convolution of a tensor of 6 dimensions: expected 3 to 5"},
		{both(x, w, conv("NCHW4c", "OIHW", "")), `layout "NCHW4c" is not supported: expected an order of NCHW`},
		{both(x, w, conv("NCHD", "OIHW", "")), `layout "NCHD" is not supported: expected an order of NCHW`},
		{both(x, w, conv("NCHW", "OIHW", "NCW")), `layout "NCW" is not supported: expected an order of NCHW`},
		{both(x, w, conv("NCHW", "OIWD", "")), `layout "OIWD" is not supported: expected an order of OIHW`},
		{both(in(1, 2, 3, 4, 5), in(1, 2, 3, 4, 5), conv("NCDHW", "OIDHX", "")), `layout "OIDHX" is not supported: expected an order of OIDHW`},
		{both(in(1, 2, 3), in(1, 2, 3), conv("NCX", "OIW", "")), `layout "NCX" is not supported: expected an order of NCW`},
		{pools(pool("NCHX", "")), `layout "NCHX" is not supported: expected an order of NCHW`},
		{pools(pool("NCHW", "NHWCc")), `layout "NHWCc" is not supported: expected an order of NCHW`},
		{one(func() (*te.Tensor, error) { return Reduce("median", x, nil, false) }), `no reduction is called "median"`},
		{one(func() (*te.Tensor, error) { return Pad(x, ones, ones, "constant", nil) }), "pad of a tensor of 4 dimensions with 2 and 2 widths"},
		{one(func() (*te.Tensor, error) { return Pad(x, []int64{0, 0, 0, 0}, ones, "constant", nil) }), "pad of a tensor of 4 dimensions with 4 and 2 widths"},
		{one(func() (*te.Tensor, error) { return Matmul(in(2, 3, 4), in(5, 4, 2), MatmulOpts{}) }), "extents 2 and 5 do not broadcast"},
		{one(func() (*te.Tensor, error) {
			return Resize(x, []tir.Expr{tir.Int(2), tir.Int(2)}, ResizeOpts{Layout: "CHW", Method: "linear", Coordinate: "half_pixel"})
		}), `layout "CHW" is not supported: expected an order of NCHW`},
		{one(func() (*te.Tensor, error) {
			return Resize(x, []tir.Expr{tir.Int(2), tir.Int(2)}, ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: "corner"})
		}), `unknown coordinate_transformation_mode "corner"`},
	} {
		for i, f := range c.makes {
			if _, err := f(); err == nil || err.Error() != c.want {
				t.Errorf("form %d: %v, want %q", i, err, c.want)
			}
		}
	}
	for name, want := range map[string]bool{"add": true, "log_add_exp": true, "exp": false, "": false} {
		if IsBinary(name) != want {
			t.Errorf("%q is a binary operator: %t", name, !want)
		}
	}
	for name, want := range map[string]bool{"exp": true, "bitwise_not": true, "add": false, "": false} {
		if IsUnary(name) != want {
			t.Errorf("%q is a unary operator: %t", name, !want)
		}
	}
}

// TestEdgesOfTransposedInput: the block that spreads the input asks for its two ends, and with zeros between for those too.
func TestEdgesOfTransposedInput(t *testing.T) {
	x, w := te.Placeholder("x", dtype.Float32T, intShape(1, 2, 5, 5)...), te.Placeholder("w", dtype.Float32T, intShape(2, 2, 3, 3)...)
	for _, c := range []struct {
		strides, dilation [2]int64
		want              int
	}{
		{[2]int64{1, 1}, [2]int64{1, 1}, 4},
		{[2]int64{2, 2}, [2]int64{1, 1}, 4}, // phases: the input stays dense
		{[2]int64{2, 1}, [2]int64{2, 1}, 5},
		{[2]int64{2, 2}, [2]int64{2, 2}, 6},
	} {
		out, err := ConvTranspose(x, w, ConvOpts{
			Strides: c.strides[:], Dilation: c.dilation[:], Before: []int64{0, 0}, After: []int64{0, 0}, OutputPadding: []int64{0, 0}, Groups: 1, Data: "NCHW", Kernel: "IOHW",
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := conditions(t, []*te.Tensor{x, w}, []*te.Tensor{out}, "data_pad"); got != c.want {
			t.Errorf("strides %v and dilation %v: %d comparisons, want %d", c.strides, c.dilation, got, c.want)
		}
	}
	// A broadcast between constant extents asks nothing.
	v := te.Placeholder("v", dtype.Float32T, intShape(3, 1)...)
	if got := conditions(t, []*te.Tensor{v}, []*te.Tensor{BroadcastTo(v, intShape(3, 4))}, "T_broadcast_to"); got != 0 {
		t.Errorf("a broadcast asks %d questions", got)
	}
}
