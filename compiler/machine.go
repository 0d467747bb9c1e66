package compiler

import (
	"runtime"

	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/target"
)

// ForMachine returns t with everything said that code for it depends on: where t leaves that to the machine, it is the one that the program runs on, which must be able to
// run such code. It is called once, when a target is chosen: passes and code generators read the target only.
func ForMachine(t target.Target) (target.Target, error) { return t.Explicit(thisMachine) }

// thisMachine describes the processor, if machine code passes its test here.
func thisMachine() (target.Machine, error) {
	if err := native.Available(); err != nil {
		return target.Machine{}, err
	}
	l1, l2 := native.Caches()
	return target.Machine{Features: native.Host().Names(), L1: l1, L2: l2, Cores: int64(runtime.GOMAXPROCS(0))}, nil
}
