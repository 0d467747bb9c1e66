package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
)

// TestWindowsThatOverlap: pools share columns where that saves steps, and convolutions of each channel by itself read rows together; what they pad is read where it is, or padded image by image where the second cache
// holds one. All compute what they do without a schedule, for one thread and two.
func TestWindowsThatOverlap(t *testing.T) {
	pooled := func(kind string, c, h, w, k, stride, pad int) kernel {
		x := in("x", 1, c, h, w)
		two := func(n int) []int64 { return []int64{int64(n), int64(n)} }
		return kernel{args: []*te.Tensor{x, relu(must(topi.Pool(kind, x, topi.PoolOpts{Size: two(k), Strides: two(stride), Dilation: two(1), Before: two(pad), After: two(pad), Layout: "NCHW"})))}}
	}
	depthwise := func(c, h, w, k, stride, pad int) kernel {
		x, f := in("x", 1, c, h, w), in("f", c, 1, k, k)
		two := func(n int) []int64 { return []int64{int64(n), int64(n)} }
		y, err := topi.Conv(x, f, topi.ConvOpts{Strides: two(stride), Dilation: two(1), Before: two(pad), After: two(pad), Groups: int64(c), Data: "NCHW", Kernel: "OIHW"})
		return kernel{args: []*te.Tensor{x, f, relu(must(y, err))}}
	}
	wide := cpu.Machine{Lanes: 16, Registers: 32, L1: 32 << 10, L2: 1 << 20, Spreads: true, Embeds: true, Threads: 1, ForkWork: 1}
	small := wide
	small.L2 = 1 << 10
	eight := cpu.Machine{Lanes: 8, Registers: 16, L1: 32 << 10, L2: 1 << 20, Spreads: true, Threads: 1, ForkWork: 1}
	narrow := cpu.Machine{Lanes: 4, Registers: 16, L1: 32 << 10, L2: 1 << 20, Threads: 1, ForkWork: 1}
	for _, c := range []struct {
		name string
		kernel
		machine       cpu.Machine
		columns, rows bool
		near, direct  bool
	}{
		{name: "max", kernel: pooled("max", 3, 19, 21, 3, 1, 1), machine: wide, columns: true, direct: true},
		{name: "max by two", kernel: pooled("max", 3, 31, 38, 3, 2, 1), machine: wide, columns: true, direct: true},
		{name: "max by two, phases of two lengths", kernel: pooled("max", 3, 31, 37, 3, 2, 1), machine: wide, columns: true},
		{name: "max by two, no padding", kernel: pooled("max", 3, 33, 37, 3, 2, 0), machine: wide, columns: true},
		{name: "max without overlap", kernel: pooled("max", 3, 22, 38, 2, 2, 0), machine: wide, columns: true},
		{name: "mean", kernel: pooled("avg", 3, 19, 21, 5, 1, 2), machine: wide, columns: true, direct: true},
		{name: "one image", kernel: pooled("max", 1, 19, 21, 3, 1, 1), machine: wide, columns: true},
		{name: "images that do not fit", kernel: pooled("max", 3, 19, 21, 3, 1, 1), machine: small, columns: true},
		{name: "max with few registers", kernel: pooled("max", 3, 19, 21, 5, 1, 2), machine: narrow, columns: true},
		{name: "channels", kernel: depthwise(3, 19, 21, 3, 1, 1), machine: wide, rows: true, direct: true},
		{name: "max by two, eight lanes", kernel: pooled("max", 3, 31, 38, 3, 2, 1), machine: eight, columns: true, direct: true},
		{name: "mean by two, fewer results than lanes", kernel: pooled("avg", 3, 19, 28, 3, 2, 1), machine: wide, columns: true, direct: true},
		{name: "mean by two, few results", kernel: pooled("avg", 3, 19, 14, 3, 2, 1), machine: wide, rows: true, near: true},
		{name: "wide windows, eight lanes", kernel: depthwise(3, 9, 9, 5, 1, 2), machine: eight, rows: true, near: true},
		{name: "wider windows, eight lanes", kernel: depthwise(3, 9, 9, 9, 1, 4), machine: eight, near: true},
		{name: "channels, eight lanes", kernel: depthwise(3, 19, 21, 3, 1, 1), machine: eight, rows: true, direct: true},
		{name: "channels, eight lanes, a row left over", kernel: depthwise(3, 13, 16, 3, 1, 1), machine: eight, rows: true, direct: true},
		{name: "wide windows", kernel: depthwise(3, 19, 101, 11, 1, 5), machine: wide, rows: true, near: true},
		{name: "channels by two", kernel: depthwise(3, 23, 38, 3, 2, 1), machine: wide, rows: true, direct: true},
		{name: "channels by two, phases of two lengths", kernel: depthwise(3, 22, 41, 3, 2, 1), machine: wide, rows: true},
		{name: "channels by two, eight lanes", kernel: depthwise(3, 23, 38, 3, 2, 1), machine: eight, rows: true, direct: true},
		{name: "channels by two, fewer results than lanes", kernel: depthwise(3, 29, 28, 3, 2, 1), machine: wide, rows: true, direct: true},
		{name: "channels by two, wide windows", kernel: depthwise(3, 23, 38, 5, 2, 2), machine: wide, rows: true, direct: true},
		{name: "channels by two, no padding", kernel: depthwise(3, 23, 38, 3, 2, 0), machine: wide, rows: true},
		{name: "channels by two, one row", kernel: depthwise(3, 3, 41, 3, 2, 0), machine: wide},
		{name: "channels by two, few results", kernel: depthwise(3, 23, 14, 3, 2, 1), machine: wide, rows: true, near: true},
		{name: "channels by two, windows that are not unrolled", kernel: depthwise(3, 23, 38, 7, 2, 3), machine: wide, rows: true, near: true},
		{name: "max, rows of less than a vector", kernel: pooled("max", 3, 19, 14, 3, 1, 1), machine: wide, columns: true, direct: true},
		{name: "mean, rows of less than a vector", kernel: pooled("avg", 3, 14, 15, 3, 1, 0), machine: wide, columns: true},
		{name: "channels, rows of less than a vector", kernel: depthwise(3, 14, 14, 3, 1, 1), machine: wide, rows: true, direct: true},
		{name: "channels, rows of less than half a vector", kernel: depthwise(3, 83, 7, 3, 1, 1), machine: wide, rows: true, direct: true},
		{name: "channels with few registers", kernel: depthwise(3, 19, 21, 3, 1, 1), machine: narrow},
	} {
		for threads := int64(1); threads <= 2; threads++ {
			t.Run(fmt.Sprintf("%s, %d threads", c.name, threads), func(t *testing.T) {
				f, m, h := create(t, c.kernel), c.machine, &hearer{}
				m.Threads = threads
				g, err := m.Schedule(f, nil, h)
				if err != nil {
					t.Fatal(err)
				}
				said := func(rule string) bool {
					return slices.ContainsFunc(h.list, func(d said) bool { return d.rule == rule && d.taken })
				}
				direct, near := c.direct, c.near
				if threads > 1 && direct { // they share the loops that would be cut
					direct, near = false, true
				}
				if direct == c.direct && (said("share columns") != c.columns || said("share rows") != c.rows) {
					t.Errorf("columns are shared %v, rows %v, want %v and %v", said("share columns"), said("share rows"), c.columns, c.rows)
				}
				if said("pad at the edges") != direct {
					t.Errorf("what is padded is read where it is %v, want %v", said("pad at the edges"), direct)
				}
				trace, _, err := m.Trace(f)
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.ContainsFunc(trace, func(x *sch.Instruction) bool { return x.Kind == sch.KindOf("ComputeAt") }); got != near {
					t.Errorf("padded image by image %v, want %v", got, near)
				}
				want := run(t, f, c.arguments(t))
				compare(t, want, run(t, g, c.arguments(t)))
				back, _ := tirtest.Backwards(g)
				compare(t, want, run(t, back, c.arguments(t)))
			})
		}
	}
}

// TestVectorsThatStickOut: a row of results that is longer than half a vector is one, of which some lanes are of no result, where cheap instructions read and write some lanes alone.
func TestVectorsThatStickOut(t *testing.T) {
	for _, c := range []struct {
		machine cpu.Machine
		w       int
		want    string
	}{
		{cpu.Machine{Lanes: 16, Registers: 32, Spreads: true, Embeds: true}, 14, "1 vector of 16 lanes of v_xx"},
		{cpu.Machine{Lanes: 16, Registers: 32, Spreads: true, Embeds: true}, 9, "1 vector of 16 lanes of v_xx"},
		{cpu.Machine{Lanes: 16, Registers: 32, Spreads: true, Embeds: true}, 8, "1 vector of 8 lanes of v_xx"},
		{cpu.Machine{Lanes: 16, Registers: 32, Spreads: true, Embeds: true}, 7, "1 vector of 8 lanes of v_xx"},
		{cpu.Machine{Lanes: 8, Registers: 16, Spreads: true}, 7, "1 vector of 4 lanes of v_xx"},
		{cpu.Machine{Lanes: 8, Registers: 16, Spreads: true}, 14, "1 vector of 8 lanes of v_xx"},
		{cpu.Machine{Lanes: 4, Registers: 16}, 7, "1 vector of 4 lanes of v_xx"},
	} {
		c.machine.L1, c.machine.L2, c.machine.Threads, c.machine.ForkWork = 32<<10, 1<<20, 1, 1
		x, f := in("x", 1, 3, 14, c.w), in("f", 3, 1, 3, 3)
		one := []int64{1, 1}
		y, err := topi.Conv(x, f, topi.ConvOpts{Strides: one, Dilation: one, Before: one, After: one, Groups: 3, Data: "NCHW", Kernel: "OIHW"})
		h := &hearer{}
		if _, err := c.machine.Schedule(create(t, kernel{args: []*te.Tensor{x, f, must(y, err)}}), nil, h); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(h.list, func(d said) bool {
			return d.rule == "tile a reduction" && d.taken && strings.Contains(d.reason, c.want)
		}) {
			t.Errorf("rows of %d, vectors of %d lanes: want %q in %v", c.w, c.machine.Lanes, c.want, h.list)
		}
	}
}

// TestRowsOfFewRegisters: with few registers tiles have no fewer results that share rows than keep the processor busy, though fewer would leave none over.
func TestRowsOfFewRegisters(t *testing.T) {
	m := cpu.Machine{Lanes: 8, Registers: 16, L1: 32 << 10, L2: 1 << 20, Spreads: true, Threads: 1, ForkWork: 1}
	for _, c := range []struct {
		h, k int
		want string
	}{
		{14, 5, "5 results along"}, // five at most: of three tiles, one of which begins earlier, and not seven of two
		{12, 3, "6 results along"},
		{7, 3, "4 results along"},
		{3, 3, "3 results along"},
		{14, 9, ""},
	} {
		x, f := in("x", 1, 3, c.h, 16), in("f", 3, 1, c.k, c.k)
		pad, one := []int64{int64(c.k / 2), int64(c.k / 2)}, []int64{1, 1}
		y, err := topi.Conv(x, f, topi.ConvOpts{Strides: one, Dilation: one, Before: pad, After: pad, Groups: 3, Data: "NCHW", Kernel: "OIHW"})
		h := &hearer{}
		if _, err := m.Schedule(create(t, kernel{args: []*te.Tensor{x, f, must(y, err)}}), nil, h); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, d := range h.list {
			if d.rule == "share rows" && d.taken {
				text = d.reason
			}
		}
		if !strings.HasPrefix(text, c.want) || (text == "") != (c.want == "") {
			t.Errorf("%d rows of windows of %d: %q, want %q", c.h, c.k, text, c.want)
		}
	}
}
