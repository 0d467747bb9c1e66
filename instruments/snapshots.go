package instruments

import (
	"fmt"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// Snapshot is the printed form of a function.
type Snapshot struct {
	Name  string
	Kind  string // "relax", "prim_func" or "extern"
	Text  string
	Hash  string // event.HashText of Text
	Lines int
	// Nodes holds for each line the node that begins there, as script.Text.Lines does.
	Nodes   []ir.Node
	fn      ir.Function
	printed *script.Text
}

// Snapshots prints functions, each once: functions are immutable, so the pointer tells that
// one was printed before. It is safe for concurrent use.
type Snapshots struct {
	mu      sync.Mutex
	known   map[snapKey]*Snapshot
	scratch script.Scratch
}

type snapKey struct {
	name string
	fn   ir.Function
}

// NewSnapshots returns an empty cache.
func NewSnapshots() *Snapshots { return &Snapshots{known: map[snapKey]*Snapshot{}} }

// Of returns the snapshot of a function.
func (s *Snapshots) Of(name string, fn ir.Function) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(name, fn, nil)
}

// of returns the snapshot of a function, which may have the code of that of like.
func (s *Snapshots) of(name string, fn ir.Function, like *Snapshot) *Snapshot {
	key := snapKey{name, fn}
	if x := s.known[key]; x != nil {
		return x
	}
	var printed *script.Text
	opts := script.Options{Scratch: &s.scratch}
	if like != nil && like.Name == name && sameCode(like.fn, fn) {
		printed = script.Annotated(name, fn.(*tir.PrimFunc), like.printed, like.fn.(*tir.PrimFunc), opts)
	}
	if printed == nil {
		printed = script.Function(name, fn, opts)
	}
	text := printed.Source
	x := &Snapshot{Name: name, Kind: kindOf(fn), Text: text, Hash: event.HashText(text), Lines: linediff.CountLines(text), Nodes: printed.Lines, fn: fn, printed: printed}
	s.known[key] = x
	return x
}

// Forget drops the functions of list that were replaced or removed, so that a long run keeps
// what it may print again and nothing else.
func (s *Snapshots) Forget(list []FuncDelta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range list {
		if d.Before != nil {
			delete(s.known, snapKey{d.Name, d.Before.fn})
		}
	}
}

func kindOf(fn ir.Function) string {
	switch fn.(type) {
	case *relax.Function:
		return "relax"
	case *relax.ExternFunc:
		return "extern"
	case *tir.PrimFunc:
		return "prim_func"
	}
	panic(fmt.Sprintf("instruments: unknown kind of function %T", fn))
}

// FuncDelta is what a pass did to one function: Before is nil if it was added, After if it
// was removed.
type FuncDelta struct {
	Name          string
	Before, After *Snapshot
}

// Delta returns the functions that differ between two modules, in the order of b and then
// those that only a has. It compares pointers, so functions that are the same cost nothing.
func (s *Snapshots) Delta(a, b *ir.Module) []FuncDelta {
	var out []FuncDelta
	s.mu.Lock()
	defer s.mu.Unlock()
	b.EachChange(a, func(name string, before, after ir.Function) {
		d := FuncDelta{Name: name}
		if before != nil {
			d.Before = s.of(name, before, nil)
		}
		if after != nil {
			d.After = s.of(name, after, d.Before)
		}
		if d.Before == nil || d.After == nil || d.Before.Hash != d.After.Hash {
			out = append(out, d)
		}
	})
	return out
}
