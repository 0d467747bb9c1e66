package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Block refers to a block of a function.
type Block struct{ fn string }

// Loop refers to a loop of a function.
type Loop struct {
	fn string
	v  *tir.Var
}

// State is a module with the references that were made to its blocks. It never changes.
type State struct {
	mod    *ir.Module
	blocks []known
	facts  *facts
	// origins merges the origins of blocks where one takes in another; nil keeps those of the latter.
	origins func(...ir.OriginID) ir.OriginID
	// rules says that a rule schedules, which keeps to what Schedule.ForRules says.
	rules bool
}

// known says which block a reference refers to.
type known struct {
	ref   *Block
	block *tir.Block
}

// New returns the state of a module. It fails if the module has no PrimFunc, or one whose body is no block.
func New(m *ir.Module) (*State, error) {
	n := 0
	for gv, f := range m.Funcs() {
		fn, ok := f.(*tir.PrimFunc)
		if !ok {
			continue
		}
		n++
		if _, ok := fn.Body.(*tir.BlockRealize); !ok {
			return nil, fmt.Errorf("schedule: the body of %s is a %s, expected a root block", gv.Name, ir.TypeName(fn.Body))
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("schedule: the module has no PrimFunc")
	}
	return &State{mod: m, facts: &facts{}}, nil
}

// Module returns the module as it stands.
func (s *State) Module() *ir.Module { return s.mod }

// refer returns a reference to a block of a function.
func (s *State) refer(fn string, b *tir.Block) (*State, *Block) {
	out := *s
	r := &Block{fn: fn}
	out.blocks = append(s.blocks[:len(s.blocks):len(s.blocks)], known{r, b})
	return &out, r
}

// site is a loop or a block with the statements around it: path goes from the body of the function to the statement itself. A block is preceded
// by the realize that runs it.
type site struct {
	fn   string
	f    *tir.PrimFunc
	path []tir.Stmt
}

// stmt returns the loop or block.
func (p site) stmt() tir.Stmt { return p.path[len(p.path)-1] }

// For returns the loop.
func (p site) For() *tir.For { return p.stmt().(*tir.For) }

// Block returns the block.
func (p site) Block() *tir.Block { return p.stmt().(*tir.Block) }

// Realize returns what runs the block.
func (p site) Realize() *tir.BlockRealize { return p.path[len(p.path)-2].(*tir.BlockRealize) }

// up returns the nearest loop or block around the site; ok is false at the root block.
func (p site) up() (site, bool) {
	for i := len(p.path) - 2; i >= 0; i-- {
		switch p.path[i].(type) {
		case *tir.For, *tir.Block:
			p.path = p.path[: i+1 : i+1]
			return p, true
		}
	}
	return site{}, false
}

// scope returns the nearest block around the site; ok is false at the root block.
func (p site) scope() (site, bool) {
	q, ok := p.up()
	for ok {
		if _, block := q.stmt().(*tir.Block); block {
			return q, true
		}
		q, ok = q.up()
	}
	return site{}, false
}

// loops returns the loops around the site within its scope, outermost first.
func (p site) loops() []*tir.For {
	var out []*tir.For
	for q, ok := p.up(); ok; q, ok = q.up() {
		l, loop := q.stmt().(*tir.For)
		if !loop {
			break
		}
		out = append([]*tir.For{l}, out...)
	}
	return out
}

// inside reports whether the site is top or stands below it.
func (p site) inside(top tir.Stmt) bool {
	for _, s := range p.path {
		if s == top {
			return true
		}
	}
	return false
}

// locate finds a loop or block of a function.
func (s *State) locate(fn string, is func(tir.Stmt) bool) (site, bool) {
	f, ok := s.mod.Lookup(fn).(*tir.PrimFunc)
	if !ok {
		return site{}, false
	}
	path := find(f.Body, is, nil)
	return site{fn, f, path}, path != nil
}

// block returns where the block that b refers to stands.
func (s *State) block(b *Block) (site, error) {
	if t := s.Known(b); t != nil {
		if at, ok := s.locate(b.fn, func(x tir.Stmt) bool { return x == tir.Stmt(t) }); ok {
			return at, nil
		}
	}
	return site{}, fmt.Errorf("the reference to a block has expired: a primitive removed what it referred to")
}

// Known returns the block that a reference refers to, or referred to when it was removed; nil for a reference of another schedule.
func (s *State) Known(b *Block) *tir.Block {
	if i := slices.IndexFunc(s.blocks, func(k known) bool { return k.ref == b }); i >= 0 {
		return s.blocks[i].block
	}
	return nil
}

// loop returns where the loop that l refers to stands.
func (s *State) loop(l *Loop) (site, error) {
	if l.Mark() != "" {
		return site{}, fmt.Errorf("the location that was drawn is no loop: only compute_at and reverse_compute_at take %q", l.Mark())
	}
	at, ok := s.locate(l.fn, func(x tir.Stmt) bool { f, ok := x.(*tir.For); return ok && f.LoopVar == l.v })
	if !ok {
		return site{}, fmt.Errorf("the reference to loop %s has expired: a primitive removed what it referred to", l.v.Name)
	}
	return at, nil
}

// of returns where the loop or block that r, a *Loop or *Block, refers to stands.
func (s *State) of(r any) (site, error) {
	switch r := r.(type) {
	case *Block:
		return s.block(r)
	case *Loop:
		return s.loop(r)
	}
	return site{}, fmt.Errorf("expected a block or a loop, got %T", r)
}

// Stmt returns the *tir.Block or *tir.For that a *Block or *Loop refers to.
func (s *State) Stmt(r any) (tir.Stmt, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, err
	}
	return at.stmt(), nil
}
