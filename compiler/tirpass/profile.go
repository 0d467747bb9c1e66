package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Config keys of InstrumentProfileIntrinsics.
const (
	keyProfile         = "tir.instrument_lwp"
	keyProfileNoFunc   = "tir.lwp_disable_func_prof"
	keyProfileDepth    = "tir.lwp_max_depth"
	keyProfileHeight   = "tir.lwp_min_height"
	keyProfileSiblings = "tir.instr_siblings"
	keyProfileReset    = "tir.reset_start_id"
)

// InstrumentProfileIntrinsics marks where functions and loops begin and end.
//
// After TVM's src/tir/transforms/profile_instrumentation.cc. What differs: the numbers go on from those in the
// module, not from those of the last module that the process saw.
var InstrumentProfileIntrinsics = &pass.Pass{
	Name: "tir.InstrumentProfileIntrinsics", Kind: pass.Module,
	Doc:    "Puts start_profile_intrinsic and end_profile_intrinsic, with numbers, around functions and loops that have loops beside them. The innermost loops get none, nor do loops inside of parallel ones. Does nothing unless tir.instrument_lwp is set.",
	Config: []string{keyProfile, keyProfileNoFunc, keyProfileDepth, keyProfileHeight, keyProfileSiblings, keyProfileReset},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		if !c.ConfigBool(keyProfile) {
			return m, nil
		}
		p := &profiler{
			c: c, maxDepth: c.ConfigInt(keyProfileDepth), minHeight: c.ConfigInt(keyProfileHeight), siblings: c.ConfigBool(keyProfileSiblings),
		}
		p.m.Stmt = p.stmt
		if !c.ConfigBool(keyProfileReset) {
			p.next = firstFree(m)
		}
		return ir.MapFuncs(m, func(gv *ir.GlobalVar, f *tir.PrimFunc) (ir.Function, error) {
			c.Working(gv.Name)
			return p.function(f), nil
		})
	},
}

// firstFree returns the number behind the greatest that the marks in m have.
func firstFree(m *ir.Module) int64 {
	next := int64(0)
	for _, fn := range m.Funcs() {
		ir.Walk(fn, func(n ir.Node) bool {
			e, ok := n.(tir.Expr)
			if !ok {
				return true
			}
			if c, ok := tir.IsCallTo(e, tir.OpProfile); ok {
				if id, ok := tir.AsInt(c.Args[0]); ok {
					next = max(next, id+1)
				}
			}
			return true
		})
	}
	return next
}

// loopPlace is where a loop is among others. Its height is 0 for an innermost loop.
type loopPlace struct {
	id, depth, height    int64
	siblings, inParallel bool
}

type profiler struct {
	c                   *pass.Context
	m                   tir.Mapper
	maxDepth, minHeight int64
	siblings            bool // only loops beside others, whatever their depth
	next                int64
	places              map[*tir.For]*loopPlace
}

func (p *profiler) id() int64 {
	p.next++
	return p.next - 1
}

func (p *profiler) function(f *tir.PrimFunc) *tir.PrimFunc {
	own := p.id()
	p.places = map[*tir.For]*loopPlace{}
	p.outermost(f.Body)
	body := p.stmt(f.Body)
	if !p.c.ConfigBool(keyProfileNoFunc) {
		marked := profiled(own, body)
		p.c.Rewrite("mark a function", f.Body, marked)
		body = marked
	}
	return f.WithBody(body)
}

// outermost numbers the outermost loops of s, and those inside of them.
func (p *profiler) outermost(s tir.Stmt) {
	ir.Walk(s, func(n ir.Node) bool {
		l, ok := n.(*tir.For)
		if ok {
			at := &loopPlace{id: p.id()}
			p.places[l] = at
			at.height = p.inside(l.Body, 0, false)
		}
		return !ok
	})
}

// inside numbers the loops directly in s, in a loop of some depth, and returns the height of the loop around s.
// What is in blocks and while loops counts as innermost, as in TVM.
func (p *profiler) inside(s tir.Stmt, depth int64, parallel bool) int64 {
	switch s := s.(type) {
	case *tir.SeqStmt:
		var beside []*loopPlace
		height := int64(0)
		for _, x := range s.Seq {
			if l, ok := x.(*tir.For); ok {
				at, h := p.loop(l, depth, parallel)
				beside = append(beside, at)
				height = max(height, h)
			}
		}
		for _, at := range beside {
			at.siblings = len(beside) > 1
		}
		return height
	case *tir.For:
		_, height := p.loop(s, depth, parallel)
		return height
	case *tir.IfThenElse:
		height := p.inside(s.Then, depth, parallel)
		if s.Else != nil {
			height = max(height, p.inside(s.Else, depth, parallel))
		}
		return height
	case *tir.LetStmt:
		return p.inside(s.Body, depth, parallel)
	case *tir.AttrStmt:
		return p.inside(s.Body, depth, parallel)
	case *tir.Allocate:
		return p.inside(s.Body, depth, parallel)
	case *tir.DeclBuffer:
		return p.inside(s.Body, depth, parallel)
	}
	return 0
}

// loop numbers l in a loop of some depth, and returns the height of that one.
func (p *profiler) loop(l *tir.For, depth int64, parallel bool) (*loopPlace, int64) {
	at := &loopPlace{id: p.id(), depth: depth + 1, inParallel: parallel}
	p.places[l] = at
	at.height = p.inside(l.Body, depth+1, parallel || l.Kind == tir.Parallel)
	return at, at.height + 1
}

func (p *profiler) stmt(s tir.Stmt) tir.Stmt {
	out := p.m.MapStmt(s)
	l, ok := s.(*tir.For)
	if !ok || p.places[l] == nil {
		return out
	}
	if why := p.declines(p.places[l]); why != "" {
		p.c.Declined("mark a loop", s, why)
		return out
	}
	marked := profiled(p.places[l].id, out)
	p.c.Rewrite("mark a loop", s, marked)
	return marked
}

// declines says why a loop is not marked, "" if it is.
func (p *profiler) declines(at *loopPlace) string {
	switch {
	case at.inParallel:
		return "it is in a parallel loop, whose iterations would mark at the same time"
	case at.height < p.minHeight:
		return "fewer loops than " + keyProfileHeight + " says are in it"
	case p.siblings && !at.siblings:
		return "no loop is beside it, and " + keyProfileSiblings + " is set"
	case !p.siblings && at.depth > p.maxDepth:
		return "it is deeper than " + keyProfileDepth + " says"
	}
	return ""
}

// profiled puts marks with a number around s.
func profiled(id int64, s tir.Stmt) tir.Stmt {
	mark := func(op *ir.Op) tir.Stmt {
		call := &tir.Call{Base: s.Meta(), Type: dtype.HandleT, Op: op, Args: []tir.Expr{tir.Int32(id)}}
		return &tir.Evaluate{Base: s.Meta(), Value: call}
	}
	return tir.Seq(mark(tir.OpProfile), s, mark(tir.OpProfileEnd))
}
