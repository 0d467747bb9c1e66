package compact_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/compact"
	"github.com/irscope/irscope/target"
)

// columns is what a binding may take to be read without scrolling, in a window of 1,024 pixels.
const columns = 96

var binding = regexp.MustCompile(`^ +[\pL_][\pL\pN_]* = `)

// TestFits checks that 95 of 100 bindings of the models of the gallery and of the light models fit, before and after each of the passes
// of the graph level, without their types.
func TestFits(t *testing.T) {
	t.Run("gallery", func(t *testing.T) {
		models := map[string][]byte{}
		for _, m := range gallery.Models() {
			models[m.Name] = m.Bytes
		}
		fits(t, models)
	})
	t.Run("light", func(t *testing.T) {
		models := map[string][]byte{}
		for _, c := range onnxtest.Light(t) {
			data, err := os.ReadFile(c.Path)
			if err != nil {
				t.Fatal(err)
			}
			models[c.Name] = data
		}
		fits(t, models)
	})
}

func fits(t *testing.T, models map[string][]byte) {
	all, long, kinds := 0, 0, map[string]int{}
	count := func(m *ir.Module) {
		for _, name := range script.FuncNames(m) {
			if _, ok := m.Lookup(name).(*relax.Function); !ok {
				continue
			}
			for _, l := range compact.Of(script.Function(name, m.Lookup(name), script.Options{}).Source).Lines {
				if !binding.MatchString(l.Text) {
					continue
				}
				if all++; len(l.Text) > columns {
					long++
					kinds[l.Text[strings.Index(l.Text, " = ")+3:][:20]]++
				}
			}
		}
	}
	list, err := pipeline.Parse("LegalizeOps,AnnotateTIROpPattern,FoldConstant,FuseOps,FuseTIR", pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range models {
		src, _, err := frontend.One(context.Background(), name, data, frontend.Options{Form: frontend.ONNX})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		count(src.Module)
		_, err = compiler.Passes(context.Background(), compiler.Request{
			Module: src.Module, Pipeline: pass.NewSequential("graph", list...),
			Instruments: []*pass.Instrument{{Name: "Count", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				if m != s.Input && len(s.Pass.Children) == 0 {
					count(m)
				}
				return nil
			}}},
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	t.Logf("%d models: %d of %d bindings take more than %d columns", len(models), long, all, columns)
	if all < 100 || 20*long > all {
		t.Errorf("%d of %d bindings take more than %d columns: %v", long, all, columns, kinds)
	}
}

// BenchmarkOf shortens the printed module of a light model: tens of megabytes a second, as it is done for every row that is shown.
func BenchmarkOf(b *testing.B) {
	text := function(strings.Repeat(`    conv1_Conv_conv2d: R.Tensor((1, 16, 32, 32), dtype="float32") = R.nn.conv2d(image, metadata["relax.expr.Constant"]["4e62e7a2f599"], data_layout="NCHW", dilation=[1, 1], groups=1, padding=[1, 1, 1, 1])`+"\n", 1000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		compact.Of(text)
	}
}
