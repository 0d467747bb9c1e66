package schedule_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// parsed reads the body of a function in TVMScript: its parameters and its root block.
func parsed(t testing.TB, params, body string) *tir.PrimFunc {
	t.Helper()
	text := "# from tvm.script import tir as T\n\n@T.prim_func\ndef main(" + params + "):\n    " +
		strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
	m, found := parse.Module("text.py", text, parse.Options{})
	for _, d := range found {
		t.Fatalf("%s\n%s", d.Format(), text)
	}
	for _, f := range m.Funcs() {
		return f.(*tir.PrimFunc)
	}
	t.Fatalf("no function in\n%s", text)
	return nil
}

func scheduled(t testing.TB, f *tir.PrimFunc) *schedule.Schedule {
	t.Helper()
	s, err := schedule.New(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// results runs f on small whole numbers, so that sums are exact in any order, with NaN where
// nothing was written; extents gives values to symbolic ones by their names.
func results(t testing.TB, f *tir.PrimFunc, extents map[string]int64) []*tensor.Tensor {
	t.Helper()
	var args []any
	var out []*tensor.Tensor
	for k, b := range f.Buffers {
		if b == nil {
			continue
		}
		var shape []int64
		for _, d := range b.Shape {
			n, ok := tir.AsInt(d)
			if v, isVar := d.(*tir.Var); isVar {
				n, ok = extents[v.Name], true
			}
			if !ok {
				t.Fatalf("an extent of %s is neither a constant nor a variable", b.Name)
			}
			shape = append(shape, n)
		}
		v := tensor.MustNew(b.DType, shape...)
		for i := range v.Len() {
			v.SetFloat(i, float64((i*7+k*5+i/3)%7-3))
			if k == len(f.Buffers)-1 && b.DType.IsFloat() {
				v.SetFloat(i, math.NaN())
			}
		}
		args, out = append(args, v), append(out, v)
	}
	if err := interp.Run(context.Background(), f, args, nil); err != nil {
		t.Fatalf("%v\n%s", err, source(f))
	}
	return out
}

// same checks that s is well formed, reads back from its text and computes exactly what f does.
func same(t testing.TB, f *tir.PrimFunc, s *schedule.Schedule, extents map[string]int64) {
	t.Helper()
	g := s.Func()
	if found := tir.Verify("main", g); len(found) > 0 {
		t.Fatalf("%s\n%s", found[0].Message, source(g))
	}
	if err := roundtrip.Check(ir.NewModule().With("main", g)); err != nil {
		t.Fatalf("%v\n%s", err, source(g))
	}
	want, got := results(t, f, extents), results(t, g, extents)
	for k := range want {
		for i := range want[k].Len() {
			x, y := want[k].Float(i), got[k].Float(i)
			if x != y && (!math.IsNaN(x) || !math.IsNaN(y)) {
				t.Fatalf("element %d of parameter %d is %g, want %g\n%s", i, k, y, x, source(g))
			}
		}
	}
}

var int64s = regexp.MustCompile(`T\.int64\((-?\d+)\)`)

// outline is the text of the body of a function without regions and types of integers.
func outline(f *tir.PrimFunc) string {
	_, text, _ := strings.Cut(source(f), "with T.block(\"root\"):\n")
	var out []string
	for line := range strings.Lines(text) {
		x := strings.TrimRight(line, "\n")
		if y := strings.TrimSpace(x); y == "" || strings.HasPrefix(y, "T.reads(") || strings.HasPrefix(y, "T.writes(") {
			continue
		}
		out = append(out, strings.TrimPrefix(int64s.ReplaceAllString(x, "$1"), "    "))
	}
	return strings.Join(out, "\n")
}

// looks fails where the outline of s is not want.
func looks(t testing.TB, s *schedule.Schedule, want string) {
	t.Helper()
	if got, want := outline(s.Func()), strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// refuses fails where err is not a schedule.Error with that text.
func refuses(t testing.TB, err error, want string) {
	t.Helper()
	var e *schedule.Error
	if !errors.As(err, &e) {
		t.Errorf("%v is not a refusal, want %q", err, want)
	} else if err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
}
