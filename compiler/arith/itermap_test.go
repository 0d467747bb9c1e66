package arith

import (
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"pgregory.net/rapid"
)

// domains parses "x : 3 ; y : 4" as ranges from 0.
func domains(v *env, s string) map[*tir.Var]*tir.Range {
	out := map[*tir.Var]*tir.Range{}
	for _, part := range strings.Split(s, " ; ") {
		name, extent, _ := strings.Cut(part, " : ")
		x := v.variable(name)
		out[x] = &tir.Range{Min: tir.Const(x.DType(), 0), Extent: tir.CastTo(x.DType(), v.expr(extent))}
	}
	return out
}

var levels = map[string]IterMapLevel{"bijective": Bijective, "surjective": Surjective}

// TestDetectIterMap checks the facts of TVM v0.23's test_arith_iter_affine_map. A line is
//
//	map LEVEL [keep] | domains | predicate | index => extent ~ base [~ scale [~ expression]] | ...
//	fail LEVEL | domains | predicate | index | ...
//	simplify LEVEL [keep] | domains | predicate | index => expression | ...
//
// where keep does not simplify trivial iterators.
func TestDetectIterMap(t *testing.T) {
	data, err := os.ReadFile("testdata/iter_map.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		rows++
		f := strings.Split(line, " | ")
		kind := strings.Fields(f[0])
		trivial := len(kind) < 3
		v, a := newEnv(), NewAnalyzer()
		dom := domains(v, f[1])
		var pred tir.Expr
		if p := strings.TrimSpace(f[2]); p != "" {
			pred = v.expr(p)
		}
		var indices []tir.Expr
		var want []string
		for _, item := range f[3:] {
			index, spec, _ := strings.Cut(item, " => ")
			indices = append(indices, v.expr(index))
			want = append(want, spec)
		}
		if kind[0] == "simplify" {
			for j, got := range IterMapSimplify(indices, dom, pred, levels[kind[1]], a, trivial) {
				if w := v.expr(want[j]); !Equal(got, w) {
					t.Errorf("line %d: %s\n got %s\nwant %s", i+1, line, show(got), show(w))
				}
			}
			continue
		}
		res := DetectIterMap(indices, dom, pred, levels[kind[1]], a, trivial)
		if kind[0] == "fail" {
			if len(res.Indices) != 0 {
				t.Errorf("line %d: %s: detected a map", i+1, line)
			}
			continue
		}
		if len(res.Indices) != len(indices) {
			t.Errorf("line %d: %s: no map: %v", i+1, line, res.Errors)
			continue
		}
		for j, s := range res.Indices {
			checkSum(t, i+1, v, s, strings.Split(want[j], " ~ "))
		}
	}
	if rows < 90 {
		t.Fatalf("%d rows read", rows)
	}
}

func checkSum(t *testing.T, line int, v *env, s *IterSum, want []string) {
	a := NewAnalyzer()
	same := func(what string, got tir.Expr, want string) {
		if w := v.expr(want); !a.CanProveEqual(got, tir.CastTo(got.DType(), w)) {
			t.Errorf("line %d: %s is %s, want %s", line, what, show(got), want)
		}
	}
	if want[0] == "1" {
		if len(s.Args) != 0 {
			t.Errorf("line %d: got %d terms, want a constant", line, len(s.Args))
		}
	} else if len(s.Args) != 1 {
		t.Errorf("line %d: got %d terms, want one", line, len(s.Args))
	} else {
		scale := "1"
		if len(want) > 2 {
			scale = want[2]
		}
		same("extent", s.Args[0].Extent, want[0])
		same("scale", s.Args[0].Scale, scale)
	}
	same("base", s.Base, want[1])
	if len(want) > 3 {
		if got, w := NormalizeIterMapToExpr(s), v.expr(want[3]); !Equal(got, w) {
			t.Errorf("line %d: got %s, want %s", line, show(got), show(w))
		}
	}
}

func TestSubspaceDivide(t *testing.T) {
	for _, c := range []struct {
		name, dom, sub, pred string
		bindings, want       []string // want: outer, inner of each binding, then the predicates; none is no division
		keep                 bool
	}{
		{name: "fused", dom: "x : 3 ; y : 4 ; z : 5", sub: "x", bindings: []string{"z * 12 + y * 3 + x + Sc"}, want: []string{"z * 4 + y", "x + Sc", "true", "true"}},
		{name: "outer predicate", dom: "x : 3 ; y : 4 ; z : 5", sub: "x", pred: "z * 4 + y < 18", bindings: []string{"z * 12 + y * 3 + x + Sc"}, want: []string{"z * 4 + y", "x + Sc", "z * 4 + y < 18", "true"}},
		{name: "compound", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "i3", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}, want: []string{"i0 * 2 + fld(j0, 4)", "0", "flm(j0, 4)", "i3", "true", "true"}},
		{name: "compound inner", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "j0 i3", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}, want: []string{"i0", "fld(j0, 4)", "0", "flm(j0, 4) * 2 + i3", "true", "true"}},
		{name: "interleaved", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "i0 i3", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}},
		{name: "predicate outside", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "i3", pred: "i0 * 2 + fld(j0, 4) < 7", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}, want: []string{"i0 * 2 + fld(j0, 4)", "0", "flm(j0, 4)", "i3", "i0 * 2 + fld(j0, 4) < 7", "true"}},
		{name: "predicate inside", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "j0 i3", pred: "flm(j0, 4) * 2 + i3 < 7", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}, want: []string{"i0", "fld(j0, 4)", "0", "flm(j0, 4) * 2 + i3", "true", "flm(j0, 4) * 2 + i3 < 7"}},
		{name: "predicate across", dom: "i0 : 4 ; j0 : 8 ; i3 : 2", sub: "i3", pred: "i0 * 2 + fld(j0, 4) < 7 && flm(j0, 4) * 2 + i3 < 7", bindings: []string{"i0 * 2 + fld(j0, 4)", "flm(j0, 4) * 2 + i3"}},
		{name: "two levels", dom: "j0 : 4 ; l0 : 2 ; l1 : 6 ; j3 : 3", sub: "l1 j3", bindings: []string{"j0 * 2 + fld(fld(l0 * 6 + l1, 3), 2)", "flm(fld(l0 * 6 + l1, 3), 2)", "flm(l0 * 6 + l1, 3) * 3 + j3"}, want: []string{"j0 * 2 + l0", "0", "0", "fld(l1, 3)", "0", "flm(l1, 3) * 3 + j3", "true", "true"}},
		{name: "two levels, wrong sub", dom: "j0 : 4 ; l0 : 2 ; l1 : 6 ; j3 : 3", sub: "l0 j3", bindings: []string{"j0 * 2 + fld(fld(l0 * 6 + l1, 3), 2)", "flm(fld(l0 * 6 + l1, 3), 2)", "flm(l0 * 6 + l1, 3) * 3 + j3"}},
		{name: "trivial", dom: "x : 1 ; y : 16", sub: "y", bindings: []string{"x * 16 + y"}, want: []string{"x", "y", "true", "true"}, keep: true},
		{name: "trivial both", dom: "x : 1 ; y : 1", sub: "y", bindings: []string{"x", "y"}, want: []string{"x", "0", "0", "y", "true", "true"}, keep: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, a := newEnv(), NewAnalyzer()
			dom := domains(v, c.dom)
			sub := map[*tir.Var]bool{}
			for _, name := range strings.Fields(c.sub) {
				sub[v.variable(name)] = true
			}
			var pred tir.Expr
			if c.pred != "" {
				pred = v.expr(c.pred)
			}
			var bindings []tir.Expr
			for _, b := range c.bindings {
				bindings = append(bindings, v.expr(b))
			}
			ds, outer, inner := SubspaceDivide(bindings, dom, sub, pred, Surjective, a, !c.keep)
			if len(c.want) == 0 {
				if ds != nil {
					t.Fatal("divided")
				}
				return
			}
			if len(ds) != len(bindings) {
				t.Fatal("not divided")
			}
			var got []tir.Expr
			for _, d := range ds {
				got = append(got, d.Outer.ExprOf(a), d.Inner.ExprOf(a))
			}
			for i, g := range append(got, outer, inner) {
				if w := v.expr(c.want[i]); !Equal(g, w) {
					t.Errorf("%d: got %s, want %s", i, show(g), show(w))
				}
			}
		})
	}
}

// drawFused draws an index over the variables by fusing and splitting, with its extent.
func drawFused(t *rapid.T, vars []*tir.Var, extents []int64) (indices []tir.Expr, sizes []int64) {
	for i, v := range vars {
		indices = append(indices, v)
		sizes = append(sizes, extents[i])
	}
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		i := rapid.IntRange(0, len(indices)-1).Draw(t, "which")
		if rapid.Bool().Draw(t, "split") {
			f := rapid.SampledFrom([]int64{1, 2, 3, 4}).Draw(t, "factor")
			if sizes[i]%f != 0 {
				continue
			}
			d := indices[i].DType()
			lo := tir.FloorMod(indices[i], tir.Const(d, f))
			indices[i], sizes[i] = tir.FloorDiv(indices[i], tir.Const(d, f)), sizes[i]/f
			indices, sizes = append(indices, lo), append(sizes, f)
			continue
		}
		j := rapid.IntRange(0, len(indices)-1).Draw(t, "with")
		if i == j {
			continue
		}
		indices[i] = tir.Add(tir.Mul(indices[i], tir.Const(indices[i].DType(), sizes[j])), indices[j])
		sizes[i] *= sizes[j]
		indices, sizes = append(indices[:j:j], indices[j+1:]...), append(sizes[:j:j], sizes[j+1:]...)
	}
	return indices, sizes
}

// TestIterMapOfSplitsAndFuses checks that what splits and fuses make is a bijective map that
// normalizes to the same values, and that its inverse is one.
func TestIterMapOfSplitsAndFuses(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := &world{d: tir.Int32(0).Type}
		var extents []int64
		dom := map[*tir.Var]*tir.Range{}
		for i := range rapid.IntRange(1, 3).Draw(t, "vars") {
			n := rapid.SampledFrom([]int64{1, 2, 3, 4, 6, 8}).Draw(t, "extent")
			v := tir.NewVar(string(rune('x'+i)), w.d)
			w.vars, w.ranges = append(w.vars, v), append(w.ranges, Bound{0, n - 1})
			extents = append(extents, n)
			dom[v] = &tir.Range{Min: num(w.d, 0), Extent: num(w.d, n)}
		}
		indices, sizes := drawFused(t, w.vars, extents)
		a := NewAnalyzer()
		res := DetectIterMap(indices, dom, nil, Bijective, a, true)
		if len(res.Indices) != len(indices) {
			for _, e := range indices {
				t.Log(show(e))
			}
			t.Fatalf("no bijective map: %v", res.Errors)
		}
		outputs := make([]tir.Expr, len(indices))
		outVars := make([]*tir.Var, len(indices))
		for i, s := range res.Indices {
			checkSame(t, w, "normalized", indices[i], NormalizeIterMapToExpr(s), tir.Bool(true))
			if len(s.Args) > 0 {
				if n, ok := cst(a.Simplify(s.Args[0].Extent)); !ok || n != sizes[i] {
					t.Fatalf("extent of %s is %s, want %d", show(indices[i]), show(s.Args[0].Extent), sizes[i])
				}
			}
			outVars[i] = tir.NewVar("o", w.d)
			outputs[i] = outVars[i]
		}
		inverse, err := InverseAffineIterMap(res.Indices, outputs)
		if err != nil {
			t.Fatal(err)
		}
		w.each(func(at map[*tir.Var]int64) {
			out := map[*tir.Var]int64{}
			for i, e := range indices {
				out[outVars[i]] = evalAll(e, at)[0]
			}
			for v, e := range inverse {
				if got := evalAll(e, out)[0]; got != at[v] {
					t.Fatalf("inverse of %s is %s: %d at %v, want %d", v.Name, show(e), got, point(out), at[v])
				}
			}
		})
	})
}
