package tirpass

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// LowerAutoCopy divides copies between kinds of memory among the threads.
//
// A block that is annotated with auto_copy says what is copied, and each thread would do all of it. The rules follow each other, and
// each looks at the memory that is read and written (TVM's MemHammer):
//
//   - shared to global: the loops run in the order of the target (InverseMapping, autocopycoalesce.go);
//   - global to shared and back: the fused loops are split over all threads, neighbours of which touch neighbouring
//     vectors (CoalescedAccess), by way of registers if the block says so (CreateLocalStage, autocopystage.go);
//   - shared to fragments of matrices and back: tiles of 16 by 16, each by one instruction (autocopywmma.go);
//   - fragments to global: by way of shared memory, to which both of the above apply.
//
// Then shared buffers that copies touch get rows whose length spreads the threads of a warp over the banks (autocopypad.go).
var LowerAutoCopy = &pass.Pass{
	Name: "tir.LowerAutoCopy", Kind: pass.PrimFunc, Lowering: true,
	Breaks: []*pass.Form{pass.FlatBuffers}, // each loop is a dimension of the buffer in between
	Doc:    "Divides the copies of blocks that are annotated with auto_copy among the threads of their kernel: coalesced and vectorized between global and shared memory, by matrix instructions between shared memory and fragments. Pads shared buffers so that the threads of a warp use different banks.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		threads, found, err := threadExtents(f.Body)
		if err != nil || !found {
			return f, err
		}
		l := &copyLowerer{c: c, threads: threads, private: map[*tir.Var]bool{}, pad: newPadder(c, f.Body)}
		l.m.Stmt = l.stmt
		body := l.stmt(f.Body)
		if l.err != nil {
			return nil, l.err
		}
		return f.WithBody(l.pad.rewrite(body)), nil
	}),
}

// keyWarpExecution is the annotation of blocks that whole warps run, whose threads no loop is bound to yet.
const keyWarpExecution = "warp_execution"

// threadExtents returns how many threads each dimension of a block has, by name, and whether s has a copy to lower.
func threadExtents(s tir.Stmt) (extents map[string]int64, found bool, err error) {
	extents = map[string]int64{}
	differ := ""
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			found = found || n.Annotations.Int("auto_copy", 0) != 0
			if n.Annotations.Int(keyWarpExecution, 0) != 0 {
				extents["threadIdx.x"] = 32
			}
		case *tir.For:
			if n.Thread == nil || !strings.HasPrefix(n.Thread.ThreadTag, "threadIdx.") {
				break
			}
			size, ok := tir.AsInt(n.Extent)
			if !ok {
				break
			}
			if old, had := extents[n.Thread.ThreadTag]; had && old != size {
				differ = fmt.Sprintf("%s has extent %d and %d", n.Thread.ThreadTag, old, size)
			}
			extents[n.Thread.ThreadTag] = size
		}
		return true
	})
	if found && differ != "" {
		return nil, true, fmt.Errorf("%s: a copy is divided among all threads of a block, whose number has to be the same everywhere; lower such kernels in functions of their own", differ)
	}
	return extents, found, nil
}

// autoCopy is one copy and what is known of it (TVM's ConstraintSet).
type autoCopy struct {
	block       *tir.Block
	read, write *tir.BufferRegion
	from, to    string // kinds of memory
	bits        int64  // of an element
	vector      int64  // bytes that a thread copies at once
	local       bool   // by way of registers

	buffers []*tir.Buffer         // made for it
	padding map[*tir.Buffer]int64 // least step of padding, in elements
}

// copyLowerer rewrites the copies of a function.
type copyLowerer struct {
	c       *pass.Context
	m       tir.Mapper
	threads map[string]int64
	outer   []*tir.For
	private map[*tir.Var]bool // variables that threads of a block have different values of
	pad     *padder
	err     error
}

func (l *copyLowerer) stmt(s tir.Stmt) tir.Stmt {
	if l.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.For:
		l.private[s.LoopVar] = s.Thread != nil && strings.HasPrefix(s.Thread.ThreadTag, "threadIdx.") && !tir.IsConst(s.Extent, 1) || l.perThread(s.Min)
		l.outer = append(l.outer, s)
		defer func() { l.outer = l.outer[:len(l.outer)-1] }()
	case *tir.LetStmt:
		l.private[s.Var] = l.perThread(s.Value)
	case *tir.AttrStmt:
		if iv := s.BoundThread(); iv != nil {
			l.private[iv.Var] = strings.HasPrefix(iv.ThreadTag, "threadIdx.") && !tir.IsConst(s.Value, 1)
		}
	case *tir.BlockRealize:
		for i, iv := range s.Block.IterVars {
			l.private[iv.Var] = l.perThread(s.Values[i])
		}
	case *tir.Block:
		return l.block(s)
	}
	return l.m.MapStmt(s)
}

// perThread tells whether threads of a block may have different values of e.
func (l *copyLowerer) perThread(e tir.Expr) bool { return l.usesPrivate(e) != nil }

// usesPrivate returns a variable in n that threads of a block have different values of.
func (l *copyLowerer) usesPrivate(n ir.Node) *tir.Var {
	var found *tir.Var
	ir.Walk(n, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && l.private[v] {
			found = v
		}
		return found == nil
	})
	return found
}

func (l *copyLowerer) block(b *tir.Block) tir.Stmt {
	inner := l.m.MapStmt(b).(*tir.Block)
	if l.err != nil {
		return b
	}
	if b.Annotations.Int("auto_copy", 0) == 0 {
		return inner.WithAllocBuffers(l.pad.buffers(inner.AllocBuffers))
	}
	if divided(inner.Body) {
		l.c.Declined("divide a copy among the threads", b, "its loops are bound to threads, or run instructions for fragments, already")
		return inner.WithAllocBuffers(l.pad.buffers(inner.AllocBuffers))
	}
	cp, err := newAutoCopy(inner)
	var body tir.Stmt
	if err == nil {
		body, err = l.lower(cp, inner.Body)
	}
	if err != nil {
		l.err = fmt.Errorf("the copy of block %q: %w", b.Name, err)
		return b
	}
	if body == inner.Body {
		l.c.Declined("divide a copy among the threads", b, "it is from "+cp.from+" to "+cp.to+" memory, for which there is no rule")
	}
	for buf, step := range cp.padding {
		l.pad.step[buf] = max(l.pad.step[buf], step)
	}
	l.pad.analyze(body, l.outer, l.threads)
	alloc := inner.AllocBuffers
	if len(cp.buffers) > 0 {
		alloc = append(append([]*tir.Buffer(nil), alloc...), cp.buffers...)
	}
	return inner.WithBody(body).WithAllocBuffers(l.pad.buffers(alloc))
}

// divided tells whether threads share the work of s already.
func divided(s tir.Stmt) bool {
	return ir.Any(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			return n.Kind == tir.ThreadBinding
		case *tir.AttrStmt:
			return n.BoundThread() != nil
		case *tir.Call:
			return n.Op == opLoadMatrix || n.Op == opStoreMatrix
		}
		return false
	})
}

// newAutoCopy reads what block b copies.
func newAutoCopy(b *tir.Block) (*autoCopy, error) {
	if len(b.Writes) != 1 || len(b.Reads) == 0 {
		return nil, fmt.Errorf("it reads %d regions and writes %d: expected to read at least one and to write one", len(b.Reads), len(b.Writes))
	}
	cp := &autoCopy{block: b, read: b.Reads[0], write: b.Writes[0], padding: map[*tir.Buffer]int64{}}
	if len(b.Reads) > 1 {
		found := false
		for _, r := range b.Reads {
			if r.Buffer.Scope() == "wmma.accumulator" {
				cp.read, found = r, true
			}
		}
		if !found {
			//lint:ignore ST1005 as TVM says it
			return nil, errors.New("Multiple buffer read: expected one region, or one of a buffer of scope wmma.accumulator among them")
		}
	}
	var err error
	if cp.from, _, err = splitScope(cp.read.Buffer.Scope()); err != nil {
		return nil, err
	}
	if cp.to, _, err = splitScope(cp.write.Buffer.Scope()); err != nil {
		return nil, err
	}
	cp.bits = int64(cp.read.Buffer.DType.Bits) * int64(max(1, cp.read.Buffer.DType.Lanes))
	cp.vector = b.Annotations.Int("vector_bytes", 1)
	cp.local = b.Annotations.Int("local_stage", 0) == 1 || b.Annotations.Bool("local_stage", false)
	if cp.vector < 1 || cp.vector > 1<<10 {
		return nil, fmt.Errorf("vector_bytes is %d: expected 1 to 1024", cp.vector)
	}
	return cp, nil
}

// lower applies the rules to the loops of a copy.
func (l *copyLowerer) lower(cp *autoCopy, s tir.Stmt) (tir.Stmt, error) {
	var err error
	rule := func(name string, f func(tir.Stmt) (tir.Stmt, error)) {
		if err != nil {
			return
		}
		var out tir.Stmt
		if out, err = f(s); err == nil && out != s {
			l.c.Rewrite(name, s, out)
			s = out
		}
	}
	down, up := cp.from == "global" && cp.to == "shared", cp.from == "shared" && cp.to == "global"
	if up {
		rule("copy in the order of the target", func(s tir.Stmt) (tir.Stmt, error) { return inverseMapping(cp, s) })
	}
	if down || up {
		rule("divide a copy among the threads", func(s tir.Stmt) (tir.Stmt, error) { return l.coalesce(cp, s, 0) })
	}
	if down && cp.local {
		rule("copy by way of registers", func(s tir.Stmt) (tir.Stmt, error) { return l.localStage(cp, s) })
	}
	switch {
	case cp.from == "shared" && (cp.to == "wmma.matrix_a" || cp.to == "wmma.matrix_b"):
		rule("load fragments by instructions", func(s tir.Stmt) (tir.Stmt, error) { return wmmaLoads(cp, s) })
	case cp.from == "wmma.accumulator" && cp.to == "global":
		rule("store fragments by way of shared memory", func(s tir.Stmt) (tir.Stmt, error) { return l.toGlobal(cp, s, 16, wmmaStore) })
	case cp.from == "wmma.accumulator" && cp.to == "shared":
		rule("store fragments by instructions", func(s tir.Stmt) (tir.Stmt, error) { return wmmaStores(cp, s) })
	case cp.from == "m16n8k8.matrixC" && cp.to == "global":
		if l.threads["threadIdx.x"] != 32 {
			return nil, errors.New("the fragments of mma.m16n8k8 are spread over the 32 threads of a warp: expected threadIdx.x to have extent 32, or a block annotated with warp_execution around it")
		}
		rule("store fragments by way of shared memory", func(s tir.Stmt) (tir.Stmt, error) { return l.toGlobal(cp, s, 8, mmaStore) })
	}
	return s, err
}

// nestOf returns the loops at the top of s, each the only statement of the one around it, and what they run. It refuses
// loops whose order or number of iterations a rule could not keep.
func nestOf(s tir.Stmt, threads bool) (loops []*tir.For, body tir.Stmt, err error) {
	for {
		loop, ok := s.(*tir.For)
		if !ok {
			break
		}
		n, known := tir.AsInt(loop.Extent)
		switch {
		case !known:
			return nil, nil, fmt.Errorf("loop %s has the extent %s: expected a constant", loop.LoopVar.Name, script.Node(loop.Extent, script.Options{}))
		case n < 1 || n > 1<<20:
			return nil, nil, fmt.Errorf("loop %s has %d iterations: expected 1 to 1048576", loop.LoopVar.Name, n)
		case loop.Step != nil && !tir.IsConst(loop.Step, 1):
			return nil, nil, fmt.Errorf("loop %s has a step: run tir.CanonicalizeLoop first", loop.LoopVar.Name)
		case !tir.IsConst(loop.Min, 0):
			return nil, nil, fmt.Errorf("loop %s begins at %s: expected 0", loop.LoopVar.Name, script.Node(loop.Min, script.Options{}))
		case loop.Kind == tir.ThreadBinding && !threads:
			return nil, nil, fmt.Errorf("loop %s is bound to %s: expected loops that are not bound yet, since this pass divides the copy among the threads", loop.LoopVar.Name, loop.Thread.ThreadTag)
		}
		loops, s = append(loops, loop), loop.Body
	}
	return loops, s, nil
}

// storeOf returns the store that body is.
func storeOf(body tir.Stmt) (*tir.BufferStore, error) {
	st, ok := body.(*tir.BufferStore)
	if !ok {
		return nil, fmt.Errorf("its loops run a %s: expected a single store to a buffer", ir.TypeName(body))
	}
	if st.Predicate != nil {
		return nil, fmt.Errorf("its store to %s has a predicate for lanes, which no rule knows", st.Buffer.Name)
	}
	return st, nil
}

// rangesOf returns the ranges of loops.
func rangesOf(loops []*tir.For) map[*tir.Var]*tir.Range {
	out := map[*tir.Var]*tir.Range{}
	for _, f := range loops {
		out[f.LoopVar] = &tir.Range{Min: f.Min, Extent: f.Extent}
	}
	return out
}

// injective tells whether the iterations of loops write different elements.
func injective(st *tir.BufferStore, loops []*tir.For) bool {
	a := arith.NewAnalyzer()
	ranges := rangesOf(loops)
	a.BindRanges(ranges)
	return len(arith.DetectIterMap(st.Indices, ranges, nil, arith.Bijective, a, true).Indices) == len(st.Indices)
}
