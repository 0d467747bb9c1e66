package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestMakePackedAPIWithoutDefinition: a function that nobody verified has a dimension whose
// variable no parameter defines.
func TestMakePackedAPIWithoutDefinition(t *testing.T) {
	k, m := index("k"), index("m")
	f := fn(tir.NoOp(), floats("B", m), floats("A", 4, tir.Mul(k, m)))
	_, err := passtest.NewContext().Run(tirpass.MakePackedAPI, moduleOf(f))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"kernel.A_handle.shape[1] is k * m", "no parameter defines k", "add a parameter k"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, which should say %q", err, want)
		}
	}
}
