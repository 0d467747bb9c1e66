package parse_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
)

// What is printed is read back by the package that other tests use as well.
var (
	roundTrip   = roundtrip.Check
	constantsOf = roundtrip.Constants
)

func compileChecked(t *testing.T, c onnxtest.Case, level int) {
	c.Seeded = false
	mod, err := onnx.Import(t.Context(), c.Model(t), onnx.Options{})
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	_, err = compiler.Passes(context.Background(), compiler.Request{
		Module: mod, OptLevel: &level, Instruments: []*pass.Instrument{roundtrip.Instrument()},
	})
	if e := (*roundtrip.Error)(nil); errors.As(err, &e) {
		t.Errorf("%s at opt_level %d: %v", c.Name, level, err)
	} else if err != nil {
		t.Logf("%s: the pipeline stopped: %v", c.Name, err)
	}
}

// TestGalleryRoundTrips prints and reads every gallery model after every pass of the default
// pipeline at each opt_level.
func TestGalleryRoundTrips(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		for level := range 4 {
			if testing.Short() && level != 2 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", c.Name, level), func(t *testing.T) { compileChecked(t, c, level) })
		}
	}
}
