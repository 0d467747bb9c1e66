package tirpass_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func faultOf(t *testing.T, f *tir.PrimFunc, args []any, reversed bool) *interp.ThreadFault {
	t.Helper()
	_, err := tirtest.Run(f, args, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
	var fault *interp.ThreadFault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("%v\n%s", err, print(f))
	}
	return fault
}

// TestRandomThreads runs one program in all forms, in both orders of its threads: all give the same, and with the barriers that it needs it has no race.
func TestRandomThreads(t *testing.T) {
	seed.Each(t, 100, func(t *testing.T, r *rand.Rand) {
		a, b := r.Uint64(), r.Uint64()
		var want []any
		for _, form := range []tirtest.ThreadForm{tirtest.Synced, tirtest.Launched, tirtest.Scheduled} {
			f, args := tirtest.Threads(rand.New(rand.NewPCG(a, b)), form)
			for _, d := range tir.Verify("kernel", f) {
				if d.Severity == ir.Error {
					t.Fatalf("%s\n%s", d, print(f))
				}
			}
			for _, o := range []interp.Options{{}, {Reversed: true}, {Zeroed: true}, {Barriers: interp.BarriersWritten}, {Barriers: interp.BarriersImplied}} {
				if o.Barriers == interp.BarriersWritten && form != tirtest.Synced {
					continue
				}
				got, err := tirtest.Run(f, args, &o)
				if err != nil {
					t.Fatalf("%v\n%s", err, print(f))
				}
				if want == nil {
					want = got
				}
				if tirtest.Differ(got, want) != "" {
					t.Fatalf("form %d with %+v computes something else\n%s", form, o, print(f))
				}
			}
		}
	})
}

// TestMissingBarrierIsFound takes each barrier out of random programs: a race is reported, in both orders, but for the last barriers,
// behind which nothing follows.
func TestMissingBarrierIsFound(t *testing.T) {
	seed.Each(t, 25, func(t *testing.T, r *rand.Rand) {
		a, b := r.Uint64(), r.Uint64()
		source := func() *rand.Rand { return rand.New(rand.NewPCG(a, b)) }
		f, args := tirtest.Threads(source(), tirtest.Synced)
		needed := tirtest.NeededBarriers(source())
		if n := tirtest.Barriers(f); n != len(needed) {
			t.Fatalf("%d barriers of which %d are known", n, len(needed))
		}
		for i := range needed {
			g := tirtest.WithoutBarrier(f, i)
			a, b := faultOf(t, g, args, false), faultOf(t, g, args, true)
			if (a == nil) != (b == nil) {
				t.Fatalf("barrier %d: one order of threads finds %v, the other %v\n%s", i, a, b, print(g))
			}
			if a == nil && needed[i] {
				t.Fatalf("barrier %d is missing, and no race is found\n%s", i, print(g))
			}
			if a != nil && a.Kind != interp.Race {
				t.Fatalf("barrier %d: %v", i, a)
			}
			if a == nil {
				same(t, f, g, args)
			}
			if d := faultOf(t, tirtest.WithBarrierInSome(f, i), args, false); d == nil || d.Kind != interp.Divergence && d.Kind != interp.Race {
				t.Fatalf("barrier %d in some threads only: got %v\n%s", i, d, print(f))
			}
		}
	})
}

// same checks that a program without a barrier that it does not need computes the same in both orders.
func same(t *testing.T, f, g *tir.PrimFunc, args []any) {
	t.Helper()
	want, err := tirtest.Run(f, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, reversed := range []bool{true, false} {
		got, err := tirtest.Run(g, args, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
		if err != nil || tirtest.Differ(got, want) != "" {
			t.Fatalf("no race is reported, and the results are others (%v)\n%s", err, print(g))
		}
	}
}

// TestMovedAccessOfThreads moves accesses: what goes out of bounds is said with the thread; else no race means that the order of threads does not matter.
func TestMovedAccessOfThreads(t *testing.T) {
	out := 0
	seed.Each(t, 100, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Threads(r, tirtest.Synced)
		g := tirtest.MoveAccess(r, f)
		var results [][]any
		for _, reversed := range []bool{false, true} {
			got, err := tirtest.Run(g, args, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
			if err != nil {
				out++
				continue
			}
			results = append(results, got)
		}
		if len(results) == 2 && tirtest.Differ(results[0], results[1]) != "" {
			t.Fatalf("no race is reported, and the order of threads matters\n%s", print(g))
		}
	})
	if out == 0 && !testing.Short() {
		t.Error("no access was out of bounds or a race")
	}
}

// TestLoweringOfRandomThreads lowers scheduled programs up to the packed calling convention: each pass keeps what they compute.
func TestLoweringOfRandomThreads(t *testing.T) {
	seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Threads(r, tirtest.Scheduled)
		want := mustRun(t, f, args)
		for _, p := range lowering(t) {
			if p == tirpass.MakePackedAPI {
				break
			}
			g := apply(t, passtest.NewContext(), p, f)
			sameMeaning(t, p, f, g, args, want)
			f = g
		}
	})
}

// TestThreadSyncOnRandomThreads inserts barriers into random programs that have none: with only those that are written then, the programs have no
// race, in either order of threads, and compute what they did.
func TestThreadSyncOnRandomThreads(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Threads(r, tirtest.Launched)
		want := mustRun(t, f, args)
		g := f
		for _, scope := range []string{"shared", "shared.dyn"} {
			p, err := tirpass.ThreadSync.With(ir.NewAttrs("storage_scope", scope))
			if err != nil {
				t.Fatal(err)
			}
			out, err := passtest.NewContext().Run(p, moduleOf(g))
			if err != nil {
				t.Fatalf("%v\n%s", err, print(g))
			}
			g = funcOf(out)
		}
		for _, reversed := range []bool{false, true} {
			got, err := tirtest.Run(g, args, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
			if err != nil {
				t.Fatalf("%v\n%s", err, print(g))
			}
			if d := tirtest.Differ(got, want); d != "" {
				t.Fatalf("%s\n%s", d, print(g))
			}
		}
	})
}
