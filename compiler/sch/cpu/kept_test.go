package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// TestKept: a loop over steps remains where without it the weights of all steps would be kept from tile to tile, in more registers than there are: beside elements that are spread, and not where
// each channel is convolved by itself.
func TestKept(t *testing.T) {
	m := cpu.Machine{Lanes: 16, Registers: 32, L1: 32768, L2: 1 << 20, Spreads: true, Embeds: true}
	for _, c := range []struct {
		in, part, window, groups int
		kept                     bool
	}{{2, 4, 1, 1, true}, {4, 16, 1, 1, false}, {4, 16, 3, 64, false}} {
		x, w, inner := in("x", 1, c.in, 28, 28, c.part), in("w", 4, c.in, c.window, c.window, c.part, 16), c.part
		if c.groups > 1 {
			w, inner = in("w", 4, 1, c.window, c.window, 1, 16), 1
		}
		pad := int64(c.window / 2)
		y, ok, err := topi.ConvBlocked(x, w, topi.ConvOpts{
			Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad}, Groups: int64(c.groups),
			Data: fmt.Sprintf("NCHW%dc", c.part), Kernel: fmt.Sprintf("OIHW%di16o", inner), Result: "NCHW16c",
		})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		h := &hearer{}
		if _, err := m.Schedule(create(t, kernel{args: []*te.Tensor{x, w, y}}), nil, h); err != nil {
			t.Fatal(err)
		}
		kept := false
		for _, s := range h.list {
			kept = kept || strings.Contains(s.reason, "would be kept from one tile of rows to another")
		}
		if kept != c.kept {
			t.Errorf("%+v: kept is %v: %v", c, kept, h.list)
		}
	}
}
