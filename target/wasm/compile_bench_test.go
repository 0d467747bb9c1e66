package wasm_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/irscope/irscope/target/wasm"
)

// BenchmarkEngineCompile measures what wazero takes to translate the convolution.
func BenchmarkEngineCompile(b *testing.B) {
	lib, err := wasm.Build(context.Background(), pack(b, convKernel(64, 64, 56)), mustTarget("wasm"))
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	b.ReportAllocs()
	for b.Loop() {
		c, err := r.CompileModule(ctx, lib.Bytes)
		if err != nil {
			b.Fatal(err)
		}
		c.Close(ctx)
	}
}
