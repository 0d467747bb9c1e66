package gallery_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery/galleryspec"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// TestFresh compares the generated files with what their generator makes now.
func TestFresh(t *testing.T) {
	files, err := galleryspec.Files()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for name, want := range files {
		total += len(want)
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Errorf("%v; run go generate ./compiler/frontend/onnx/gallery", err)
			continue
		}
		// Outputs come from math.Exp and the like, whose last bit may differ between machines.
		if strings.Contains(name, "output_") {
			compare(t, name, got, want)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run go generate ./compiler/frontend/onnx/gallery", name)
		}
	}
	if total > 1<<20 {
		t.Errorf("the generated files have %d bytes together, more than 1 MiB", total)
	}
}

func compare(t *testing.T, name string, got, want []byte) {
	t.Helper()
	g, err := onnxpb.ReadTensor(got, onnxpb.Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	w, err := onnxpb.ReadTensor(want, onnxpb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (onnxtest.Tolerance{Rel: 1e-6, Abs: 1e-7}).Compare(g, w); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestModels(t *testing.T) {
	if len(gallery.Models()) != len(galleryspec.Models()) {
		t.Error("the gallery and its generator list different models")
	}
	for _, g := range gallery.Models() {
		m, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		if g.Title == "" || g.Description == "" {
			t.Errorf("%s has no title or no description", g.Name)
		}
		symbolic := ""
		for _, d := range m.Graph.Inputs[0].Type.Tensor.Shape {
			symbolic += d.Param
		}
		if symbolic != g.Symbolic {
			t.Errorf("%s: symbolic dimension is %q, the gallery says %q", g.Name, symbolic, g.Symbolic)
		}
		if _, ok := gallery.Lookup(g.Name); !ok {
			t.Errorf("Lookup does not find %s", g.Name)
		}
	}
	if _, ok := gallery.Lookup("absent"); ok {
		t.Error("Lookup finds a model that is not there")
	}
}

// TestDataVaries makes sure that the expected outputs can tell a wrong result: they differ
// from one another and are no saturated softmax.
func TestDataVaries(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		for i, s := range c.Sets {
			v, err := s.Outputs[0].Floats()
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := v[0], v[0]
			for _, x := range v {
				lo, hi = min(lo, x), max(hi, x)
			}
			if hi-lo < 0.05 || c.Name != "transformer" && hi > 0.99 {
				t.Errorf("%s, set %d: outputs lie between %g and %g", c.Name, i, lo, hi)
			}
		}
	}
}
