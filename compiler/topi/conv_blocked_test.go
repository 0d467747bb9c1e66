package topi

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestConvBlocked compares convolutions of tensors in parts with those of the whole ones.
func TestConvBlocked(t *testing.T) {
	r := newRand(103)
	for _, c := range []struct {
		in, out, groups      int
		data, kernel, result string
		ok                   bool
	}{
		{8, 12, 1, "NCHW4c", "OIHW4i6o", "NCHW6c", true},
		{8, 8, 1, "NCHW4c", "OIHW4i4o", "", true},
		{8, 8, 1, "NHWC4c", "HWOI4o4i", "NC4cHW", true},
		{3, 8, 1, "NCHW", "OIHW4o", "NCHW4c", true},
		{3, 8, 1, "NCHW3c", "OIHW3i8o", "NCHW8c", true},
		{8, 3, 1, "NCHW2c", "OIHW2i", "NCHW", true},
		{8, 8, 8, "NCHW4c", "OIHW1i4o", "NCHW4c", true}, // depthwise
		{8, 8, 8, "NCHW4c", "OIHW4o", "NCHW4c", true},
		{8, 16, 2, "NCHW2c", "OIHW2i4o", "NCHW4c", true},
		{8, 8, 2, "NCHW4c", "OIHW4i4o", "NCHW4c", true},
		{8, 8, 4, "NCHW4c", "OIHW2i4o", "NCHW4c", false}, // a part of two groups
		{8, 12, 1, "NCHW4c", "OIHW2i6o", "NCHW6c", false},
		{8, 12, 1, "NCHW4c", "OIHW4i6o", "NCHW4c", false},
		{8, 12, 1, "NCH2hW4c", "OIHW4i6o", "NCHW6c", false},
		{8, 12, 1, "NCHW", "OIHW", "NCHW", false},
	} {
		for _, strides := range []int64{1, 2} {
			o := ConvOpts{Strides: []int64{strides, 1}, Dilation: []int64{1, strides}, Before: []int64{1, 0}, After: []int64{0, 2}, Groups: int64(c.groups), Data: "NCHW", Kernel: "OIHW"}
			x, w := random(r, 2, c.in, 6, 5), random(r, c.out, c.in/c.groups, 3, 2)
			want := convRef(&convCase{n: 2, x: x, w: w, strides: o.Strides, dilation: o.Dilation, before: o.Before, after: o.After, groups: c.groups})
			name := fmt.Sprintf("%s %s %s of %d to %d in %d groups, strides %d", c.data, c.kernel, c.result, c.in, c.out, c.groups, strides)
			run := both
			if c.groups > 1 { // the channels of groups must be known
				run = static
			}
			run(t, name, func(k *kernelTest) {
				b := o
				b.Data, b.Kernel, b.Result = c.data, c.kernel, c.result
				result := c.result
				if result == "" {
					result = c.data
				}
				y, ok, err := ConvBlocked(k.ok(Pack(k.float(permuted(x, "NCHW", unpackedLayout(c.data))), c.data)), k.ok(Pack(k.float(permuted(w, "OIHW", unpackedLayout(c.kernel))), c.kernel)), b)
				if err != nil || ok != c.ok {
					k.Fatalf("%v, %v; want %v", ok, err, c.ok)
				}
				if !ok {
					y = k.ok(WithoutParts([]*te.Tensor{k.ok(Pack(k.float(permuted(x, "NCHW", unpackedLayout(c.data))), c.data)), k.ok(Pack(k.float(permuted(w, "OIHW", unpackedLayout(c.kernel))), c.kernel))}, []string{c.data, c.kernel}, result, func(xs []*te.Tensor, in []string, out string) (*te.Tensor, error) {
						b.Data, b.Kernel, b.Result = in[0], in[1], out
						return Conv(xs[0], xs[1], b)
					}))
				}
				plain, _, err := Unpack(y, result)
				if err != nil {
					k.Fatal(err)
				}
				order := unpackedLayout(result)
				k.want(plain, permuted(want, "NCHW", order))
			})
		}
	}
}

// TestConvBlockedReadsInOrder: the blocks of a convolution by parts are those for padding and for the sums, whose loads use no quotients.
func TestConvBlockedReadsInOrder(t *testing.T) {
	x, w := te.Placeholder("x", dtype.Float32T, intShape(1, 2, 5, 5, 16)...), te.Placeholder("w", dtype.Float32T, intShape(4, 2, 3, 3, 16, 16)...)
	y, ok, err := ConvBlocked(x, w, ConvOpts{
		Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW16c", Kernel: "OIHW16i16o",
	})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	f, err := te.CreatePrimFunc([]*te.Tensor{x, w, y}, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ir.Walk(f, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			found = append(found, n.Name)
		case *tir.Binary:
			if n.Op == tir.OpFloorDiv || n.Op == tir.OpFloorMod {
				t.Errorf("%v divides", n)
			}
		}
		return true
	})
	if fmt.Sprint(found) != "[root pad_temp conv2d_nchw16c]" {
		t.Errorf("the blocks are %v", found)
	}
	for _, bad := range []ConvOpts{{Data: "NCHW16", Kernel: "OIHW16i16o"}, {Data: "NCHW16c", Kernel: "OIH16i16o"}, {Data: "NCWX16c", Kernel: "OIHW16i16o"}, {Data: "NC16c", Kernel: "OI16i16o"}} {
		if _, _, err := ConvBlocked(x, w, bad); err == nil {
			t.Errorf("no error for %s and %s", bad.Data, bad.Kernel)
		}
	}
}
