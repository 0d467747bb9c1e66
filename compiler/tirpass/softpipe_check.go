package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// check returns an error if the stages and orders of the pipeline break a dependence. Execution
// of part x of iteration i is step i + stage(x), and within a step by order. With software_pipeline_merge iterations are independent of each other.
func (w *pipelineWriter) check() error {
	for i, a := range w.parts {
		for _, b := range w.parts[i+1:] {
			if err := w.within(a, b); err != nil {
				return err
			}
		}
	}
	if w.loop.Annotations.Has(keyPipelineMerge) {
		return nil
	}
	for _, early := range w.parts {
		for _, late := range w.parts {
			if early.stage < late.stage {
				if err := w.across(early, late); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// within checks what b, behind a in the body, has to do with a in the same iteration. As in TVM, that b reads
// a buffer that a writes counts whatever its regions; other accesses count if their regions may overlap.
func (w *pipelineWriter) within(a, b *part) error {
	if a.stage < b.stage || a.stage == b.stage && a.order < b.order {
		return nil
	}
	for _, x := range a.block.Writes {
		for _, y := range b.block.Reads {
			if x.Buffer.Data != y.Buffer.Data {
				continue
			}
			if a.stage > b.stage {
				return fmt.Errorf("statement %q in stage %d cannot depend on statement %q in a later stage %d, which writes %s", b.block.Name, b.stage, a.block.Name, a.stage, x.Buffer.Name)
			}
			return fmt.Errorf("two statements with buffer access dependency in the same stage of the software pipeline cannot be reordered: %q writes %s, which %q reads", a.block.Name, x.Buffer.Name, b.block.Name)
		}
	}
	if buffer := clash(w.an, a.block, b.block, nil); buffer != nil {
		return fmt.Errorf("statement %q writes %s, which %q, before it in the body, uses too: it cannot run earlier", b.block.Name, buffer.Name, a.block.Name)
	}
	return nil
}

// across checks that early, in an earlier stage, does not access in a later iteration what late accesses
// in one before: the pipeline swaps them. What the loop allocates is new in each iteration.
func (w *pipelineWriter) across(early, late *part) error {
	ahead := late.stage - early.stage
	if early.order > late.order {
		ahead-- // in the same step, late comes first
	}
	if ahead == 0 {
		return nil
	}
	i := w.loop.LoopVar
	d := &tir.Var{Name: "ahead", Type: i.Type}
	an := arith.Bounded(w.p.c.Budget())
	an.BindRange(d, &tir.Range{Min: tir.Const(i.DType(), 1), Extent: tir.Const(i.DType(), ahead)})
	an.BindRange(i, &tir.Range{Min: w.loop.Min, Extent: w.loop.Extent})
	own := map[*tir.Var]bool{}
	for _, b := range w.allocs {
		own[b.Data] = true
	}
	shift := map[*tir.Var]tir.Expr{i: tir.Add(i, d)}
	shifted := func(list []*tir.BufferRegion) []*tir.BufferRegion {
		var out []*tir.BufferRegion
		for _, r := range list {
			if own[r.Buffer.Data] {
				continue
			}
			next := make([]*tir.Range, len(r.Region))
			for k, x := range r.Region {
				next[k] = &tir.Range{Min: tir.SubstExpr(x.Min, shift), Extent: tir.SubstExpr(x.Extent, shift)}
			}
			out = append(out, r.WithRegion(next))
		}
		return out
	}
	later := &tir.Block{Reads: shifted(early.block.Reads), Writes: shifted(early.block.Writes)}
	if buffer := clash(an, late.block, later, later.Reads); buffer != nil {
		return fmt.Errorf("statement %q in stage %d would access %s before statement %q in stage %d of an iteration before it, which may access the same elements: put them into one stage", early.block.Name, early.stage, buffer.Name, late.block.Name, late.stage)
	}
	return nil
}

// clash returns a buffer that b writes and a accesses, or a writes and readsOfB reads, in regions that may
// overlap; nil if there is none.
func clash(an *arith.Analyzer, a, b *tir.Block, readsOfB []*tir.BufferRegion) *tir.Buffer {
	for _, pair := range [][2][]*tir.BufferRegion{{a.Reads, b.Writes}, {a.Writes, b.Writes}, {a.Writes, readsOfB}} {
		for _, x := range pair[0] {
			for _, y := range pair[1] {
				if x.Buffer.Data == y.Buffer.Data && !disjoint(an, x, y) {
					return x.Buffer
				}
			}
		}
	}
	return nil
}

// disjoint reports whether two regions provably have no element in common.
func disjoint(an *arith.Analyzer, x, y *tir.BufferRegion) bool {
	if x.Buffer != y.Buffer || len(x.Region) != len(y.Region) {
		return false
	}
	for k, r := range x.Region {
		s := y.Region[k]
		if an.CanProve(tir.LE(tir.Add(r.Min, r.Extent), s.Min)) || an.CanProve(tir.LE(tir.Add(s.Min, s.Extent), r.Min)) {
			return true
		}
	}
	return false
}
