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
		{"cuda", "known kinds are interp, wasm"},
		{"wasm -march=native", "known attributes are host, keys, mattr, max-simd-width"},
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

func FuzzParse(f *testing.F) {
	for _, s := range []string{"wasm", `wasm -host="wasm -num-cores=2"`, `{"kind":"wasm","keys":["a b"]}`, `wasm -model="\""`} {
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
