package x86

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// prepared is the linear code of a random function.
func prepared(t *testing.T, r *rand.Rand, machine Machine) *linear {
	f, _ := tirtest.Lowered(r)
	c, err := pass.NewContext(context.Background(), pass.WithTarget(target.Of("wasm")))
	if err != nil {
		t.Fatal(err)
	}
	m := ir.NewModule().With("random", f)
	for _, p := range []*pass.Pass{tirpass.MakePackedAPI, tirpass.LowerTVMBuiltin, tirpass.LowerMath} {
		if m, err = p.Run(c, m); err != nil {
			t.Fatal(err)
		}
	}
	mod := &module{machine: machine, messageIDs: map[abi.Message]int{}, data: data{blobs: map[*ir.Blob]int{}}}
	l, err := mod.linear(context.Background(), codegen.Funcs(m)[0])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// contents says which virtual register each place holds: registers of both classes by number.
type contents map[[2]int]vreg

// misread follows the code along all paths and describes the first read that finds another value in its register than the one which was written for it. It
// knows nothing of intervals.
func misread(l *linear, a *allocation) string {
	place := func(v vreg) [2]int {
		if r := a.reg[v]; r != inFrame {
			class := 0
			if isVector(l.g.types[v]) {
				class = 1
			}
			return [2]int{class, int(r)}
		}
		return [2]int{2, int(a.slot[v])}
	}
	blocks := l.blocks()
	in := make([]contents, len(blocks))
	in[0] = contents{}
	work := []int{0}
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		state := contents{}
		for p, v := range in[k] {
			state[p] = v
		}
		for n := blocks[k].from; n < blocks[k].to; n++ {
			i := &l.code[n]
			bad := ""
			i.reads(func(v vreg) {
				if got, ok := state[place(v)]; !ok || got != v {
					bad = fmt.Sprintf("instruction %d reads value %d, whose place %v holds value %d (%v)", n, v, place(v), got, ok)
				}
			})
			if bad != "" {
				return bad
			}
			if i.dst != none {
				state[place(i.dst)] = i.dst
			}
		}
		for _, s := range blocks[k].next {
			if in[s] == nil {
				in[s] = contents{}
				for p, v := range state {
					in[s][p] = v
				}
				work = append(work, int(s))
				continue
			}
			changed := false
			for p, v := range in[s] {
				if got, ok := state[p]; !ok || got != v {
					delete(in[s], p)
					changed = true
				}
			}
			if changed {
				work = append(work, int(s))
			}
		}
	}
	return ""
}

// TestAllocation follows the registers of random functions, with as few as there can be, so that much lies in the frame.
func TestAllocation(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		for _, regs := range []int{16, 5} {
			l := prepared(t, r, NewMachine(false, 0))
			a, err := l.allocate(regs)
			if err != nil {
				t.Fatal(err)
			}
			if bad := misread(l, a); bad != "" {
				t.Errorf("with %d registers: %s", regs, bad)
			}
		}
	})
}

// TestSeededFaults gives two values that are needed at a time the same register: the test above must find it.
func TestSeededFaults(t *testing.T) {
	found, seeded := 0, 0
	for n := range uint64(40) {
		l := prepared(t, rand.New(rand.NewPCG(n, 5)), NewMachine(false, 0))
		a, err := l.allocate(16)
		if err != nil {
			t.Fatal(err)
		}
		ivs := a.intervals
		for v := range ivs {
			w := v + 1
			if w >= len(ivs) || ivs[v].start < 0 || ivs[w].start < 0 || isVector(l.g.types[v]) != isVector(l.g.types[w]) || a.reg[v] == inFrame || a.reg[w] == inFrame || a.reg[v] == a.reg[w] ||
				ivs[w].start <= ivs[v].start+1 || ivs[w].start >= ivs[v].end-1 || ivs[w].weight == 0 {
				continue
			}
			old := a.reg[w]
			a.reg[w] = a.reg[v]
			seeded++
			if misread(l, a) != "" {
				found++
			}
			a.reg[w] = old
		}
	}
	if seeded == 0 || found < seeded*9/10 {
		t.Errorf("found %d of %d faults", found, seeded)
	}
}
