package target_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

func TestParseAndPrint(t *testing.T) {
	cases := []struct{ in, out string }{
		{"wasm", "wasm"},
		{" wasm  -mattr=+simd128 ", "wasm"},
		{"wasm -mattr=-simd128", "wasm -mattr=-simd128"},
		{"wasm -mattr +simd128,-simd128 -num-cores=4", "wasm -mattr=-simd128 -num-cores=4"},
		{`wasm -model="two words" -keys=cpu`, `wasm -keys=cpu -model="two words"`},
		{"wasm -num-cores=1", "wasm"},
		{`wasm -host="wasm -num-cores=2"`, `wasm -host="wasm -num-cores=2"`},
		{`{"kind": "wasm", "num-cores": 2, "mattr": ["-simd128"], "host": {"kind": "wasm"}}`, "wasm -mattr=-simd128 -num-cores=2 -host=wasm"},
		{"llvm --num-cores=16 -mcpu skylake", "llvm -mcpu=skylake -num-cores=16"},
		{"llvm -device=arm_cpu -mattr=+v8.2a,+sve", "llvm -keys=arm_cpu,cpu -mattr=+sve,+v8.2a -device=arm_cpu"},
		{"llvm -mattr=-avx,+avx -fast-math", "llvm -mattr=+avx -fast-math=true"},
		{"cuda -arch=sm_80 -thread_warp_size=32 -max_threads_per_block=512", "cuda -arch=sm_80 -max_threads_per_block=512"},
		{"cuda -host='llvm -mcpu=\\'a b\\''", `cuda -host="llvm -mcpu=\"a b\""`},
		{`{"kind": "cuda", "keys": ["cuda", "gpu", "cuda"], "arch": "sm_50", "host": {"kind": "llvm", "keys": ["cpu"]}}`, "cuda -host=llvm"},
		{"opencl -device=adreno -max_threads_per_block=256", "opencl -keys=adreno,opencl,gpu -device=adreno"},
		{"vulkan -supports_float16=1 -supports_float32=1 -libs=a,b", "vulkan -libs=a,b -supports_float16=true"},
		{"nvidia/geforce-rtx-3070", "cuda -arch=sm_86 -max_shared_memory_per_block=49152 -max_threads_per_block=1024 -registers_per_block=65536 -tag=nvidia/geforce-rtx-3070"},
		{"nvidia/nvidia-h100 -max_threads_per_block=64", "cuda -arch=sm_90a -l2_cache_size_bytes=52428800 -max_shared_memory_per_block=49152 -max_threads_per_block=64 -registers_per_block=65536 -tag=nvidia/nvidia-h100"},
		{"apple/m1-gpu", `metal -max_threads_per_block=1024 -tag=apple/m1-gpu -thread_warp_size=32 -host="llvm -mcpu=apple-m4 -mtriple=arm64-apple-macos"`},
	}
	for _, c := range cases {
		got, err := target.Parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got.String() != c.out {
			t.Errorf("%q: got %q, want %q", c.in, got, c.out)
		}
		again, err := target.Parse(got.String())
		if err != nil || !again.Equal(got) {
			t.Errorf("%q does not read back: %q, %v", got, again, err)
		}
		data, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var back target.Target
		if err := json.Unmarshal(data, &back); err != nil || !back.Equal(got) {
			t.Errorf("%s does not read back: %q, %v", data, back, err)
		}
	}
}

func TestErrorsListWhatIsKnown(t *testing.T) {
	cases := []struct{ in, want string }{
		{"", "wasm"},
		{"abacus", "known kinds are c, cuda, interp, llvm, metal, opencl, rocm, vulkan, wasm, webgpu"},
		{"nvidia/geforce-rtx-1", "unknown target kind"},
		{"wasm -march=native", "known attributes are device, host, keys, libs, mattr, max-simd-width"},
		{"cuda -mattr=+x", "it has none that -mattr switches"},
		{"cuda -arch=80", "expected sm_ and a number"},
		{"rocm -mcpu=sm_80", "expected gfx and a number"},
		{"llvm -host='llvm", "without an end"},
		{"llvm -mattr=+", "has no feature"},
		{"wasm -mattr=+avx2", "known features are simd128"},
		{"wasm -mattr=simd128", "needs a sign"},
		{"wasm -num-cores=x", "expected an integer"},
		{"wasm -num-cores=-3", "expected an integer"},
		{"wasm simd", "expected an option"},
		{"wasm -num-cores", "needs an integer"},
		{"wasm -num-cores=1 -num-cores=2", "twice"},
		{`wasm -model="x`, "without an end"},
		{`wasm -host="wasm -host=wasm"`, "cannot have a host"},
		{`{"kind": 3}`, `needs "kind"`},
		{`{"kind": "wasm"`, "not a valid JSON"},
		{`{"kind": "wasm", "mattr": [1]}`, "list of words"},
		{"wasm " + strings.Repeat("x", 5000), "at most 4096"},
	}
	for _, c := range cases {
		_, err := target.Parse(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: got %v, want %q", c.in, err, c.want)
		}
	}
}

func TestQueries(t *testing.T) {
	w := target.Default()
	if !w.Feature("simd128") || w.Feature("avx2") {
		t.Error("features of the default target are wrong")
	}
	if n := w.VectorLanes(dtype.Float32T); n != 4 {
		t.Errorf("got %d lanes of float32, want 4", n)
	}
	scalar, err := target.Parse("wasm -mattr=-simd128")
	if err != nil {
		t.Fatal(err)
	}
	if n := scalar.VectorLanes(dtype.Float32T); n != 1 {
		t.Errorf("got %d lanes without SIMD, want 1", n)
	}
	if !w.HasKey("cpu") || w.HasKey("gpu") || w.IntAttr("num-cores", 0) != 1 {
		t.Error("keys or attributes of the default target are wrong")
	}
	if s, ok := w.Scope("local"); !ok || s.MaxBytes == 0 {
		t.Errorf("scope local: %v, %v", s, ok)
	}
	if h := w.Host(); !h.Equal(w) {
		t.Errorf("a target without a host is its own, got %s", h)
	}
	if h := w.WithHost(scalar).Host(); !h.Equal(scalar) {
		t.Errorf("got host %s", h)
	}
	if (target.Target{}).String() != "" || !(target.Target{}).IsZero() {
		t.Error("the zero target is not empty")
	}
}

// TestTags has every tag stand for a target that carries its name, and that its canonical form says.
func TestTags(t *testing.T) {
	list := target.Tags()
	if len(list) < 200 {
		t.Errorf("%d tags", len(list))
	}
	for _, name := range list {
		x, err := target.Parse(name)
		if err != nil || x.Attr("tag") != name {
			t.Errorf("%s is %s (%v)", name, x, err)
			continue
		}
		if y, err := target.Parse(x.String()); err != nil || !y.Equal(x) {
			t.Errorf("%s reads back as %s (%v)", x, y, err)
		}
	}
}

// TestKindsOfGPUs have the limits that schedules ask for.
func TestKindsOfGPUs(t *testing.T) {
	for _, c := range []struct {
		text                  string
		threads, warp, shared int64
	}{
		{"cuda", 1024, 32, 0},
		{"rocm", 256, 64, 65536},
		{"opencl", 256, 1, 16384},
		{"metal", 256, 16, 32768},
		{"vulkan", 256, 1, 0},
		{"webgpu", 256, 0, 0},
		{"nvidia/geforce-gtx-580", 1024, 32, 49152},
	} {
		x, err := target.Parse(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if n, w, s := x.IntAttr("max_num_threads", 0), x.IntAttr("thread_warp_size", 0), x.IntAttr("max_shared_memory_per_block", 0); n != c.threads || w != c.warp || s != c.shared {
			t.Errorf("%s: %d threads, warps of %d, %d bytes", c.text, n, w, s)
		}
		if !x.HasKey("gpu") || x.HasKey("cpu") || x.Kind().Code {
			t.Errorf("%s: keys %v, code %v", c.text, x.Keys(), x.Kind().Code)
		}
	}
	for _, k := range target.CodeKinds() {
		if !k.Code {
			t.Errorf("no code for %s", k.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"wasm", `wasm -host="wasm -num-cores=2"`, `{"kind":"wasm","keys":["a b"]}`, `wasm -model="\""`, "llvm -host='llvm -mcpu=a' -mattr=+b,-c", "nvidia/tegra-x1 -device=b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := target.Parse(s)
		if err != nil {
			return
		}
		b, err := target.Parse(a.String())
		if err != nil || b.String() != a.String() {
			t.Fatalf("%q prints as %q, which reads as %q, %v", s, a, b, err)
		}
	})
}
