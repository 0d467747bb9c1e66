//go:build linux && amd64

package x86_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/x86"
)

// TestOrigins asks which statement each line of the text is for: every instruction that computes or stores is for the one that does so, and what the loop needs for the loop.
func TestOrigins(t *testing.T) {
	a, b := flat("A", dtype.Float32T, 64), flat("B", dtype.Float32T, 64)
	i := i32var("i")
	product := tir.Store(a, tir.Mul(tir.Load(a, i), tir.Load(b, i)), i)
	root := tir.Store(b, tir.NewCall(tir.OpSqrt, tir.Load(b, i)), i)
	loop := forLoop(i, tir.Int32(64), product, root)
	funcs := packed(t, primFunc("f", []any{a, b}, loop))
	stores := map[string]tir.Stmt{}
	var loops []tir.Stmt
	ir.Walk(funcs[0].Prim.Body, func(n ir.Node) bool {
		switch s := n.(type) {
		case *tir.BufferStore:
			stores[s.Buffer.Name] = s
		case *tir.For:
			loops = append(loops, s)
		}
		return true
	})
	lib, err := x86.BuildFor(context.Background(), funcs, machines["avx512"])
	if err != nil {
		t.Fatal(err)
	}
	k := lib.Kernels[0]
	text, of := k.Lines()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(of) != len(lines) {
		t.Fatalf("%d statements of %d lines", len(of), len(lines))
	}
	found := map[string]int{}
	for n, line := range lines {
		for op, want := range map[string]tir.Stmt{"vmulss": stores["A"], "vsqrtss": stores["B"], "vmovss dword ptr": nil, "; loop": nil} {
			if !strings.Contains(line, op) {
				continue
			}
			found[op]++
			switch {
			case op == "vmovss dword ptr" && of[n] != stores["A"] && of[n] != stores["B"]:
				t.Errorf("%s is for %T", line, of[n])
			case op != "vmovss dword ptr" && of[n] != want:
				t.Errorf("%s is for %T, want %T", line, of[n], want)
			}
		}
		if strings.Contains(line, "jl") || strings.Contains(line, "inc ") {
			found["loop"]++
			if len(loops) != 1 || of[n] != loops[0] {
				t.Errorf("%s is for %T, want the loop", line, of[n])
			}
		}
	}
	for _, op := range []string{"vmulss", "vsqrtss", "vmovss dword ptr", "; loop", "loop"} {
		if found[op] == 0 {
			t.Errorf("no %s in\n%s", op, k.Text())
		}
	}
}

// TestOriginsOfTiles: products of matrices are for the store that adds one product.
func TestOriginsOfTiles(t *testing.T) {
	funcs := scheduled(t, onAMX, products(dtype.UInt32T, dtype.Int32T, 0, 32, 16, 32))
	lib, _, err := build(funcs, machineOf(t, onAMX))
	if err != nil {
		t.Fatal(err)
	}
	text, of := lib.Kernels[0].Lines()
	found := 0
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.Contains(line, "tdpbusd") || strings.Contains(line, "tileloadd") || strings.Contains(line, "tilestored") {
			found++
			adds := false
			if s, ok := of[n].(*tir.BufferStore); ok {
				ir.Walk(s.Value, func(x ir.Node) bool {
					if e, ok := x.(tir.Expr); ok {
						_, dot := tir.IsCallTo(e, tir.OpDp4a)
						adds = adds || dot
					}
					return true
				})
			}
			if !adds {
				t.Errorf("%s is for %T", line, of[n])
			}
		}
	}
	if found != 4+4+4 {
		t.Errorf("%d instructions on tiles:\n%s", found, text)
	}
}

// TestOriginsOfCopies asks which statement each line is for where the generator copied bodies of loops: one of the function, and each statement has lines.
func TestOriginsOfCopies(t *testing.T) {
	a, b := flat("A", dtype.Float32T, 64), flat("B", dtype.Float32T, 64)
	i, j, twice := i32var("i"), i32var("j"), i32var("twice")
	at := tir.Add(tir.Mul(i, tir.Int32(4)), j)
	marked := &tir.For{LoopVar: j, Min: tir.Int32(0), Extent: tir.Int32(4), Kind: tir.Unrolled, Body: &tir.LetStmt{Var: twice, Value: tir.Mul(i, tir.Int32(2)), Body: tir.Seq(
		tir.Store(a, tir.Mul(tir.Load(a, at), tir.Load(b, at)), at), tir.Store(b, tir.NewCall(tir.OpSqrt, tir.Load(b, tir.Add(twice, j))), at))}}
	funcs := packed(t, primFunc("f", []any{a, b}, forLoop(i, tir.Int32(16), marked)))
	in, lines := map[tir.Stmt]bool{}, map[tir.Stmt]int{}
	ir.Walk(funcs[0].Prim.Body, func(n ir.Node) bool {
		if s, ok := n.(tir.Stmt); ok {
			in[s] = true
		}
		return true
	})
	lib, err := x86.BuildFor(context.Background(), funcs, machines["avx512"])
	if err != nil {
		t.Fatal(err)
	}
	text, of := lib.Kernels[0].Lines()
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if of[n] != nil && !in[of[n]] {
			t.Errorf("%s is for a %T that is not of the function", line, of[n])
		}
		lines[of[n]]++
	}
	for s := range in {
		if x, ok := s.(*tir.BufferStore); ok && lines[s] < 8 { // of four copies
			t.Errorf("a store to %s has %d lines", x.Buffer.Name, lines[s])
		}
	}
}
