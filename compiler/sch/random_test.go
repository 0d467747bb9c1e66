package sch_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func in(name string, d dtype.DType, shape ...int64) *te.Tensor {
	var dims []tir.Expr
	for _, n := range shape {
		dims = append(dims, tir.Int(n))
	}
	return te.Placeholder(name, d, dims...)
}

func must(x *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return x
}

// kernels are small functions with what primitives work on: chains, reductions, padding, broadcasts and diamonds, of floats and integers, with
// extents 0 and 1.
func kernels() map[string][]*te.Tensor {
	f := dtype.Float32T
	relu := func(x *te.Tensor) *te.Tensor { return must(topi.Unary("relu", x)) }
	exp := func(x *te.Tensor) *te.Tensor { return must(topi.Unary("exp", x)) }
	add := func(x, y *te.Tensor) *te.Tensor { return must(topi.Binary("add", topi.T(x), topi.T(y))) }
	a, b := in("a", f, 6, 7), in("b", f, 7, 10)
	c := in("c", f, 10)
	u := in("u", f, 1, 5)
	none, hollow := in("none", f, 6, 0), in("w", f, 0, 10)
	n, k := in("n", dtype.Int32T, 5, 6), in("k", dtype.Int32T, 6, 3)
	x, w := in("x", f, 1, 2, 5, 6), in("w", f, 4, 2, 3, 3)
	e := exp(a)
	return map[string][]*te.Tensor{
		"chain":      {a, relu(exp(relu(a)))},
		"diamond":    {a, add(e, relu(e))},
		"unit":       {u, relu(exp(u))},
		"matmul":     {a, b, c, relu(add(must(topi.Matmul(a, b, topi.MatmulOpts{})), c))},
		"int matmul": {n, k, must(topi.Matmul(n, k, topi.MatmulOpts{}))},
		"conv": {x, w, relu(must(topi.Conv(x, w, topi.ConvOpts{
			Strides: []int64{1, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW",
		})))},
		"softmax":      {a, topi.Softmax(a, 1)},
		"sum":          {a, must(topi.Reduce("sum", exp(a), []int{0}, false))},
		"empty matmul": {none, hollow, c, relu(add(must(topi.Matmul(none, hollow, topi.MatmulOpts{})), c))},
	}
}

func source(m *ir.Module) string { return script.Module(m, script.Options{}).Source }

func run(t testing.TB, m *ir.Module, args []*te.Tensor) *tensor.Tensor {
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
			v.FillUniform(uint64(i+1), -2, 2)
		}
		vals = append(vals, v)
	}
	if err := interp.Run(context.Background(), m.Lookup("main").(*tir.PrimFunc), vals, nil); err != nil {
		t.Fatalf("%v\n%s", err, source(m))
	}
	return vals[len(vals)-1].(*tensor.Tensor)
}

func differs(want, got *tensor.Tensor) string {
	for i := range want.Len() {
		x, y := want.Float(i), got.Float(i)
		if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-4*(1+math.Abs(x)) {
			return fmt.Sprintf("element %d is %g, want %g", i, y, x)
		}
	}
	return ""
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// meaningless primitives are for users who know what TVM cannot check, so that they may change results; a Bind makes programs of threads, which
// the interpreter runs only where they need no barrier.
var meaningless = []string{"Bind", "UnsafeSetDType", "UnsafeHideBufferAccess", "AnnotateBufferAccess", "SetAxisSeparator", "Annotate", "Unannotate", "EnterPostproc"}

// arguments draws arguments for an instruction; nil if it takes what cannot be drawn.
func arguments(r *rand.Rand, s *sch.Schedule, k *sch.Kind) []any {
	root, err := s.Do(sch.KindOf("GetBlock"), "root", nil)
	if err != nil {
		return nil
	}
	blocks, err := s.Do(sch.KindOf("GetChildBlocks"), root[0])
	if err != nil || len(blocks) == 0 {
		return nil
	}
	b := pick(r, blocks).(*sch.Block)
	loopsOf := func(b any) []*sch.Loop {
		list, err := s.State().GetLoops(b.(*sch.Block))
		if err != nil {
			return nil
		}
		out, _ := s.Do(sch.KindOf("GetLoops"), b)
		for i := range list {
			list[i] = out[i].(*sch.Loop)
		}
		return list
	}
	own := loopsOf(b)
	if len(own) == 0 {
		return nil
	}
	args := make([]any, len(k.Params))
	for i, p := range k.Params {
		args[i] = p.Default
		switch p.Form {
		case sch.BlockForm, sch.RefForm:
			args[i] = b
		case sch.LoopForm:
			args[i] = pick(r, own)
			if k.Params[0].Form == sch.BlockForm && r.IntN(4) > 0 { // compute_at: of another block
				if list := loopsOf(pick(r, blocks)); len(list) > 0 {
					args[i] = pick(r, list)
				}
			}
		case sch.LoopsForm:
			switch k.Name {
			case "Reorder":
				list := slices.Clone(own)
				r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				args[i] = list[:1+r.IntN(len(list))]
			case "Merge":
				other := loopsOf(pick(r, blocks))
				if len(other) == 0 {
					return nil
				}
				args[i] = []*sch.Loop{own[len(own)-1], other[len(other)-1]}
			default:
				at := r.IntN(len(own))
				args[i] = own[at : at+1+r.IntN(len(own)-at)]
			}
		case sch.FactorsForm:
			list := []tir.Expr{nil, tir.Int32(1 + r.Int64N(4))}
			if r.IntN(2) == 0 {
				list = append(list, tir.Int32(1+r.Int64N(3)))
			}
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			args[i] = list
		case sch.BoolForm:
			args[i] = r.IntN(2) == 0
			if p.Name == "disable_predication" {
				args[i] = false // it is for extents that divide
			}
		case sch.IntForm:
			args[i] = int64(r.IntN(4)) - 2
		case sch.IntsForm:
			n, _ := s.Get(b)
			list := []int64{}
			for _, x := range r.Perm(len(n.(*tir.Block).IterVars)) {
				list = append(list, int64(x))
			}
			args[i] = list
		case sch.StringForm:
			args[i] = map[string]any{"storage_scope": pick(r, []string{"global", "local", "shared"}), "thread_axis": pick(r, []string{"threadIdx.x", "blockIdx.y"})}[p.Name]
		case sch.BufferForm:
			args[i] = int64(r.IntN(2))
			if p.Pair {
				args[i] = []any{pick(r, []string{"read", "write"}), int64(r.IntN(2))}
			}
		case sch.MapForm:
			args[i] = &sch.Lambda{Call: func(x []tir.Expr) (any, error) {
				out := []any{}
				for _, e := range x {
					out = append(out, e)
				}
				if len(x) > 0 && r.IntN(2) == 0 {
					c := tir.Int(1 + r.Int64N(3))
					last := x[len(x)-1]
					out = append(out[:len(out)-1], tir.FloorDiv(last, tir.CastTo(last.DType(), c)), tir.FloorMod(last, tir.CastTo(last.DType(), c)))
				}
				r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
				return out, nil
			}}
		case sch.PadForm, sch.BlocksForm:
		default:
			return nil
		}
		if args[i] == nil && !p.Optional {
			return nil
		}
	}
	return args
}

// TestMeaning applies random primitives to kernels: each either refuses and changes nothing, or leaves a module that is well-formed, reads back,
// and computes the same. The state before stays as it was.
func TestMeaning(t *testing.T) {
	applied := map[string]int{}
	for name, args := range kernels() {
		f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
		if err != nil {
			t.Fatal(err)
		}
		m := ir.NewModule().With("main", f)
		want := run(t, m, args)
		t.Run(name, func(t *testing.T) {
			seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
				s, err := sch.NewSchedule(m, r.Int64N(1000))
				if err != nil {
					t.Fatal(err)
				}
				for range 12 {
					k := pick(r, sch.Kinds())
					if k.Pure || slices.Contains(meaningless, k.Name) {
						continue
					}
					list := arguments(r, s, k)
					if list == nil {
						continue
					}
					old, text := s.Module(), source(s.Module())
					_, err := s.Do(k, list...)
					if source(old) != text {
						t.Fatalf("%s changed the state before it", k.Method)
					}
					if err != nil {
						if s.Module() != old {
							t.Fatalf("%s failed (%v) but changed the module", k.Method, err)
						}
						continue
					}
					applied[k.Name]++
					if found := tir.Verify("main", s.Module().Lookup("main").(*tir.PrimFunc)); len(found) > 0 {
						t.Fatalf("%s\n%s\n%s", sch.Text(s.Trace()), found[0].Message, source(s.Module()))
					}
				}
				if err := roundtrip.Check(s.Module()); err != nil {
					t.Fatalf("%v\n%s", err, source(s.Module()))
				}
				if d := differs(want, run(t, s.Module(), args)); d != "" {
					t.Fatalf("%s\n%s\n%s", sch.Text(s.Trace()), d, source(s.Module()))
				}
				replayed(t, m, s)
			})
		})
	}
	t.Logf("applied %v", applied)
}
