package sch_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
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
	p := in("p", f, 2, 11)
	pool := func(x *te.Tensor) *te.Tensor { // sums of three neighbours
		n, _ := tir.AsInt(x.Shape[1])
		k := te.ReduceAxis("k", tir.Int(3))
		return te.Compute("pool", []tir.Expr{x.Shape[0], tir.Int(n - 2)}, func(i []tir.Expr) tir.Expr {
			return te.Sum(x.At(i[0], tir.Add(i[1], k.Var)), k)
		})
	}
	return map[string][]*te.Tensor{
		"chain":      {a, relu(exp(relu(a)))},
		"diamond":    {a, add(e, relu(e))},
		"unit":       {u, relu(exp(u))},
		"matmul":     {a, b, c, relu(add(must(topi.Matmul(a, b, topi.MatmulOpts{})), c))},
		"int matmul": {n, k, must(topi.Matmul(n, k, topi.MatmulOpts{}))},
		"conv": {x, w, relu(must(topi.Conv(x, w, topi.ConvOpts{
			Strides: []int64{1, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW",
		})))},
		"pools":        {p, pool(pool(p))},
		"bias":         {a, b, c, add(must(topi.Matmul(a, b, topi.MatmulOpts{})), c)},
		"softmax":      {a, topi.Softmax(a, 1)},
		"sum":          {a, must(topi.Reduce("sum", exp(a), []int{0}, false))},
		"empty matmul": {none, hollow, c, relu(add(must(topi.Matmul(none, hollow, topi.MatmulOpts{})), c))},
	}
}

func source(m *ir.Module) string { return script.Module(m, script.Options{}).Source }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// meaningless primitives are for users who know what TVM cannot check, so that they may change results; a Bind makes programs of threads, which
// the interpreter runs only where they need no barrier.
var meaningless = []string{"Bind", "UnsafeSetDType", "UnsafeHideBufferAccess", "AnnotateBufferAccess", "SetAxisSeparator", "Annotate", "Unannotate", "EnterPostproc"}

// arguments draws arguments for an instruction; nil if it takes what cannot be drawn. extents are the symbolic ones.
func arguments(r *rand.Rand, s *sch.Schedule, k *sch.Kind, extents map[string]int64) []any {
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
	if k.Name == "TileReduction" {
		x, err := s.Get(b)
		if err != nil || len(x.(*tir.Block).IterVars) == 0 {
			return nil
		}
		return tileArguments(r, x.(*tir.Block), b, extents, true, false)
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
			switch k.Name {
			case "CutLoop", "FuseBlockIters", "SplitBlockIter":
				args[i] = int64(r.IntN(4)) // multiples, factors, and numbers of variables
			}
		case sch.IntsForm:
			n, _ := s.Get(b)
			list := []int64{}
			for _, x := range r.Perm(len(n.(*tir.Block).IterVars)) {
				if p.Name == "padding" {
					x = 1 + r.IntN(4)
				}
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
		case sch.PadForm:
			if side, n := args[1].([]any)[0], args[1].([]any)[1].(int64); !local(s, b, side == "read", int(n)) {
				return nil // the layout of an argument is that of the callers too
			}
			args[i] = pick(r, []any{nil, int64(3), 1.5})
		case sch.TargetForm:
			args[i] = pick(r, own)
			if r.IntN(2) == 0 {
				k := r.IntN(len(blocks))
				list := []*sch.Block{}
				for _, x := range blocks[k : k+1+r.IntN(len(blocks)-k)] {
					list = append(list, x.(*sch.Block))
				}
				args[i] = list
			}
		case sch.BlocksForm:
		default:
			return nil
		}
		if args[i] == nil && !p.Optional {
			return nil
		}
	}
	return args
}

// local reports whether the root block allocates a buffer that a block accesses.
func local(s *sch.Schedule, b *sch.Block, read bool, n int) bool {
	x, err := s.Get(b)
	if err != nil {
		return false
	}
	list := x.(*tir.Block).Writes
	if read {
		list = x.(*tir.Block).Reads
	}
	root := s.Module().Lookup("main").(*tir.PrimFunc).Body.(*tir.BlockRealize).Block
	return n < len(list) && slices.Contains(root.AllocBuffers, list[n].Buffer)
}

// TestMeaning applies random primitives to kernels: each either refuses and changes nothing, or leaves a module that is well-formed, reads back,
// and computes the same. The state before stays as it was.
func TestMeaning(t *testing.T) {
	keeps(t, 60, func(r *rand.Rand) *sch.Kind { return pick(r, sch.Kinds()) })
}

// rare primitives hold under conditions that random calls seldom meet: half of the calls of TestRare are to them, the others to what prepares them.
var (
	rare    = []string{"DecomposeReduction", "RFactor", "FuseReductionEpilogue", "DecomposePadding", "PadEinsum", "RollingBuffer", "CacheInplace", "ReadAt", "WriteAt", "TileReduction", "CutLoop", "FuseBlockIters", "SplitBlockIter", "Refill", "SplitPadding", "ClampPadding", "StoreInPlace", "SplitCases"}
	prepare = []string{"Split", "Split", "Reorder", "Fuse", "ComputeAt", "ComputeAt", "ReverseComputeAt", "ComputeInline", "ReverseComputeInline", "AddUnitLoop", "CacheRead"}
)

// own are the primitives that TVM does not have.
var own = []string{"TileReduction", "CutLoop", "FuseBlockIters", "SplitBlockIter", "Refill", "SplitPadding", "ClampPadding", "StoreInPlace", "SplitCases", "SimplifyIndices", "FlattenAccess"}

// TestRare is TestMeaning with more calls of primitives that are seldom possible.
func TestRare(t *testing.T) {
	keeps(t, 100, func(r *rand.Rand) *sch.Kind {
		if r.IntN(2) == 0 {
			return sch.KindOf(pick(r, rare))
		}
		return sch.KindOf(pick(r, prepare))
	})
}

// bounded reports whether a fusion applied a maximum or bounds at each step of a sum, which gives another result.
func bounded(s *sch.Schedule) bool {
	last := s.Trace()[len(s.Trace())-1]
	if last.Kind.Name != "FuseReductionEpilogue" {
		return false
	}
	x, err := s.Get(last.Args[0])
	if err != nil {
		return false
	}
	store, ok := x.(*tir.Block).Body.(*tir.BufferStore)
	if !ok {
		return false
	}
	b, ok := store.Value.(*tir.Binary)
	return ok && b.Op != tir.OpAdd
}

func keeps(t *testing.T, n int, choose func(*rand.Rand) *sch.Kind) {
	applied := map[string]int{}
	for name, m := range programs(t) {
		want := run(t, m)
		t.Run(name, func(t *testing.T) {
			seed.Each(t, n, func(t *testing.T, r *rand.Rand) {
				s, err := sch.NewSchedule(m, r.Int64N(1000))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if t.Failed() {
						t.Log(sch.Text(s.Trace()))
					}
				})
				for range 12 {
					k := choose(r)
					if k.Pure || slices.Contains(meaningless, k.Name) {
						continue
					}
					list := arguments(r, s, k, nil)
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
					if bounded(s) {
						if err := s.Undo(); err != nil {
							t.Fatal(err)
						}
						continue
					}
					applied[k.Name]++
					if found := tir.Verify("main", s.Module().Lookup("main").(*tir.PrimFunc)); len(found) > 0 {
						t.Fatalf("%s\n%s", found[0].Message, source(s.Module()))
					}
				}
				if err := roundtrip.Check(s.Module()); err != nil {
					t.Fatalf("%v\n%s", err, source(s.Module()))
				}
				if d := differs(want, run(t, s.Module())); d != "" {
					t.Fatalf("%s\n%s", d, source(s.Module()))
				}
				replayed(t, m, s)
			})
		})
	}
	t.Logf("applied %v", applied)
}
