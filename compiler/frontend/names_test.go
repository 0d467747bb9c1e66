package frontend_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// TestNamesThatNoTextHas reads modules of functions by names that a text cannot define, and of some that it can, which
// are printed as they are.
func TestNamesThatNoTextHas(t *testing.T) {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Body: tir.NoOp()}
	load := func(name string) ([]frontend.Source, error) {
		var b bytes.Buffer
		if err := irjson.Save(&b, ir.NewModule().With(name, f), irjson.Options{}); err != nil {
			t.Fatal(err)
		}
		found, _, err := frontend.Load(context.Background(), "m.json", b.Bytes(), frontend.Options{})
		return found, err
	}
	for _, name := range []string{"a-b", "a.b", "1f", "def", "T", "é", ""} {
		if _, err := load(name); err == nil || !strings.Contains(err.Error(), "which TVMScript cannot write") {
			t.Errorf("%q: got %v, want an error about the name", name, err)
		}
	}
	for _, name := range []string{"range", "cls", "metadata", "T_", "_f1"} {
		found, err := load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		text := script.Module(found[0].Module, script.Options{}).Source
		if !strings.Contains(text, "def "+name+"()") {
			t.Errorf("%s prints as\n%s", name, text)
		}
	}
}
