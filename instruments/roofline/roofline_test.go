package roofline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/target"
)

// TestLimit: the limit of each kind of target is measured, is plausible, and is measured once.
func TestLimit(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	var cache roofline.Cache
	for _, k := range target.CodeKinds() {
		began := time.Now()
		l, err := cache.Limit(context.Background(), eng, target.Of(k.Name), false)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s in %v: %.3g GFLOP/s", k.Name, time.Since(began), l.Flops/1e9)
		for _, b := range l.Bandwidths {
			t.Logf("%9d bytes: %.3g GB/s", b.Bytes, b.PerSecond/1e9)
			if b.PerSecond <= 0 || b.PerSecond > 1e13 {
				t.Errorf("%s: %v bytes per second", k.Name, b.PerSecond)
			}
		}
		if l.Flops <= 0 || l.Flops > 1e13 || len(l.Bandwidths) == 0 {
			t.Fatalf("%s: %+v", k.Name, l)
		}
		// Sizes grow eightfold up to 96 MiB, unless the next would take more than 20 ms.
		if last := l.Bandwidths[len(l.Bandwidths)-1]; last.Bytes != 96<<20 && 8*float64(last.Bytes)/last.PerSecond <= 0.02 {
			t.Errorf("%s: no size behind %d bytes, which take %v s", k.Name, last.Bytes, float64(last.Bytes)/last.PerSecond)
		}
		if again, _ := cache.Limit(context.Background(), eng, target.Of(k.Name), false); again != l {
			t.Errorf("%s: measured twice", k.Name)
		}
		ofBytes, err := cache.Limit(context.Background(), eng, target.Of(k.Name), true)
		if err != nil {
			t.Fatal(err)
		}
		if l.ByteOps != 0 || ofBytes.ByteOps <= 0 || ofBytes.ByteOps > 1e14 || ofBytes.Flops != l.Flops {
			t.Errorf("%s: %+v, and of bytes %+v", k.Name, l, ofBytes)
		}
		for _, bytes := range []bool{false, true} {
			if again, _ := cache.Limit(context.Background(), eng, target.Of(k.Name), bytes); again != ofBytes {
				t.Errorf("%s: measured again", k.Name)
			}
		}
	}
}

// TestFusedLimit: where there are vectors of 512 bits and fma, the limit of machine code is well above that of WebAssembly, and that of 256 bits is between the two.
func TestFusedLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("times of a busy machine")
	}
	eng := compiler.NewEngine()
	defer eng.Close()
	var cache roofline.Cache
	bytes := map[string]float64{}
	flops := func(text string) float64 {
		tg, err := target.Parse(text)
		if err == nil {
			tg, err = tg.Explicit(nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := cache.Limit(context.Background(), eng, tg, true)
		if errors.Is(err, runtime.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.3g GFLOP/s, %.3g GOP/s of bytes, %.3g GB/s in the first cache", text, l.Flops/1e9, l.ByteOps/1e9, l.Bandwidths[0].PerSecond/1e9)
		bytes[text] = l.ByteOps
		return l.Flops
	}
	wasm, avx2 := flops("wasm"), flops("x86 -mattr=+avx2")
	if avx2 < 2*wasm {
		t.Errorf("AVX2 reaches %.3g operations in a second, WebAssembly %.3g", avx2, wasm)
	}
	if !native.Host().AVX512 {
		return
	}
	if avx512 := flops("x86 -mattr=+avx512f"); avx512 < 0.9*avx2 { // as much where a processor takes vectors of 512 bits by halves
		t.Errorf("AVX-512 reaches %.3g operations in a second, AVX2 %.3g", avx512, avx2)
	}
	if !native.Host().AMX {
		return
	}
	const vectors, tiles = "x86 -mattr=+avx512vnni", "x86 -mattr=+amx-int8"
	flops(vectors)
	if flops(tiles); bytes[tiles] < 3*bytes[vectors] {
		t.Errorf("tiles reach %.3g products and sums of bytes in a second, vectors %.3g", bytes[tiles], bytes[vectors])
	}
}

func TestIdeal(t *testing.T) {
	l := roofline.Limit{Flops: 1e9, ByteOps: 4e9, Bandwidths: []roofline.Bandwidth{{1000, 4e9}, {10_000, 2e9}}}
	for _, tt := range []struct {
		flops, byteOps, bytes int64
		want                  time.Duration
	}{
		{500, 0, 0, 500}, {500, 0, 1000, 500}, {100, 0, 1000, 250}, {0, 0, 2000, 1000}, {0, 0, 10_000, 5000}, {0, 0, 20_000, 10_000}, {0, 0, 0, 0}, {0, 4000, 0, 1000}, {500, 4000, 1000, 1500},
	} {
		if got := l.Ideal(tt.flops, tt.byteOps, tt.bytes); got != tt.want {
			t.Errorf("%d operations on %d bytes: %d ns, want %d", tt.flops, tt.bytes, got, tt.want)
		}
	}
}
