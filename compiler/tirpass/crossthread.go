package tirpass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/reducer"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// A reduction whose loop is bound to threads leaves a partial result in each thread:
//
//	for tx in threads(32): C[i] += A[i, tx]
//
// The hardware combines them with shuffles or shared memory. The block becomes up to four: one sets the
// partial result of a thread, one computes it over the loops that are not bound to threads, one combines
// the results of all threads by tvm_thread_allreduce, and one writes the result back in one thread. Blocks
// that read such a result and write to memory that threads share then run in one thread, too.
//
// After TVM's src/tir/transforms/lower_cross_thread_reduction.cc. What differs: a predicate of one
// comparison between spatial variables is kept for the block that writes back.

// LowerCrossThreadReduction makes reductions over threads explicit.
var LowerCrossThreadReduction = &pass.Pass{
	Name: "tir.LowerCrossThreadReduction", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Splits reductions over loops that are bound to threads into a reduction in each thread and one across threads, by tvm_thread_allreduce. Refuses reductions that it cannot split.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		x := &crossThread{
			c: c, an: arith.Bounded(c.Budget()), scratch: map[*tir.Block][]*tir.Buffer{},
			replace: map[*tir.For]tir.Stmt{}, threads: map[*tir.Buffer][]*tir.For{},
		}
		x.m.Stmt = x.stmt
		out := f.WithBody(x.stmt(f.Body))
		if x.err != nil {
			return nil, x.err
		}
		return out, nil
	}),
}

type crossThread struct {
	c       *pass.Context
	m       tir.Mapper
	an      *arith.Analyzer
	around  []tir.Stmt // the statements around, outermost first
	loops   []*tir.For
	inBlock int // how many of loops are outside of the innermost block
	blocks  []*tir.Block
	scratch map[*tir.Block][]*tir.Buffer // what a block must allocate in addition
	replace map[*tir.For]tir.Stmt        // what becomes of the outermost loop of a reduction
	threads map[*tir.Buffer][]*tir.For   // the threads that a result in this kernel was reduced over
	depth   int                          // of loops bound to blockIdx or threadIdx
	found   bool
	err     error
}

// tagOf returns the thread that a loop is bound to, "" if none.
func tagOf(l *tir.For) string {
	if l.Kind != tir.ThreadBinding || l.Thread == nil {
		return ""
	}
	return l.Thread.ThreadTag
}

func onThread(l *tir.For) bool { return strings.HasPrefix(tagOf(l), "threadIdx.") }

func (x *crossThread) stmt(s tir.Stmt) tir.Stmt {
	if x.err != nil {
		return s
	}
	x.around = append(x.around, s)
	defer func() { x.around = x.around[:len(x.around)-1] }()
	switch s := s.(type) {
	case *tir.For:
		return x.loop(s)
	case *tir.Block:
		outer := x.inBlock
		x.inBlock = len(x.loops)
		x.blocks = append(x.blocks, s)
		out := x.m.MapStmt(s).(*tir.Block)
		x.blocks, x.inBlock = x.blocks[:len(x.blocks)-1], outer
		if more := x.scratch[s]; len(more) > 0 {
			out = out.WithAllocBuffers(append(slices.Clone(out.AllocBuffers), more...))
		}
		return out
	case *tir.BlockRealize:
		if loops := x.reductionLoops(s); len(loops) > 0 {
			x.found = true
			x.reduce(s, loops)
			return s // the loop around all of it is replaced
		}
		if free := x.unbound(s); len(free) > 0 {
			return x.inOneThread(s, free)
		}
	}
	return x.m.MapStmt(s)
}

func (x *crossThread) loop(s *tir.For) tir.Stmt {
	x.loops = append(x.loops, s)
	kernel := onThread(s) || strings.HasPrefix(tagOf(s), "blockIdx.")
	if kernel {
		x.depth++
	}
	out := x.m.MapStmt(s)
	x.loops = x.loops[:len(x.loops)-1]
	if kernel {
		x.depth--
		if x.depth == 0 || strings.HasPrefix(tagOf(s), "blockIdx.") {
			clear(x.threads)
		}
	}
	if to, ok := x.replace[s]; ok {
		x.c.Rewrite("reduce across threads", s, to)
		return to
	}
	return out
}

// reductionLoops returns the loops that the block of r reduces over if one of them is bound to a
// thread; none if r is no reduction.
func (x *crossThread) reductionLoops(r *tir.BlockRealize) []*tir.For {
	if len(x.blocks) == 0 || !x.isReduction(r) {
		return nil
	}
	vars := map[*tir.Var]bool{}
	for i, iv := range r.Block.IterVars {
		if iv.Kind == tir.CommReduce {
			ir.Walk(r.Values[i], func(n ir.Node) bool {
				if v, ok := n.(*tir.Var); ok {
					vars[v] = true
				}
				return true
			})
		}
	}
	var out []*tir.For
	bound := false
	for _, l := range x.loops {
		if vars[l.LoopVar] {
			out = append(out, l)
			bound = bound || tagOf(l) != ""
		}
	}
	if !bound {
		return nil
	}
	return out
}

// isReduction reports whether r is a reduction block of the scope around it, by TVM's conditions.
func (x *crossThread) isReduction(r *tir.BlockRealize) bool {
	b := r.Block
	if b.Init == nil {
		return false
	}
	reduced := map[*tir.Var]bool{}
	for _, iv := range b.IterVars {
		switch iv.Kind {
		case tir.CommReduce:
			reduced[iv.Var] = true
		case tir.DataPar:
		default:
			return false
		}
	}
	if len(reduced) == 0 || !x.affine(r) || !onlyWriter(x.blocks[len(x.blocks)-1], b) {
		return false
	}
	indexed := false
	ir.Walk(b.Body, func(n ir.Node) bool {
		if st, ok := n.(*tir.BufferStore); ok {
			for _, e := range st.Indices {
				indexed = indexed || arith.UsesVar(e, func(v *tir.Var) bool { return reduced[v] })
			}
		}
		return !indexed
	})
	return !indexed
}

// affine reports whether the bindings of r are an iteration map of the loops of its scope.
func (x *crossThread) affine(r *tir.BlockRealize) bool {
	loops := x.loops[x.inBlock:]
	if len(loops) == 0 {
		return true
	}
	ranges := map[*tir.Var]*tir.Range{}
	for _, l := range loops {
		ranges[l.LoopVar] = &tir.Range{Min: l.Min, Extent: l.Extent}
		x.an.BindRange(l.LoopVar, ranges[l.LoopVar])
	}
	sums := arith.DetectIterMap(r.Values, ranges, r.Predicate, arith.Surjective, x.an, false).Indices
	for _, sum := range sums {
		if len(sum.Args) > 0 && !tir.IsConst(sum.Args[0].Scale, 1) {
			return false
		}
	}
	return len(sums) > 0
}

// onlyWriter reports whether no other block directly in scope writes what b does.
func onlyWriter(scope, b *tir.Block) bool {
	count := map[*tir.Buffer]int{}
	ir.Walk(scope.Body, func(n ir.Node) bool {
		inner, ok := n.(*tir.Block)
		if ok {
			for _, w := range inner.Writes {
				count[w.Buffer]++
			}
		}
		return !ok
	})
	return !slices.ContainsFunc(b.Writes, func(w *tir.BufferRegion) bool { return count[w.Buffer] != 1 })
}

// unbound returns the threads that r must choose one of: it reads what was reduced over them,
// writes to memory that they share, and is not bound to them.
func (x *crossThread) unbound(r *tir.BlockRealize) []*tir.For {
	if !x.found || slices.ContainsFunc(r.Block.Writes, func(w *tir.BufferRegion) bool { return w.Buffer.Scope() == "local" }) {
		return nil
	}
	var out []*tir.For
	for _, read := range r.Block.Reads {
		for _, l := range x.threads[read.Buffer] {
			same := func(o *tir.For) bool { return tagOf(o) == tagOf(l) }
			if !slices.ContainsFunc(out, same) && !slices.ContainsFunc(x.loops, same) {
				out = append(out, l)
			}
		}
	}
	return out
}

// inOneThread runs r in the first of the given threads only.
func (x *crossThread) inOneThread(r *tir.BlockRealize, threads []*tir.For) tir.Stmt {
	pred := r.Predicate
	vars := make([]*tir.Var, len(threads))
	for i, l := range threads {
		vars[i] = &tir.Var{Name: "t" + strings.TrimPrefix(tagOf(l), "threadIdx."), Type: l.LoopVar.Type}
		pred = conjunction(tir.EQ(vars[i], l.Min), pred)
	}
	var out tir.Stmt = r.WithPredicate(pred)
	for i, l := range threads {
		th := *l.Thread
		th.Var = &tir.Var{Type: l.LoopVar.Type}
		out = &tir.For{Base: r.Base, LoopVar: vars[i], Min: l.Min, Extent: l.Extent, Kind: tir.ThreadBinding, Body: out, Thread: &th}
	}
	x.c.Rewrite("use a reduced value in one thread", r, out)
	return out
}

// conjunction returns a and b, without what is always true.
func conjunction(a, b tir.Expr) tir.Expr {
	switch {
	case tir.IsTrue(a):
		return b
	case tir.IsTrue(b):
		return a
	}
	return tir.And(a, b)
}

// reduce checks that the reduction r over loops can be split and notes what the outermost one becomes.
func (x *crossThread) reduce(r *tir.BlockRealize, loops []*tir.For) {
	name := r.Block.Name
	if x.err = x.place(r, loops); x.err != nil {
		return
	}
	red, err := reducer.Of(r.Block)
	if err != nil {
		x.err = fmt.Errorf("block %q cannot be reduced across threads: %w", name, err)
		return
	}
	local := func(b *tir.Buffer) bool { return b.Scope() == "local" }
	if slices.ContainsFunc(red.Buffers, local) && slices.ContainsFunc(red.Buffers, func(b *tir.Buffer) bool { return !local(b) }) {
		x.err = fmt.Errorf("block %q cannot be reduced across threads: its buffers must be all local or all not local", name)
		return
	}
	scope := x.blocks[len(x.blocks)-1]
	across := scratchpads("cross_thread_", red.Buffers)
	x.scratch[scope] = append(x.scratch[scope], across...)
	var inside []*tir.Buffer
	if slices.ContainsFunc(loops, func(l *tir.For) bool { return tagOf(l) == "" }) || !tir.IsTrue(r.Predicate) {
		inside = scratchpads("in_thread_", red.Buffers)
		x.scratch[scope] = append(x.scratch[scope], inside...)
	}
	x.replace[loops[0]] = (&threadReduction{r: r, loops: loops, Reduction: red, inside: inside, across: across}).stmt()
	var bound []*tir.For
	for _, l := range loops {
		if tagOf(l) != "" {
			bound = append(bound, l)
		}
	}
	for _, b := range red.Buffers {
		x.threads[b] = bound
	}
}

// place returns an error if the loops of the reduction r are not where it needs them.
func (x *crossThread) place(r *tir.BlockRealize, loops []*tir.For) error {
	name := r.Block.Name
	deepest := 0
	for i := len(x.around) - 2; i >= 0; i-- {
		if _, ok := x.around[i].(*tir.SeqStmt); ok {
			continue
		}
		if l, ok := x.around[i].(*tir.For); !ok || !slices.Contains(loops, l) {
			break
		}
		deepest++
	}
	if deepest != len(loops) {
		return fmt.Errorf("cross-thread reduction requires all the reduction-related loops to be the deepest among all statements outside of block %q, but another statement is between them or the block", name)
	}
	for _, l := range loops {
		if tagOf(l) != "" && !onThread(l) {
			return fmt.Errorf("cross-thread reduction requires the reduction-related loops to be bound to threadIdx.x/y/z only, but loop %s of block %q is bound to %s", l.LoopVar.Name, name, tagOf(l))
		}
	}
	seen, last := false, true
	ir.Walk(loops[0], func(n ir.Node) bool {
		o, ok := n.(*tir.BlockRealize)
		if ok {
			last = last && !seen
			seen = seen || o == r
		}
		return !ok
	})
	if !last {
		return fmt.Errorf("cross-thread reduction requires block %q to be the last one under its first reduction-related loop %s", name, loops[0].LoopVar.Name)
	}
	return nil
}

// scratchpads returns buffers of one element for the results of a thread.
func scratchpads(prefix string, buffers []*tir.Buffer) []*tir.Buffer {
	out := make([]*tir.Buffer, len(buffers))
	for i, b := range buffers {
		out[i] = tir.NewBuffer(prefix+b.Name, b.DType, []tir.Expr{tir.Int32(1)}, "local").WithStrides([]tir.Expr{tir.Int32(1)})
	}
	return out
}
