package wasm_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestOrigins asks which statement each line of the text is for: what computes or stores is for the statement that does so, and what the
// loop needs for the loop.
func TestOrigins(t *testing.T) {
	a, b := flat("A", dtype.Float32T, 64), flat("B", dtype.Float32T, 64)
	i := i32var("i")
	product := tir.Store(a, tir.Mul(tir.Load(a, i), tir.Load(b, i)), i)
	root := tir.Store(b, tir.NewCall(tir.OpSqrt, tir.Load(b, i)), i)
	m := pack(t, primFunc("f", []any{a, b}, forLoop(i, tir.Int32(64), product, root)))
	stores := map[string]tir.Stmt{}
	var loops []tir.Stmt
	for _, f := range m.Funcs() {
		ir.Walk(f.(*tir.PrimFunc).Body, func(n ir.Node) bool {
			switch s := n.(type) {
			case *tir.BufferStore:
				stores[s.Buffer.Name] = s
			case *tir.For:
				loops = append(loops, s)
			}
			return true
		})
	}
	lib, _, _ := load(t, m, mustTarget("wasm"))
	k := lib.Kernels[0]
	text, of := k.Lines()
	if text != k.Text() {
		t.Errorf("another text:\n%s\nthan\n%s", text, k.Text())
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(of) != len(lines) {
		t.Fatalf("%d statements of %d lines", len(of), len(lines))
	}
	want := map[string]tir.Stmt{
		"(f32.store": nil, "(f32.mul": stores["A"], "(f32.sqrt": stores["B"], "(br_if $i": loops[0], "(local.set $i": loops[0], "(func": nil, "(param": nil,
	}
	found := map[string]int{}
	for n, line := range lines {
		for part, want := range want {
			if !strings.Contains(line, part) {
				continue
			}
			found[part]++
			switch {
			case part != "(f32.store" && of[n] != want:
				t.Errorf("%s is for %T, want %T", line, of[n], want)
			case part == "(f32.store" && of[n] != stores["A"] && of[n] != stores["B"]:
				t.Errorf("%s is for %T", line, of[n])
			}
		}
	}
	for part := range want {
		if found[part] == 0 {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
}
