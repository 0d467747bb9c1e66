package vm

import (
	"context"
	"testing"

	"github.com/irscope/irscope/runtime"
)

// BenchmarkVMCall measures one call of an empty kernel from bytecode: a function of 1000
// calls, divided.
func BenchmarkVMCall(b *testing.B) {
	const calls = 1000
	m := machine(b, Options{}, func(eb *Builder) {
		eb.EmitFunction("main", 2, nil)
		for range calls {
			eb.EmitCall("nop", []Arg{Register(0), Register(1), Register(1)}, VoidReg)
		}
		eb.EmitRet(Register(0))
		eb.EndFunction("main")
	})
	x, err := m.Device().Upload(vec(1, 2, 3))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Release()
	b.ReportAllocs()
	for b.Loop() {
		v, err := m.Invoke(context.Background(), "main", runtime.TensorValue(x), runtime.TensorValue(x))
		if err != nil {
			b.Fatal(err)
		}
		v.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

// BenchmarkRun measures a whole small run: upload, two kernels, four allocations, download.
func BenchmarkRun(b *testing.B) {
	m := machine(b, Options{}, addTwice)
	x := vec(1, 2, 3)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Run(context.Background(), "main", x); err != nil {
			b.Fatal(err)
		}
	}
}
