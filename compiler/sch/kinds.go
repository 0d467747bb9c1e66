package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Parallel runs the iterations of a loop in parallel.
func (s *State) Parallel(l *Loop) (*State, error) { return s.parallelize(l, tir.Parallel, "") }

// Vectorize runs the iterations of a loop as lanes.
func (s *State) Vectorize(l *Loop) (*State, error) { return s.parallelize(l, tir.Vectorized, "") }

// Bind runs the iterations of a loop on the threads of an axis, as "threadIdx.x".
func (s *State) Bind(l *Loop, thread string) (*State, error) {
	if rank, _ := threadRank(thread); rank < 0 {
		return nil, fmt.Errorf("bind: %q is no thread axis, expected blockIdx.x, threadIdx.y, vthread.z and so on", thread)
	}
	return s.parallelize(l, tir.ThreadBinding, thread)
}

var kindWords = map[tir.ForKind]string{tir.Parallel: "parallel", tir.Vectorized: "vectorize", tir.ThreadBinding: "bind"}

// parallelize changes the kind of a loop if no iteration depends on another one (TVM's ParallelizeComputation).
func (s *State) parallelize(l *Loop, kind tir.ForKind, thread string) (*State, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, err
	}
	if err := s.checkCompactDataflow(at); err != nil {
		return nil, err
	}
	loop := at.For()
	rank, dim := threadRank(thread)
	visit(loop, func(x tir.Stmt) bool {
		r, ok := x.(*tir.BlockRealize)
		if !ok || err != nil {
			return err == nil
		}
		for i, iv := range r.Block.IterVars {
			if usesVar(r.Values[i], loop.LoopVar) && iv.Kind != tir.DataPar && (iv.Kind != tir.CommReduce || rank != 1 || dim < 0) {
				err = s.wrongIter(kind, loop, r.Block)
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	out := *loop
	out.Kind, out.Thread = kind, nil
	if thread != "" {
		out.Thread = &tir.IterVar{Var: &tir.Var{Name: thread, Type: loop.LoopVar.Type}, Kind: tir.ThreadIndex, ThreadTag: thread}
	}
	return s.replace(at, &out, nil), nil
}

func (s *State) wrongIter(kind tir.ForKind, l *tir.For, b *tir.Block) error {
	const class = "WrongBlockIterTypeError"
	if kind == tir.ThreadBinding {
		return s.fail(class, "The \"bind\" cannot be fulfilled with regard to block {0}. This is because some of its block iter whose block binding contains "+l.LoopVar.Name+
			" does not meet any of the conditions:\n1) the block iter is data parallel;\n2) the block iter is a reduction block iter, and the thread axis to be bound is \"threadIdx.x/y/z\"", b)
	}
	return s.fail(class, fmt.Sprintf("The %q cannot be fulfilled with regard to block {0} because some block iter whose block binding contains the loop var is not a data parallel block iter", kindWords[kind]), b)
}

// Unroll marks a loop as one to be written out. It always can be.
func (s *State) Unroll(l *Loop) (*State, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, err
	}
	out := *at.For()
	out.Kind, out.Thread = tir.Unrolled, nil
	return s.replace(at, &out, nil), nil
}

// Annotate sets an annotation of a *Loop or *Block, unless it has one of that key.
func (s *State) Annotate(r any, key string, v ir.Value) (*State, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, err
	}
	if annotations(at.stmt()).Has(key) {
		return s, nil
	}
	return s.annotated(at, annotations(at.stmt()).With(key, v)), nil
}

// Unannotate removes an annotation of a *Loop or *Block.
func (s *State) Unannotate(r any, key string) (*State, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, err
	}
	a := annotations(at.stmt())
	if !a.Has(key) {
		return nil, fmt.Errorf("IndexError: Cannot find annotation key: %s", key)
	}
	return s.annotated(at, a.Without(key)), nil
}

func annotations(x tir.Stmt) *ir.Attrs {
	if l, ok := x.(*tir.For); ok {
		return l.Annotations
	}
	return x.(*tir.Block).Annotations
}

func (s *State) annotated(at site, a *ir.Attrs) *State {
	if a.Len() == 0 {
		a = nil
	}
	if l, ok := at.stmt().(*tir.For); ok {
		return s.replace(at, l.WithAnnotations(a), nil)
	}
	return s.replace(at, at.Block().WithAnnotations(a), nil)
}
