package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// configMergeStatic is the key that merges the allocations of static shared memory too.
const configMergeStatic = "tir.merge_static_smem"

// MergeSharedMemoryAllocations makes one allocation of shared memory of all.
var MergeSharedMemoryAllocations = &pass.Pass{
	Name: "tir.MergeSharedMemoryAllocations", Kind: pass.PrimFunc, Lowering: true,
	Without: "programs compile, and kernels take more shared memory",
	Needs:   []pass.Need{{Form: pass.FlatBuffers, Why: "MergeSharedMemoryAllocations expects flat memory buffers, and is to be run after FlattenBuffer", Strict: true}},
	Doc:     "Puts all buffers of a kernel in dynamic shared memory into one allocation, as a kernel may have only one. Buffers that are not in use at the same time share bytes.",
	Config:  []string{configMergeStatic},
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		scopes := []string{"shared.dyn"}
		if c.ConfigBool(configMergeStatic) {
			scopes = append(scopes, "shared")
		}
		body := f.Body
		for _, scope := range scopes {
			var err error
			if body, err = mergeShared(c, body, scope); err != nil {
				return nil, fmt.Errorf("%s: %w", gv.Name, err)
			}
		}
		return f.WithBody(body), nil
	}),
}

// mergedNames are the names of merged allocations.
var mergedNames = map[string]string{"shared.dyn": "buf_dyn_shmem", "shared": "buf_shmem"}

func mergeShared(c *pass.Context, body tir.Stmt, scope string) (tir.Stmt, error) {
	allocs := map[*tir.Var]*tir.Allocate{}
	var order []*tir.Allocate
	kernels := 0
	var scan func(n ir.Node, inKernel bool)
	scan = func(n ir.Node, inKernel bool) {
		switch n := n.(type) {
		case *tir.Allocate:
			if scopeOf(n.Var) == scope {
				allocs[n.Var] = n
				order = append(order, n)
			}
		case *tir.AttrStmt:
			if n.Key == tir.KeyThreadExtent && !inKernel {
				inKernel = true
				kernels++
			}
		}
		n.EachChild(func(n ir.Node) { scan(n, inKernel) })
	}
	scan(body, false)
	if len(order) < 2 {
		return body, nil
	}
	if kernels != 1 {
		for _, a := range order {
			c.Declined("merge allocations of shared memory", a, "it is for functions that are one kernel, which tir.SplitHostDevice makes")
		}
		return body, nil
	}
	p := &sharedPlan{scope: scope, allocs: allocs, at: map[*tir.Var]*sharedRegion{}}
	p.plan(body)
	one := tir.NewBuffer(mergedNames[scope], dtype.UInt8T, nil, scope).Data
	m := &sharedMerger{c: c, scope: scope, allocs: allocs, one: one, offsets: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
	m.size = p.layOut(order, m.offsets)
	m.m.Stmt, m.m.Expr, m.m.Buffer = m.stmt, m.expr, m.buffer
	out := m.stmt(body)
	return out, m.err
}

// sharedMerger makes accesses to buffers of a scope accesses to one allocation.
type sharedMerger struct {
	c       *pass.Context
	m       tir.Mapper
	scope   string
	allocs  map[*tir.Var]*tir.Allocate
	one     *tir.Var
	size    tir.Expr
	offsets map[*tir.Var]tir.Expr // in bytes
	buffers map[*tir.Buffer]*tir.Buffer
	placed  bool
	err     error
}

// merged reports whether v is one of the buffers.
func (m *sharedMerger) merged(v *tir.Var) bool { return m.allocs[v] != nil }

// offset is where a buffer begins, in elements of type d.
func (m *sharedMerger) offset(v *tir.Var, d dtype.DType) tir.Expr {
	return tir.FloorDiv(m.offsets[v], tir.Int32(int64(bytesOf(d))))
}

// bytesOf is the size of an element.
func bytesOf(d dtype.DType) int { return (int(d.Bits)*max(int(d.Lanes), 1) + 7) / 8 }

func (m *sharedMerger) buffer(b *tir.Buffer) *tir.Buffer {
	if !m.merged(b.Data) {
		return b
	}
	out, ok := m.buffers[b]
	if !ok {
		again := *b
		again.Data = m.one
		out = &again
		m.buffers[b] = out
	}
	return out
}

func (m *sharedMerger) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.AttrStmt:
		if s.Key == tir.KeyThreadExtent && !m.placed {
			m.placed = true
			body := m.stmt(s.Body)
			alloc := &tir.Allocate{Base: s.Base, Var: m.one, Type: dtype.UInt8T, Extents: []tir.Expr{m.size}, Condition: tir.Bool(true), Body: body}
			m.checkSize(s)
			return s.WithBody(alloc)
		}
	case *tir.Allocate:
		if m.merged(s.Var) {
			m.c.Rewrite("merge an allocation of shared memory", s, nil)
			return m.stmt(s.Body)
		}
	case *tir.BufferStore:
		if m.merged(s.Buffer.Data) {
			out := m.m.MapStmt(s).(*tir.BufferStore)
			return out.WithIndices(m.shifted(out.Indices, s.Buffer))
		}
	}
	return m.m.MapStmt(s)
}

func (m *sharedMerger) shifted(indices []tir.Expr, of *tir.Buffer) []tir.Expr {
	off := m.offset(of.Data, of.DType)
	d := indices[0].DType()
	if off = tir.CastTo(d.WithLanes(1), off); d.Lanes > 1 {
		if !tir.IsConst(off, 0) {
			off = &tir.Broadcast{Value: off, Lanes: int(d.Lanes), Scalable: d.Scalable}
		} else {
			return indices
		}
	}
	return []tir.Expr{tir.Add(indices[0], off)}
}

// checkSize refuses a size that is known only inside of the kernel.
func (m *sharedMerger) checkSize(kernel *tir.AttrStmt) {
	inside := map[*tir.Var]bool{}
	ir.Walk(kernel, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AttrStmt:
			if iv := n.BoundThread(); iv != nil {
				inside[iv.Var] = true
			}
		case *tir.For:
			inside[n.LoopVar] = true
		case *tir.LetStmt:
			inside[n.Var] = true
		case *tir.Let:
			inside[n.Var] = true
		}
		return true
	})
	ir.Walk(m.size, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && inside[v] && m.err == nil {
			m.err = fmt.Errorf("an allocation of %s memory has an extent of %s, which is only known inside of the kernel: all shared memory is allocated when it is launched", m.scope, v.Name)
		}
		return true
	})
}

func (m *sharedMerger) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if m.merged(e) {
			return m.one
		}
		return e
	case *tir.BufferLoad:
		if m.merged(e.Buffer.Data) {
			out := m.m.MapExpr(e).(*tir.BufferLoad)
			return out.WithIndices(m.shifted(out.Indices, e.Buffer))
		}
	case *tir.Call:
		switch op, _ := callOp(e, true); {
		case op == tir.OpAccessPtr.Name && len(e.Args) == 5:
			if v, ok := e.Args[1].(*tir.Var); ok && m.merged(v) {
				return e.WithArgs([]tir.Expr{e.Args[0], m.one, tir.Add(m.offset(v, e.Args[0].DType()), m.expr(e.Args[2])), m.expr(e.Args[3]), e.Args[4]})
			}
		case op == "tir.ptx_cp_async" && (len(e.Args) == 5 || len(e.Args) == 6):
			if v, ok := e.Args[0].(*tir.Var); ok && m.merged(v) {
				at := tir.Mul(tir.Add(m.offset(v, e.Type), m.expr(e.Args[1])), tir.Int32(int64(bytesOf(e.Type))))
				return e.WithArgs(append([]tir.Expr{m.one, at}, ir.MapSame(e.Args[2:], m.expr)...))
			}
		}
	}
	return m.m.MapExpr(e)
}
