package cpu_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// TestPadsInFrontOfAReduction: where so much is padded that many tiles read it, and the second cache holds what is padded for a block of channels, it is padded there, and its border stored apart.
func TestPadsInFrontOfAReduction(t *testing.T) {
	x, w := in("x", 1, 3, 7, 9, 8), in("w", 3, 1, 3, 3, 1, 8)
	y := blockedConv(x, w, topi.ConvOpts{
		Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{3, 1}, After: []int64{3, 1}, Groups: 24, Data: "NCHW8c", Kernel: "OIHW1i8o",
	})
	k := kernel{args: []*te.Tensor{x, w, relu(y)}}
	f := create(t, k)
	want := run(t, f, k.arguments(t))
	for _, c := range []struct {
		l2   int64
		near bool
	}{{13 * 11 * 8 * 4, true}, {13*11*8*4 - 1, false}} {
		m := cpu.Machine{Lanes: 8, Registers: 16, L1: 1 << 10, L2: c.l2, Spreads: true, Threads: 1, ForkWork: 1}
		trace, _, err := m.Trace(f)
		if err != nil {
			t.Fatal(err)
		}
		count := func(kind string) int {
			n := 0
			for _, x := range trace {
				if x.Kind == sch.KindOf(kind) {
					n++
				}
			}
			return n
		}
		if near := count("ComputeAt") == 1; near != c.near {
			t.Errorf("a second cache of %d bytes: padded near %v, want %v", c.l2, near, c.near)
		}
		if cuts := count("CutLoop"); c.near && cuts < 2 {
			t.Errorf("%d loops are cut, want those along the border at least", cuts)
		}
		if !c.near && !slices.ContainsFunc(trace, func(x *sch.Instruction) bool { return x.Kind == sch.KindOf("SplitPadding") }) {
			t.Error("what is padded far away has no border of its own")
		}
		g, err := m.Schedule(f, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, want, run(t, g, k.arguments(t)))
	}
}

// TestReadsWhatItPads: where only the tiles at the edges read what is padded, nothing is stored, and the loops over the others have no conditions.
func TestReadsWhatItPads(t *testing.T) {
	for _, c := range []struct {
		h, w, before, after, stride int
		cuts                        int
	}{
		{7, 40, 1, 1, 1, 8}, // three parts of rows, and three of columns in each
		{7, 40, 0, 1, 1, 3}, // two of two
		{8, 40, 1, 0, 2, 3},
		{7, 7, 1, 1, 1, 5}, // two tiles along a row
		{7, 6, 1, 1, 1, 2}, // one tile along a row
	} {
		x, w := in("x", 1, 3, c.h, c.w, 8), in("w", 3, 1, 3, 3, 1, 8)
		k := kernel{args: []*te.Tensor{x, w, relu(blockedConv(x, w, topi.ConvOpts{
			Strides: []int64{int64(c.stride), int64(c.stride)}, Dilation: []int64{1, 1}, Before: []int64{int64(c.before), int64(c.before)}, After: []int64{int64(c.after), int64(c.after)},
			Groups: 24, Data: "NCHW8c", Kernel: "OIHW1i8o",
		}))}}
		f := create(t, k)
		m := cpu.Machine{Lanes: 8, Registers: 16, L1: 1 << 10, L2: 1 << 10, Spreads: true, Threads: 1, ForkWork: 1}
		trace, _, err := m.Trace(f)
		if err != nil {
			t.Fatal(err)
		}
		cuts := 0
		for _, x := range trace {
			if x.Kind == sch.KindOf("CutLoop") {
				cuts++
			}
		}
		if cuts != c.cuts {
			t.Errorf("%+v: %d loops are cut", c, cuts)
		}
		h := &hearer{}
		g, err := m.Schedule(f, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(h.list, func(d said) bool { return d.rule == "pad at the edges" && d.taken }) {
			t.Errorf("%+v: nothing is said of the edges", c)
		}
		compare(t, run(t, f, k.arguments(t)), run(t, g, k.arguments(t)))
	}
}

// TestPadsInVectors: what is padded in blocks of channels is copied in vectors, however few channels a block has.
func TestPadsInVectors(t *testing.T) {
	for _, l := range []int{4, 8, 16} {
		x, w := in("x", 1, 2, 6, 6, l), in("w", 2, 2, 3, 3, l, l)
		y := blockedConv(x, w, topi.ConvOpts{
			Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: fmt.Sprintf("NCHW%dc", l), Kernel: fmt.Sprintf("OIHW%di%do", l, l),
		})
		f := create(t, kernel{args: []*te.Tensor{x, w, y}})
		m := cpu.Machine{Lanes: int64(l), Registers: 16, L1: 32 << 10, L2: 1 << 20, Spreads: true, Threads: 1, ForkWork: 1}
		g, err := m.Schedule(f, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		nests := nestsOf(g)
		if !regexp.MustCompile(`(?m)^pad_temp: .* \d+v$`).MatchString(nests) {
			t.Errorf("blocks of %d channels:\n%s", l, nests)
		}
	}
}
