package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// probe is an access to the byte before base+end, made for its bounds check only.
type probe struct {
	base *node
	end  int
}

// access is the part of memory that a straight run of items touches from one base address.
type access struct {
	base  *node
	count int
	item  int // the item with the first access
	first int // end of the first access
	end   int // largest end
}

// find says before which items of r to probe which base addresses. wazero checks the
// bounds of an access unless an earlier one from the same value, in the same basic block,
// reached as far: so one access to the last byte saves the checks of all others. The probe's
// load itself is dropped as dead; the check stays. Only accesses that run whenever the probe
// does count: those of the items up to the next control flow.
func (s *probeScan) find(r *region) map[int][]probe {
	s.r, s.out = r, nil
	for i := range r.Items {
		it := &r.Items[i]
		s.item = i
		switch it.Kind {
		case lower.ItemDef:
			if n := it.Node; n.Uses > 0 && !n.Inlined() {
				s.visit(n)
			}
		case lower.ItemStore, lower.ItemSet, lower.ItemCall, lower.ItemReturn:
			for _, a := range it.Args {
				s.visit(a)
			}
			if it.Kind == lower.ItemStore {
				s.touch(it.Args[0], int(it.Imm), wasmbin.Op(it.Op).AccessBytes())
			}
		case lower.ItemLoop, lower.ItemIf, lower.ItemBlock, lower.ItemBreak, lower.ItemPoll, lower.ItemTrap:
			s.flush()
		}
	}
	s.flush()
	return s.out
}

// probeScan finds the probes of one region after the other.
type probeScan struct {
	r     *region
	item  int
	found map[*node]int // place in list
	list  []access
	seen  map[*node]bool
	out   map[int][]probe // by item; nil where there are none
}

func (s *probeScan) visit(n *node) {
	if n.Leaf() || n.Region != s.r || s.seen[n] {
		return
	}
	s.seen[n] = true
	for _, a := range n.Args {
		s.visit(a)
	}
	if size := opOf(n).AccessBytes(); size > 0 {
		s.touch(n.Args[0], int(n.Imm), size)
	}
}

func (s *probeScan) touch(base *node, off, size int) {
	if base.IsConst() || (!base.Leaf() && base.Inlined()) {
		return
	}
	i, ok := s.found[base]
	if !ok {
		i = len(s.list)
		s.found[base] = i
		s.list = append(s.list, access{base: base, first: off + size, item: s.item})
	}
	a := &s.list[i]
	a.count++
	a.end = max(a.end, off+size)
}

func (s *probeScan) flush() {
	for _, a := range s.list {
		if a.count > 1 && a.end > a.first {
			if s.out == nil {
				s.out = map[int][]probe{}
			}
			s.out[a.item] = append(s.out[a.item], probe{a.base, a.end})
		}
	}
	s.list = s.list[:0]
	clear(s.found)
	clear(s.seen)
}

// write emits the probe.
func (p probe) write(e *emitter) {
	e.peek(p.base)
	e.f.Load(wasmbin.I32Load8U, uint32(p.end-1))
	e.f.Drop()
}
