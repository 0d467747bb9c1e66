package tirpass

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ManifestSharedMemoryLocalStage writes out that a copy to shared memory goes by way of registers.
//
// The loops around an annotated block run twice: first they store what goes to shared memory in a local buffer, with one element per iteration,
// and then from there to shared memory. So all loads of a thread are under way before the first of them is waited for.
var ManifestSharedMemoryLocalStage = &pass.Pass{
	Name: "tir.ManifestSharedMemoryLocalStage", Kind: pass.PrimFunc, Lowering: true,
	Breaks: []*pass.Form{pass.FlatBuffers}, // each loop is a dimension of the buffer in between
	Doc:    "Splits the loops around blocks that are annotated with tir.manifest_shared_memory_local_stage: they load all values into local memory first and then store them in shared memory.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &localStager{c: c}
		l.m.Stmt = l.stmt
		body := l.stmt(f.Body)
		if l.err != nil {
			return nil, l.err
		}
		return f.WithBody(body), nil
	}),
}

const keyLocalStage = "tir.manifest_shared_memory_local_stage"

type localStager struct {
	c   *pass.Context
	m   tir.Mapper
	err error
}

func (l *localStager) stmt(s tir.Stmt) tir.Stmt {
	if l.err != nil {
		return s
	}
	b, ok := s.(*tir.Block)
	if !ok {
		return l.m.MapStmt(s)
	}
	if b.Annotations.Has(keyLocalStage) {
		// Those in their place are handled at the block around them.
		l.err = fmt.Errorf("block %q: ValueError: Expect the ancestor loops to have a single child: there is another statement between it and the block around it", b.Name)
		return s
	}
	list := []tir.Stmt{b.Body}
	if seq, ok := b.Body.(*tir.SeqStmt); ok {
		list = seq.Seq
	}
	var out []tir.Stmt
	alloc := b.AllocBuffers
	changed := false
	for _, x := range list {
		loops, realize := nestOfBlock(x)
		if realize == nil || !realize.Block.Annotations.Has(keyLocalStage) {
			y := l.stmt(x)
			changed = changed || y != x
			out = append(out, y)
			continue
		}
		load, store, local, err := manifest(b, loops, realize)
		if err != nil {
			l.err = fmt.Errorf("block %q: %w", realize.Block.Name, err)
			return s
		}
		l.c.Rewrite("load by way of registers", x, load)
		alloc = append(alloc[:len(alloc):len(alloc)], local)
		out, changed = append(out, load, store), true
	}
	if !changed {
		return b
	}
	body := out[0]
	if len(out) > 1 {
		body = tir.Seq(out...)
	}
	return b.WithBody(body).WithAllocBuffers(alloc)
}

// nestOfBlock returns the loops at the top of s and the block in them, nil if another statement is there.
func nestOfBlock(s tir.Stmt) ([]*tir.For, *tir.BlockRealize) {
	var loops []*tir.For
	for {
		switch x := s.(type) {
		case *tir.For:
			loops = append(loops, x)
			s = x.Body
		case *tir.BlockRealize:
			return loops, x
		default:
			return nil, nil
		}
	}
}

// manifest splits a nest, in block around, into one that fills the buffer local and one that copies from there.
func manifest(around *tir.Block, loops []*tir.For, r *tir.BlockRealize) (load, store tir.Stmt, local *tir.Buffer, err error) {
	b := r.Block
	st, ok := b.Body.(*tir.BufferStore)
	switch {
	case !ok || !strings.HasPrefix(st.Buffer.Scope(), "shared"):
		//lint:ignore ST1005 as TVM says it
		return nil, nil, nil, errors.New("ValueError: Expect the body of the block to be BufferStore to shared memory.")
	case st.Predicate != nil:
		return nil, nil, nil, errors.New("its store has a predicate for lanes: Predicated buffer store is not currently supported in manifest shared memory local stage pass")
	case len(b.IterVars) > 0:
		return nil, nil, nil, errors.New("it has variables of its own: run tir.ConvertBlocksToOpaque first")
	case len(b.AllocBuffers) > 0 || len(b.MatchBuffers) > 0 || b.Init != nil:
		return nil, nil, nil, errors.New("it has buffers or an initialization of its own: expected a single store")
	case !slices.Contains(around.AllocBuffers, st.Buffer):
		//lint:ignore ST1005 as TVM says it
		return nil, nil, nil, errors.New("ValueError: Expect the shared memory allocation to be in the parent block.")
	case loadsFrom(st.Value, st.Buffer.Data) || slices.ContainsFunc(st.Indices, func(e tir.Expr) bool { return loadsFrom(e, st.Buffer.Data) }):
		return nil, nil, nil, fmt.Errorf("it reads %s, which it writes: the values of all iterations are loaded before the first is stored", st.Buffer.Name)
	}
	var shape, at []tir.Expr
	sub := map[*tir.Var]tir.Expr{}
	for _, f := range loops {
		if f.Kind != tir.Serial && f.Kind != tir.Vectorized {
			return nil, nil, nil, fmt.Errorf("ValueError: Expect the ancestor loops to be serial or vectorized, got %s", f.Kind)
		}
		if f.Step != nil && !tir.IsConst(f.Step, 1) {
			return nil, nil, nil, fmt.Errorf("loop %s has a step: run tir.CanonicalizeLoop first", f.LoopVar.Name)
		}
		if slices.ContainsFunc(loops, func(g *tir.For) bool { return usesAny(f.Extent, g.LoopVar) || usesAny(f.Min, g.LoopVar) }) {
			return nil, nil, nil, fmt.Errorf("the range of loop %s depends on another loop: expected one that says how many values there are", f.LoopVar.Name)
		}
		i := tir.Expr(f.LoopVar)
		if !tir.IsConst(f.Min, 0) {
			i = tir.Sub(i, f.Min)
		}
		shape, at = append(shape, f.Extent), append(at, i)
		sub[f.LoopVar] = &tir.Var{Name: f.LoopVar.Name, Type: f.LoopVar.Type}
	}
	local = cacheOf(st.Buffer, "local", shape)
	region := &tir.BufferRegion{Base: st.Base, Buffer: local}
	for _, i := range at {
		region.Region = append(region.Region, &tir.Range{Min: i, Extent: tir.Const(i.DType(), 1)})
	}
	load = tir.SubstStmt(&tir.BlockRealize{Base: r.Base, Predicate: r.Predicate, Block: &tir.Block{
		Base: b.Base, Reads: b.Reads, Writes: []*tir.BufferRegion{region}, Body: &tir.BufferStore{Base: st.Base, Buffer: local, Value: st.Value, Indices: at},
	}}, sub)
	store = r.WithBlock(b.WithBody(st.WithValue(tir.Load(local, at...))).WithAnnotations(b.Annotations.Without(keyLocalStage)))
	for i := len(loops) - 1; i >= 0; i-- {
		f := *loops[i]
		f.LoopVar, f.Body = sub[f.LoopVar].(*tir.Var), load
		load = &f
		store = loops[i].WithBody(store)
	}
	return load, store, local, nil
}

// usesAny tells whether v is in e.
func usesAny(e tir.Expr, v *tir.Var) bool {
	return ir.Any(e, func(n ir.Node) bool { return n == ir.Node(v) })
}
