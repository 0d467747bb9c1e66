package vm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
)

// counting adds functions that call themselves where they return.
func counting(b *Builder) {
	b.EmitFunction("forever", 2, nil)
	b.EmitCall("vm.builtin.copy", []Arg{Register(1)}, 2)
	b.EmitCall("forever", []Arg{Register(2), Register(0)}, 3) // the arguments change places
	b.EmitRet(Register(3))
	b.EndFunction("forever")

	b.EmitFunction("twice", 3, nil) // of a condition, and two values that change places while it holds
	b.EmitCall("vm.builtin.read_if_cond", []Arg{Register(0)}, 3)
	at := b.EmitIf(Register(3), 1)
	b.EmitCall("twice", []Arg{b.Int(0), Register(2), Register(1)}, 4)
	b.EmitRet(Register(4))
	b.SetOffset(at, b.NumInstr()-at)
	b.EmitCall("vm.builtin.make_tuple", []Arg{Register(1), Register(2), Register(4)}, 5)
	b.EmitRet(Register(5))
	b.EndFunction("twice")
}

// TestAgain: what a function passes to itself is what it began with otherwise, and nothing else of its frame is left.
func TestAgain(t *testing.T) {
	m := machine(t, Options{MaxDepth: 2}, counting)
	for cond, want := range map[int64]string{0: "(7, 8, None)", 1: "(8, 7, None)"} {
		v, err := m.Invoke(context.Background(), "twice", runtime.Int(cond), runtime.Int(7), runtime.Int(8))
		if err != nil || v.String() != want {
			t.Errorf("%d: %v %v, want %s", cond, v, err, want)
		}
		v.Release()
	}
}

// TestEndlessTurns: a loop without end is limited, and stops when its run does.
func TestEndlessTurns(t *testing.T) {
	used := func(m *Machine) uint64 { return m.dev.Stats().Used }
	m := machine(t, Options{MaxTurns: 1000}, counting)
	before := used(m)
	if _, err := m.Run(context.Background(), "forever", vec(1), vec(2)); !errors.Is(err, ErrTurns) {
		t.Errorf("an endless loop: %v", err)
	}
	if after := used(m); after != before {
		t.Errorf("%d bytes are left on the device", after-before)
	}
	m = machine(t, Options{MaxTurns: 1 << 60}, counting)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := m.Run(ctx, "forever", vec(1), vec(2)); !errors.Is(err, runtime.ErrStopped) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}
