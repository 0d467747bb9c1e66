package schedule_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

func newSchedule(t *testing.T, name string) (*schedule.Schedule, *tir.PrimFunc) {
	t.Helper()
	f := create(t, kernels()[name])
	s, err := schedule.New(f)
	if err != nil {
		t.Fatal(err)
	}
	return s, f
}

func block(t *testing.T, s *schedule.Schedule, name string) *schedule.Block {
	t.Helper()
	b, err := s.GetBlock(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestErrorsSayWhatAndWhy checks that a primitive that does not apply names itself, the block
// or loop, and the reason.
func TestErrorsSayWhatAndWhy(t *testing.T) {
	for name, c := range map[string]struct {
		kernel string
		do     func(s *schedule.Schedule) error
		want   []string
	}{
		"unknown block": {"matmul", func(s *schedule.Schedule) error { _, err := s.GetBlock("nosuch"); return err }, []string{"get_block", "nosuch"}},
		"inline reduction": {
			"matmul", func(s *schedule.Schedule) error { return s.ComputeInline(block(t, s, "matmul")) },
			[]string{"compute_inline", "block matmul", "reduction"},
		},
		"inline output": {
			"matmul", func(s *schedule.Schedule) error { return s.ComputeInline(block(t, s, "compute")) },
			[]string{"compute_inline", "block compute", "does not allocate"},
		},
		"vectorize reduction": {"matmul", func(s *schedule.Schedule) error {
			l := s.GetLoops(block(t, s, "matmul"))
			return s.Vectorize(l[len(l)-1])
		}, []string{"vectorize", "block matmul", "loop k", "reduce"}},
		"two holes": {"matmul", func(s *schedule.Schedule) error {
			_, err := s.Split(s.GetLoops(block(t, s, "matmul"))[0], 0, 0)
			return err
		}, []string{"split", "only one may be inferred"}},
		"too small": {"matmul", func(s *schedule.Schedule) error {
			_, err := s.Split(s.GetLoops(block(t, s, "matmul"))[0], 2, 2)
			return err
		}, []string{"split", "do not reach"}},
		"fuse a gap": {"matmul", func(s *schedule.Schedule) error {
			l := s.GetLoops(block(t, s, "matmul"))
			_, err := s.Fuse(l[0], l[2])
			return err
		}, []string{"fuse", "loop k", "not the only body"}},
		"compute_at without consumer": {"matmul", func(s *schedule.Schedule) error {
			return s.ComputeAt(block(t, s, "compute"), s.GetLoops(block(t, s, "matmul"))[0])
		}, []string{"compute_at", "block compute", "nothing reads"}},
		"decompose twice": {"matmul", func(s *schedule.Schedule) error {
			b := block(t, s, "matmul")
			if _, err := s.DecomposeReduction(b, s.GetLoops(b)[0]); err != nil {
				return err
			}
			_, err := s.DecomposeReduction(b, s.GetLoops(b)[0])
			return err
		}, []string{"decompose_reduction", "block matmul", "no init"}},
		"decompose inside": {"matmul", func(s *schedule.Schedule) error {
			b := block(t, s, "matmul")
			l := s.GetLoops(b)
			k, err := s.Split(l[2], 0, 2)
			if err != nil {
				return err
			}
			_, err = s.DecomposeReduction(b, k[1])
			return err
		}, []string{"decompose_reduction", "loop k_1", "outside"}},
		"removed": {"chain", func(s *schedule.Schedule) error {
			b := block(t, s, "compute_1")
			if err := s.ComputeInline(b); err != nil {
				return err
			}
			return s.ComputeInline(b)
		}, []string{"compute_inline", "block compute_1", "removed"}},
		"reverse inline of two": {
			"matmul", func(s *schedule.Schedule) error { return s.ReverseComputeInline(block(t, s, "T_add")) },
			[]string{"reverse_compute_inline", "block T_add"},
		},
		"cache of nothing": {
			"matmul", func(s *schedule.Schedule) error { _, err := s.CacheRead(block(t, s, "matmul"), 9, ""); return err },
			[]string{"cache_read", "no buffer 9"},
		},
		"padding": {
			"matmul", func(s *schedule.Schedule) error { _, err := s.DecomposePadding(block(t, s, "matmul")); return err },
			[]string{"decompose_padding", "block matmul"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newSchedule(t, c.kernel)
			err := c.do(s)
			if err == nil {
				t.Fatal("the primitive applied")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not contain %q", err, w)
				}
			}
		})
	}
}

// TestHandlesSurvive schedules a matrix product step by step with handles that were taken
// at the start.
func TestHandlesSurvive(t *testing.T) {
	s, f := newSchedule(t, "matmul")
	mm, out := block(t, s, "matmul"), block(t, s, "compute")
	steps := []func() error{
		func() error { return s.ComputeInline(block(t, s, "T_add")) },
		func() error {
			l := s.GetLoops(mm)
			i, err := s.Split(l[0], 0, 2)
			if err != nil {
				return err
			}
			j, err := s.Split(l[1], 0, 5)
			if err != nil {
				return err
			}
			if err := s.Reorder(i[0], j[0], l[2], i[1], j[1]); err != nil {
				return err
			}
			if err := s.ReverseComputeAt(out, j[0]); err != nil {
				return err
			}
			if _, err := s.DecomposeReduction(mm, l[2]); err != nil {
				return err
			}
			if err := s.SetScope(mm, 0, "local"); err != nil {
				return err
			}
			if err := s.Unroll(i[1]); err != nil {
				return err
			}
			return s.Vectorize(j[1])
		},
	}
	for k, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", k, err)
		}
	}
	g := s.Func()
	for _, d := range tir.Verify("matmul", g) {
		t.Error(d.Message)
	}
	args := kernels()["matmul"]
	compare(t, g, run(t, f, args), run(t, g, args))
	text := source(g)
	for _, w := range []string{"T.vectorized(T.int64(5))", "T.unroll(T.int64(2))", `scope="local"`, "matmul_init"} {
		if !strings.Contains(text, w) {
			t.Errorf("the function lacks %s:\n%s", w, text)
		}
	}
	if got := s.GetConsumers(mm); len(got) != 1 || got[0] != out {
		t.Errorf("consumers of the product: %v", got)
	}
	if got := s.GetProducers(out); len(got) != 2 {
		t.Errorf("%d producers of the result, want init and update of the product", len(got))
	}
	if n := len(s.GetChildBlocks(s.Root())); n != 3 {
		t.Errorf("%d blocks in the root, want 3", n)
	}
}

// TestNewRefuses checks what cannot be taken apart.
func TestNewRefuses(t *testing.T) {
	a := in("a", 4)
	f := create(t, []*te.Tensor{a, must(te.Compute("copy", a.Shape, func(i []tir.Expr) tir.Expr { return a.At(i...) }), nil)})
	if _, err := schedule.New(f.WithBody(tir.NoOp())); err == nil {
		t.Error("a function without a root block was taken")
	}
	root := f.Body.(*tir.BlockRealize)
	blk := *root.Block
	blk.Body = &tir.IfThenElse{Cond: tir.Bool(true), Then: blk.Body}
	if _, err := schedule.New(f.WithBody(&tir.BlockRealize{Predicate: root.Predicate, Block: &blk})); err == nil || !strings.Contains(err.Error(), "IfThenElse") {
		t.Errorf("a condition around a block: %v", err)
	}
}
