package driver_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
)

// TestTargetIsExplicit resolves settings whose target leaves features open: the job, its settings and its key say them all, whatever the machine for those that name some.
func TestTargetIsExplicit(t *testing.T) {
	resolve := func(text string) (*driver.Job, driver.Problems) {
		j, found, err := driver.Resolve(t.Context(), driver.Request{Settings: request.Settings{Target: text}})
		if err != nil {
			t.Fatal(err)
		}
		return j, found
	}
	const avx2 = "x86 -mattr=+avx2,+bmi2,+f16c,+fma -l1-cache-bytes=32768 -l2-cache-bytes=262144 -max-simd-width=256 -num-vector-registers=16"
	for text, want := range map[string]string{"x86 -mattr=+avx2": avx2, avx2: avx2, "wasm": "wasm", "": "", "wasm -num-cores=1": "wasm -num-cores=1"} {
		j, found := resolve(text)
		if found.Fatal() != nil || j.Settings.Target != want {
			t.Errorf("%q: the settings say %q, %v, expected %q", text, j.Settings.Target, found, want)
		}
		if parsed, err := target.Parse(want); want != "" && (err != nil || !parsed.Equal(j.Target)) {
			t.Errorf("%q: the job is for %s, its settings say %s", text, j.Target, want)
		}
	}
	short, long := first(resolve("x86 -mattr=+avx2")), first(resolve(avx2))
	if short.Key("") != long.Key("") || short.Key("") == first(resolve("x86 -mattr=+avx512f")).Key("") {
		t.Error("keys of jobs do not tell targets apart, or tell the same ones apart")
	}
	here, err := compiler.ForMachine(target.Of("x86"))
	j, found := resolve("x86")
	if err != nil {
		if p := found.Fatal(); p == nil || !strings.Contains(p.Message, "features can be named") {
			t.Errorf("x86 where no machine code runs: %v", p)
		}
		return
	}
	if found.Fatal() != nil || j.Settings.Target != here.String() || j.Key("") != first(resolve(here.String())).Key("") {
		t.Errorf("x86 stands for %q, %v, expected %s", j.Settings.Target, found, here)
	}
}

func first(j *driver.Job, _ driver.Problems) *driver.Job { return j }
