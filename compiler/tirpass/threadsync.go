package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ThreadSync puts barriers between accesses of different threads to one place.
var ThreadSync = &pass.Pass{
	Name: "tir.ThreadSync", Kind: pass.PrimFunc, Lowering: true,
	Without: "programs compile, but threads may race: what they read of shared memory may not be written yet",
	Doc:     "Puts barriers into kernels wherever a thread may read what another one has written to memory of a scope, or overwrite what another one has still to read. Refuses kernels that would need a barrier under a condition.",
	Options: []pass.Option{{Name: "storage_scope", Default: "shared", Doc: "the scope of the memory: shared, shared.dyn, warp, or global"}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		scope := c.Arg("storage_scope").(string)
		rank, _, err := splitScope(scope)
		if err != nil {
			return nil, fmt.Errorf("option storage_scope: %w", err)
		}
		body := f.Body
		if scope == "shared" {
			body = syncAfterWaits(c, body)
		}
		p := &syncPlanner{before: map[int]bool{}}
		w := &syncWalk{scope: scope, plan: p.plan}
		w.stmt(body)
		if p.err == nil {
			p.err = w.conflicts
		}
		if p.err != nil {
			return nil, p.err
		}
		in := &syncInserter{c: c, scope: scope, syncs: p.before}
		if rank == "global" {
			in.global = &globalBarrier{stats: map[*tir.Var]*[2]int{}}
		}
		in.m.Stmt = in.stmt
		in.m.Expr = in.expr
		return f.WithBody(in.stmt(body)), nil
	}),
}

// syncPlanner finds the statements that need a barrier in front of them.
type syncPlanner struct {
	before map[int]bool // by the numbers of syncWalk
	err    error
}

// plan decides on the statements of one body, given what each accesses, and returns what is left for those around it: the accesses before the
// first barrier and behind the last one. The body of a loop is followed a second time, since its end comes before its beginning.
func (p *syncPlanner) plan(seq []stmtAccesses, loop bool, conditions int) []memAccess {
	mergeDynamic(seq)
	var reads, writes accessSet
	note := func(list []memAccess) {
		for _, a := range list {
			switch a.kind {
			case readAccess:
				reads.add(a)
			case writeAccess:
				writes.add(a)
			case syncAccess:
				reads, writes = nil, nil
			}
		}
	}
	// meets returns the access of the statement that conflicts with what came before, nil if none does.
	meets := func(s stmtAccesses, carried bool) *memAccess {
		r, w := reads, writes
		for _, a := range s.list {
			switch a.kind {
			case readAccess:
				if w.conflict(a, carried) {
					return &a
				}
			case writeAccess:
				if r.conflict(a, carried) {
					return &a
				}
			case syncAccess:
				r, w = nil, nil
				if carried {
					reads, writes = nil, nil
				}
			}
		}
		return nil
	}
	insert := func(s stmtAccesses, a *memAccess) {
		if conditions > 0 && p.err == nil {
			//lint:ignore ST1005 as TVM says it
			p.err = fmt.Errorf("Cannot insert syncs inside condition: what stands under it accesses %s, which other threads access too, and needs a barrier in between, "+
				"at which threads that do not enter would be missed; move the access out of the condition, or make the condition T.tvm_thread_invariant if all threads agree on it", a.own.Name)
		}
		p.before[s.number] = true
	}
	for _, s := range seq {
		found := p.before[s.number]
		if !found {
			if a := meets(s, false); a != nil {
				insert(s, a)
				found = true
			}
		}
		if found {
			reads, writes = nil, nil
		}
		note(s.list)
	}
	if loop {
		for _, s := range seq {
			if p.before[s.number] || len(reads) == 0 && len(writes) == 0 {
				break
			}
			if a := meets(s, true); a != nil {
				insert(s, a)
				break
			}
		}
	}
	return exposed(seq, p.before, loop)
}

// exposed returns the accesses before the first barrier and behind the last one.
func exposed(seq []stmtAccesses, before map[int]bool, loop bool) []memAccess {
	var head, tail []memAccess
	met := false
	sync := func() {
		if met {
			tail = nil
		} else {
			head = append(head, memAccess{kind: syncAccess})
		}
		met = true
	}
	for _, s := range seq {
		if before[s.number] {
			sync()
		}
		for _, a := range s.list {
			switch {
			case a.kind == syncAccess:
				sync()
			case met:
				tail = append(tail, a)
			default:
				head = append(head, a)
			}
		}
	}
	head = append(head, tail...)
	if loop {
		for i := range head {
			head[i].double = false
		}
	}
	return head
}

// mergeDynamic makes all accesses to dynamic shared memory those of one buffer, which it will be.
func mergeDynamic(seq []stmtAccesses) {
	var one *tir.Var
	for _, s := range seq {
		for i, a := range s.list {
			if a.data == nil || !dynamicShared(scopeOf(a.data)) {
				continue
			}
			if one == nil {
				one = a.data
			}
			s.list[i].data = one // own stays
		}
	}
}

// accessSet holds accesses by what they touch: writes into the half of a double buffer that nobody reads apart from others. Of
// those at different places a few are enough, since none is at the same place as two.
type accessSet map[*tir.Var]*[2][]memAccess

func (s *accessSet) add(a memAccess) {
	if *s == nil {
		*s = accessSet{}
	}
	of := (*s)[a.data]
	if of == nil {
		of = new([2][]memAccess)
		(*s)[a.data] = of
	}
	list := &of[0]
	if a.double {
		list = &of[1]
	}
	here, elsewhere := 0, 0
	for _, b := range *list {
		switch {
		case !samePlace(a, b):
			elsewhere++
		case a.own == b.own:
			return
		default:
			here++
		}
	}
	if here < 2 && (here > 0 || elsewhere < 3) {
		*list = append(*list, a)
	}
}

func (s accessSet) conflict(a memAccess, carried bool) bool {
	of := s[a.data]
	if of == nil {
		return false
	}
	for _, list := range of {
		for _, b := range list {
			if conflicts(b, a, carried) {
				return true
			}
		}
	}
	return false
}

func samePlace(a, b memAccess) bool {
	return slices.EqualFunc(a.at, b.at, func(x, y tir.Expr) bool { return x != nil && y != nil && tir.Equal(x, y) })
}

// conflicts reports whether two accesses, one of them a write, may be of one place by different threads. Those at the same index
// that differs between the innermost threads are not.
func conflicts(prev, now memAccess, carried bool) bool {
	if prev.data != now.data {
		return false
	}
	apart := samePlace(prev, now)
	for _, e := range now.at {
		apart = apart && (now.thread == nil || arith.UsesVar(e, func(v *tir.Var) bool { return v == now.thread }))
	}
	// Other buffers in dynamic shared memory may begin elsewhere: one that is written may take the place of one that was read.
	if apart && (prev.own == now.own || now.kind == readAccess) {
		return false
	}
	return !prev.double || now.kind != readAccess || carried
}

// spread returns accesses as those of all iterations of a loop.
func spread(list []memAccess, loop *tir.For) []memAccess {
	out := make([]memAccess, len(list))
	for i, a := range list {
		out[i] = a
		out[i].at = make([]tir.Expr, len(a.at))
		for j, e := range a.at {
			switch {
			case e == nil || !arith.UsesVar(e, func(v *tir.Var) bool { return v == loop.LoopVar }):
				out[i].at[j] = e
			case tir.IsConst(loop.Extent, 1):
				out[i].at[j] = tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
					switch b := e.(type) {
					case *tir.Var:
						if b == loop.LoopVar {
							return loop.Min
						}
					case *tir.Binary:
						return tir.BinaryExpr(b.Op, b.A, b.B)
					}
					return e
				})
			}
		}
	}
	return out
}
