package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func in(name string, shape ...int64) *te.Tensor {
	var dims []tir.Expr
	for _, n := range shape {
		dims = append(dims, tir.Int(n))
	}
	return te.Placeholder(name, dtype.Float32T, dims...)
}

func must(x *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return x
}

// kernels are small functions with what primitives work on: chains, reductions, padding,
// broadcasts and diamonds.
func kernels() map[string][]*te.Tensor {
	relu := func(x *te.Tensor) *te.Tensor { return must(topi.Unary("relu", x)) }
	exp := func(x *te.Tensor) *te.Tensor { return must(topi.Unary("exp", x)) }
	add := func(x, y *te.Tensor) *te.Tensor { return must(topi.Binary("add", topi.T(x), topi.T(y))) }
	a, b := in("a", 6, 8), in("b", 8, 10)
	c := in("c", 10)
	none, hollow := in("none", 6, 0), in("w", 0, 10) // reductions of no element
	x, w := in("x", 1, 2, 5, 6), in("w", 4, 2, 3, 3)
	conv := must(topi.Conv(x, w, topi.ConvOpts{
		Strides: []int64{1, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW",
	}))
	e := exp(a)
	return map[string][]*te.Tensor{
		"chain":        {a, relu(exp(relu(a)))},
		"diamond":      {a, add(e, relu(e))},
		"matmul":       {a, b, c, relu(add(must(topi.Matmul(a, b, topi.MatmulOpts{})), c))},
		"conv":         {x, w, relu(conv)},
		"softmax":      {a, topi.Softmax(a, 1)},
		"sum":          {a, must(topi.Reduce("sum", exp(a), []int{0}, false))},
		"nothing":      {none, must(topi.Reduce("prod", exp(none), []int{1}, false))},
		"empty matmul": {none, hollow, c, relu(add(must(topi.Matmul(none, hollow, topi.MatmulOpts{})), c))},
		"pool": {x, must(topi.Pool("avg", x, topi.PoolOpts{
			Size: []int64{2, 3}, Strides: []int64{1, 2}, Dilation: []int64{1, 1}, Before: []int64{0, 1}, After: []int64{0, 1}, Layout: "NCHW",
		}))},
	}
}

func create(t testing.TB, args []*te.Tensor) *tir.PrimFunc {
	t.Helper()
	f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func run(t testing.TB, f *tir.PrimFunc, args []*te.Tensor) *tensor.Tensor {
	t.Helper()
	var vals []any
	for i, x := range args {
		var shape []int64
		for _, d := range x.Shape {
			n, _ := tir.AsInt(d)
			shape = append(shape, n)
		}
		v := tensor.MustNew(x.DType, shape...)
		if i < len(args)-1 {
			v.FillUniform(uint64(i+1), -1, 1)
		}
		vals = append(vals, v)
	}
	if err := interp.Run(context.Background(), f, vals, nil); err != nil {
		t.Fatalf("%v\n%s", err, source(f))
	}
	return vals[len(vals)-1].(*tensor.Tensor)
}

func source(f *tir.PrimFunc) string { return script.Function("main", f, script.Options{}).Source }

func compare(t testing.TB, f *tir.PrimFunc, want, got *tensor.Tensor) {
	t.Helper()
	for i := range want.Len() {
		x, y := want.Float(i), got.Float(i)
		if math.IsNaN(y) || math.Abs(x-y) > 1e-4*(1+math.Abs(x)) {
			t.Fatalf("element %d is %g, want %g\n%s", i, y, x, source(f))
		}
	}
}

// primitive applies one primitive at a random place and says which.
type primitive func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var primitives = []primitive{
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		l, f := pick(r, loops), int64(1+r.IntN(4))
		_, err := s.Split(l, 0, f)
		return fmt.Sprintf("split %s %s %d", b.Name(), l.Name(), f), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		k := r.IntN(len(loops))
		n := 1 + r.IntN(len(loops)-k)
		_, err := s.Fuse(loops[k : k+n]...)
		return fmt.Sprintf("fuse %s %d %d", b.Name(), k, n), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		list := append([]*schedule.Loop{}, loops...)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return "reorder " + b.Name(), s.Reorder(list[:1+r.IntN(len(list))]...)
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		return "compute_inline " + b.Name(), s.ComputeInline(b)
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		return "reverse_compute_inline " + b.Name(), s.ReverseComputeInline(b)
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		o := pick(r, s.Blocks())
		l := pick(r, s.GetLoops(o))
		return fmt.Sprintf("compute_at %s at %s of %s", b.Name(), l.Name(), o.Name()), s.ComputeAt(b, l)
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		o := pick(r, s.Blocks())
		l := pick(r, s.GetLoops(o))
		return fmt.Sprintf("reverse_compute_at %s at %s of %s", b.Name(), l.Name(), o.Name()), s.ReverseComputeAt(b, l)
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		_, err := s.CacheRead(b, r.IntN(2), pick(r, []string{"", "local"}))
		return "cache_read " + b.Name(), err
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		_, err := s.CacheWrite(b, 0, "local")
		return "cache_write " + b.Name(), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		l := pick(r, loops)
		_, err := s.DecomposeReduction(b, l)
		return "decompose_reduction " + b.Name() + " " + l.Name(), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		l := pick(r, loops)
		_, err := s.RFactor(l, r.IntN(3)-1)
		return "rfactor " + b.Name() + " " + l.Name(), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		l := pick(r, loops)
		at := tir.Mul(tir.FloorDiv(l.Extent(), tir.Int(2)), tir.Int(2))
		if n, ok := tir.AsInt(l.Extent()); ok {
			at = tir.Int(r.Int64N(n + 1))
		}
		_, _, err := s.LoopPartition(l, at)
		return "loop_partition " + b.Name() + " " + l.Name(), err
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		_, err := s.DecomposePadding(b)
		return "decompose_padding " + b.Name(), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		k := r.IntN(len(b.Iters()))
		return "transform_block_layout (fuse) " + b.Name(), s.FuseIters(b, k, min(k+1, len(b.Iters())-1))
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		return "transform_block_layout (split) " + b.Name(), s.SplitIter(b, r.IntN(len(b.Iters())), 2)
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) (string, error) {
		l := pick(r, loops)
		mark := pick(r, []func(*schedule.Loop) error{s.Parallel, s.Vectorize, s.Unroll})
		return "mark " + b.Name() + " " + l.Name(), mark(l)
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		_, err := s.AddUnitLoop(b)
		return "add_unit_loop " + b.Name(), err
	},
	func(r *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		buf := b.Writes()[0].Buffer
		m := &tir.IndexMap{}
		for k := range buf.Shape {
			m.Initial = append(m.Initial, tir.NewVar("i"+string(rune('0'+k)), dtype.Int64T))
		}
		last := m.Initial[len(m.Initial)-1]
		two := tir.Int(2)
		m.Final = append(m.Final, tir.FloorMod(last, two))
		for _, v := range m.Initial[:len(m.Initial)-1] {
			m.Final = append(m.Final, v)
		}
		m.Final = append(m.Final, tir.FloorDiv(last, two))
		_, err := s.TransformLayout(buf, m)
		return "transform_layout " + buf.Name, err
	},
	func(_ *rand.Rand, s *schedule.Schedule, b *schedule.Block, _ []*schedule.Loop) (string, error) {
		return "set_scope " + b.Name(), s.SetScope(b, 0, "local")
	},
}

// somePrimitives tries ten random primitives and tells which ones applied. Each either says why it does not apply and changes nothing,
// or leaves a well-formed function.
func somePrimitives(t *testing.T, r *rand.Rand, s *schedule.Schedule, applied func(k int, what string)) {
	t.Helper()
	for range 10 {
		b := pick(r, s.Blocks())
		loops := s.GetLoops(b)
		if len(loops) == 0 {
			continue
		}
		k := r.IntN(len(primitives))
		old := source(s.Func())
		what, err := primitives[k](r, s, b, loops)
		var bad *schedule.Error
		switch {
		case errors.As(err, &bad):
			if now := source(s.Func()); now != old {
				t.Fatalf("%s failed (%v) but changed the function", what, err)
			}
			continue
		case err != nil:
			t.Fatalf("%s: unexpected kind of error %v", what, err)
		}
		applied(k, what)
		g := s.Func()
		if found := tir.Verify("main", g); len(found) > 0 {
			t.Fatalf("%s\n%s", found[0].Message, source(g))
		}
		if err := roundtrip.Check(ir.NewModule().With("main", g)); err != nil {
			t.Fatalf("%v\n%s", err, source(g))
		}
	}
}

// TestPrimitivesKeepMeaning applies random primitives to kernels and compares the results.
func TestPrimitivesKeepMeaning(t *testing.T) {
	applied := map[string]int{}
	for name, args := range kernels() {
		f := create(t, args)
		before := source(f)
		want := run(t, f, args)
		t.Run(name, func(t *testing.T) {
			seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
				s, err := schedule.New(f)
				if err != nil {
					t.Fatal(err)
				}
				var log []string
				defer func() {
					if t.Failed() {
						t.Logf("%q", log)
					}
				}()
				somePrimitives(t, r, s, func(k int, what string) {
					log = append(log, what)
					applied[fmt.Sprint(k)]++
				})
				g := s.Func()
				compare(t, g, want, run(t, g, args))
			})
		})
		if source(f) != before {
			t.Fatalf("%s: the function that was scheduled changed", name)
		}
	}
	total := 0
	for _, n := range applied {
		total += n
	}
	for k := range primitives {
		if total > 1000 && applied[fmt.Sprint(k)] == 0 {
			t.Errorf("primitive %d never applied", k)
		}
	}
}
