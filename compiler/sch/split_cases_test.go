package sch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestSplitCases makes blocks of one tensor each of what joins some along each axis.
func TestSplitCases(t *testing.T) {
	for axis := range 3 {
		for parts := 2; parts <= 5; parts++ {
			var xs, args []*te.Tensor
			for k := range parts {
				shape := []int64{2, 3, 4}
				shape[axis] = int64(k + 1)
				x := in(fmt.Sprint("x", k), dtype.Float32T, shape...)
				xs, args = append(xs, x), append(args, x)
			}
			s, m := scheduleOf(t, append(args, topi.Concat(xs, axis)))
			list, err := s.Do(sch.KindOf("SplitCases"), onlyBlock(t, s))
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != parts {
				t.Errorf("axis %d: %d blocks of %d tensors", axis, len(list), parts)
			}
			if d := differs(run(t, m), run(t, s.Module())); d != "" {
				t.Errorf("axis %d, %d tensors: %s\n%s", axis, parts, d, source(s.Module()))
			}
			if text := source(s.Module()); strings.Contains(text, "if_then_else") {
				t.Errorf("axis %d: a part chooses:\n%s", axis, text)
			}
		}
	}
}

// TestSplitCasesRefused: blocks without cases, with those of a symbolic part, of more than one variable, and of more than are split.
func TestSplitCasesRefused(t *testing.T) {
	x := in("x", dtype.Float32T, 4, 4)
	choose := func(cond func(i []tir.Expr) tir.Expr) *te.Tensor {
		return te.Compute("y", x.Shape, func(i []tir.Expr) tir.Expr {
			return tir.IfThenElseExpr(cond(i), x.At(i...), tir.FloatConst(dtype.Float32T, 1))
		})
	}
	many := make([]*te.Tensor, 65)
	for k := range many {
		many[k] = x
	}
	n := tir.NewVar("n", dtype.Int64T)
	open := te.Placeholder("open", dtype.Float32T, n, tir.Int(4))
	two := func(i []tir.Expr) tir.Expr {
		inner := tir.IfThenElseExpr(tir.LE(tir.Int(2), i[0]), x.At(i...), tir.FloatConst(dtype.Float32T, 1))
		return tir.IfThenElseExpr(tir.LE(tir.Int(2), i[1]), inner, tir.FloatConst(dtype.Float32T, 2))
	}
	for _, c := range []struct {
		name string
		args []*te.Tensor
		want string
	}{
		{"no condition", []*te.Tensor{x, te.Compute("y", x.Shape, func(i []tir.Expr) tir.Expr { return x.At(i...) })}, "does not store one of several values"},
		{"of two variables", []*te.Tensor{x, choose(func(i []tir.Expr) tir.Expr { return tir.LE(i[0], i[1]) })}, "does not store one of several values"},
		{"of both variables", []*te.Tensor{x, te.Compute("y", x.Shape, two)}, "does not store one of several values"},
		{"always", []*te.Tensor{x, choose(func(i []tir.Expr) tir.Expr { return tir.LE(tir.Int(0), i[1]) })}, "does not store one of several values"},
		{"symbolic", []*te.Tensor{x, open, topi.Concat([]*te.Tensor{open, x}, 0)}, "does not store one of several values"},
		{"many", []*te.Tensor{x, topi.Concat(many, 0)}, "one of 65 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := scheduleOf(t, c.args)
			_, err := s.Do(sch.KindOf("SplitCases"), onlyBlock(t, s))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if s.Module().Lookup("main") != m.Lookup("main") {
				t.Error("the function has changed")
			}
		})
	}
}

// scheduleOf is the schedule of a function of tensors, with the module.
func scheduleOf(t *testing.T, args []*te.Tensor) (*sch.Schedule, *ir.Module) {
	t.Helper()
	f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	m := ir.NewModule().With("main", f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "main")))
	s, err := sch.NewSchedule(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// onlyBlock is the block below the root.
func onlyBlock(t *testing.T, s *sch.Schedule) any {
	t.Helper()
	root, err := s.Do(sch.KindOf("GetBlock"), "root", nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Do(sch.KindOf("GetChildBlocks"), root[0])
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	return list[0]
}
