package target_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

func TestExplicit(t *testing.T) {
	const avx2 = " -mattr=+avx2,+bmi2,+f16c,+fma"
	const avx512 = " -mattr=+avx2,+avx512bw,+avx512dq,+avx512f,+avx512vl,+bmi2,+f16c,+fma"
	const small = " -l1-cache-bytes=32768 -l2-cache-bytes=262144"
	const w2, w5 = " -max-simd-width=256 -num-vector-registers=16", " -max-simd-width=512 -num-vector-registers=32"
	big := target.Machine{Features: []string{"avx2", "avx512f", "avx512vnni"}, L1: 49152, L2: 2 << 20}
	const vnni = " -mattr=+avx2,+avx512bw,+avx512dq,+avx512f,+avx512vl,+avx512vnni,+bmi2,+f16c,+fma"
	const caches = " -l1-cache-bytes=49152 -l2-cache-bytes=2097152"
	for _, c := range []struct {
		in    string
		m     target.Machine
		asked bool
		out   string
		lanes int
	}{
		{"wasm", big, false, "wasm", 4},
		{"x86 -mattr=+avx2", big, false, "x86" + avx2 + small + w2, 8},
		{"x86 -mattr=+fma", big, false, "x86" + avx2 + small + w2, 8},
		{"x86 -mattr=+avx512f", target.Machine{}, false, "x86" + avx512 + small + w5, 16},
		{"x86 -mattr=+avx512vl,-avx512vnni -max-simd-width=256 -num-cores=2", big, false, "x86" + avx512 + small + " -max-simd-width=256 -num-cores=2 -num-vector-registers=32", 8},
		{"x86 -mattr=+avx2 -l1-cache-bytes=65536", big, false, "x86" + avx2 + " -l1-cache-bytes=65536 -l2-cache-bytes=262144" + w2, 8},
		{"x86", big, true, "x86" + vnni + caches + w5, 16},
		{"x86 -mattr=-avx512vnni", big, true, "x86" + avx512 + caches + w5, 16},
		{"x86 -mattr=-avx512vl", big, true, "x86" + avx2 + caches + w2, 8},
		{"x86", target.Machine{Features: []string{"avx2"}, Cores: 4}, true, "x86" + avx2 + small + " -max-simd-width=256 -num-cores=4 -num-vector-registers=16", 8},
		{"x86 -num-cores=1", target.Machine{Features: []string{"avx2"}, Cores: 4}, true, "x86" + avx2 + small + " -max-simd-width=256 -num-cores=1 -num-vector-registers=16", 8},
		{"x86", target.Machine{Features: []string{"avx2"}}, true, "x86" + avx2 + small + w2, 8},
	} {
		x, err := target.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		asked := false
		got, err := x.Explicit(func() (target.Machine, error) { asked = true; return c.m, nil })
		if err != nil || got.String() != c.out || asked != c.asked {
			t.Errorf("%s: %q, asked %v, %v, expected\n%q", c.in, got, asked, err, c.out)
			continue
		}
		if n := got.VectorLanes(dtype.Float32T); n != c.lanes {
			t.Errorf("%s: %d lanes, expected %d", got, n, c.lanes)
		}
		again, err := target.Parse(got.String())
		if err != nil || !again.Equal(got) {
			t.Errorf("%s does not read back: %s, %v", got, again, err)
		}
		same, err := again.Explicit(func() (target.Machine, error) { return target.Machine{}, errors.New("asked") })
		if err != nil || !same.Equal(got) {
			t.Errorf("%s is not explicit: %s, %v", got, same, err)
		}
	}
}

func TestExplicitRefuses(t *testing.T) {
	none := func() (target.Machine, error) { return target.Machine{}, errors.New("it is an abacus") }
	plain := func() (target.Machine, error) { return target.Machine{}, nil }
	for _, c := range []struct {
		in, want string
		ask      func() (target.Machine, error)
	}{
		{"x86", "this machine: it is an abacus; features can be named, as in x86 -mattr=+avx2", none},
		{"x86", "code needs the feature avx2 at least", plain},
		{"x86 -mattr=-fma", "code needs the feature avx2 at least", func() (target.Machine, error) {
			return target.Machine{Features: []string{"avx2", "avx512f"}}, nil
		}},
		{"x86 -mattr=+avx512f,-f16c", "feature avx512f needs f16c, which is switched off", none},
		{"x86 -max-simd-width=512", "vectors of 512 bits need -mattr=+avx512f", func() (target.Machine, error) {
			return target.Machine{Features: []string{"avx2"}}, nil
		}},
	} {
		x, err := target.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Explicit(c.ask); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.in, err, c.want)
		}
	}
	for in, want := range map[string]string{
		"x86 -max-simd-width=128":              "vectors have 256 or 512 bits, not 128",
		"x86 -mattr=+avx2 -max-simd-width=512": "vectors of 512 bits need -mattr=+avx512f",
		"x86 -mattr=+sse9":                     "known features are avx2, fma",
	} {
		if _, err := target.Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", in, err, want)
		}
	}
}
