package tirpass

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// storageEntry is memory that one or more allocations use.
type storageEntry struct {
	attach tir.Stmt // loop or launch in whose body it is allocated, nil for the function's body
	scope  string
	rank   int
	tag    string
	bits   int64 // of the largest allocation so far, 0 if not constant
	allocs []*liveAlloc
	offset int64 // in bits, where it is a part of the memory of another entry
	placed *storageEntry
	pieces []*storageEntry // entries that are parts of this one, itself first
	nest   []tir.Stmt      // the statements around the body that allocate it
	v      *tir.Var
}

// storagePlan gives allocations memory.
type storagePlan struct {
	ctx     *pass.Context
	live    *storageLives
	reuse   bool // whether memory is used again; if not, only by what is computed in place
	exact   bool // whether only for elements of the same type
	all     []*storageEntry
	sized   map[tir.Stmt][]*storageEntry // free memory of constant size, by size
	unsized map[tir.Stmt][]*storageEntry // and the rest
	over    map[*liveAlloc]bool          // whose memory is written over where they are last read
}

// matchRange is the factor by which memory may be larger or smaller than what it is used for.
const matchRange = 16

// run goes through the events in order.
func (p *storagePlan) run() {
	for i, e := range p.live.events {
		if e.pair >= 0 {
			p.begin(e, p.live.events[i+e.pair].kill)
		}
		if e.pair <= 0 {
			for _, a := range e.kill {
				if !p.over[a] {
					p.release(a.entry)
				}
			}
		}
	}
}

// begin gives memory to the allocations that e is the first to use; it is the last to use those of kill.
func (p *storagePlan) begin(e *storageEvent, kill []*liveAlloc) {
	for _, a := range e.gen {
		var entry *storageEntry
		if len(e.gen) <= 2 {
			entry = p.inPlace(e, a, kill)
		}
		if entry == nil {
			entry = p.find(a)
		}
		entry.allocs = append(entry.allocs, a)
		a.entry = entry
	}
}

// inPlace returns the memory of an allocation that e reads last, element by element, where it writes a; nil if there is none.
func (p *storagePlan) inPlace(e *storageEvent, a *liveAlloc, kill []*liveAlloc) *storageEntry {
	if e.stmt == nil {
		return nil
	}
	for _, src := range kill {
		in := src.entry
		if in == nil || p.over[src] || in.scope != a.scope || in.attach != a.attach || in.bits != a.bits || src.node.Type.Elem() != a.node.Type.Elem() {
			continue
		}
		if _, shared := storageRank(a.scope); shared && p.live.barriers {
			continue
		}
		if (a.bits == 0 || len(a.node.Extents) > 1) && !slices.EqualFunc(src.node.Extents, a.node.Extents, tir.Equal) {
			continue
		}
		if why := computedInPlace(p.ctx, e.stmt, p.live.around[e.stmt], a, src); why != "" {
			p.ctx.Declined(ruleInPlace, a.node, why)
			continue
		}
		p.over[src] = true
		return in
	}
	return nil
}

// storageRank returns the place of the kind of memory in the list of all, and whether threads share it and wait for each other at barriers.
func storageRank(scope string) (rank int, shared bool) {
	kind, _, _ := splitScope(scope)
	return slices.Index(storageRanks, kind), kind == "shared"
}

var rankWarp = slices.Index(storageRanks, "warp")

// register reports whether memory is better left to the allocation of registers.
func register(rank int, tag string, a *liveAlloc, bits int64) bool {
	return tag == "" && (rank >= rankWarp || a.node.Type.IsHandle() || bits > 0 && bits <= smallBits)
}

// find returns free memory for a: the smallest that is large enough, else the largest that is smaller and grows, but none that differs by
// more than a factor of 16, which would keep large memory for small things; new memory if there is none.
func (p *storagePlan) find(a *liveAlloc) *storageEntry {
	rank, shared := storageRank(a.scope)
	_, tag, _ := splitScope(a.scope)
	why := ""
	switch {
	case !p.reuse:
		why = "shared memory is merged later"
	case register(rank, tag, a, a.bits):
		why = "it becomes registers"
	case len(a.node.Extents) != 1:
		why = "its memory has several dimensions"
	case shared && p.live.barriers:
		why = "the barriers are written already, and none is there for what would share its memory"
	case a.bits > 0:
		if e := p.takeSized(a); e != nil {
			return e
		}
	default:
		if e := p.takeUnsized(a); e != nil {
			return e
		}
	}
	if p.ctx.Observed() {
		p.ctx.Declined(ruleShare, a.node, cmp.Or(why, p.whyOwn(a)))
	}
	e := &storageEntry{attach: a.attach, scope: a.scope, rank: rank, tag: tag, bits: a.bits}
	p.all = append(p.all, e)
	return e
}

// fits reports whether a may use free memory; growing memory must have its type.
func (p *storagePlan) fits(e *storageEntry, a *liveAlloc, grows bool) bool {
	t := e.allocs[0].node.Type.Elem()
	return e.scope == a.scope && (!grows || t == a.node.Type.Elem()) && (!p.exact || t == a.node.Type)
}

func (p *storagePlan) takeSized(a *liveAlloc) *storageEntry {
	free := p.sized[a.attach]
	mid, _ := slices.BinarySearchFunc(free, a.bits, func(e *storageEntry, n int64) int { return cmp.Compare(e.bits, n) })
	at := -1
	for i := mid; i < len(free) && free[i].bits <= a.bits*matchRange; i++ {
		if p.fits(free[i], a, false) {
			at = i
			break
		}
	}
	for i := mid - 1; at < 0 && i >= 0 && free[i].bits >= a.bits/matchRange; i-- {
		if p.fits(free[i], a, true) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	e := free[at]
	p.sized[a.attach] = slices.Delete(free, at, at+1)
	e.bits = max(e.bits, a.bits)
	return e
}

func (p *storagePlan) takeUnsized(a *liveAlloc) *storageEntry {
	free := p.unsized[a.attach]
	at := slices.IndexFunc(free, func(e *storageEntry) bool { return p.fits(e, a, true) })
	if at < 0 {
		return nil
	}
	e := free[at]
	p.unsized[a.attach] = slices.Delete(free, at, at+1)
	return e
}

// release makes memory free.
func (p *storagePlan) release(e *storageEntry) {
	if len(e.allocs[0].node.Extents) != 1 || register(e.rank, e.tag, e.allocs[0], e.bits) {
		return
	}
	if e.bits == 0 {
		p.unsized[e.attach] = append(p.unsized[e.attach], e)
		return
	}
	free := p.sized[e.attach]
	at, _ := slices.BinarySearchFunc(free, e.bits+1, func(e *storageEntry, n int64) int { return cmp.Compare(e.bits, n) })
	p.sized[e.attach] = slices.Insert(free, at, e)
}

// whyOwn says why an allocation shares no memory with those before it.
func (p *storagePlan) whyOwn(a *liveAlloc) string {
	free := slices.Concat(p.sized[a.attach], p.unsized[a.attach])
	for _, e := range free {
		switch {
		case e.scope != a.scope:
			continue
		case (e.bits == 0) != (a.bits == 0):
			return "its size is constant and that of " + e.allocs[0].node.Var.Name + " is not, or the other way round"
		case !p.fits(e, a, true):
			return "what is free has another element type"
		default:
			return "its size and that of " + e.allocs[0].node.Var.Name + " differ by more than a factor of 16"
		}
	}
	for _, e := range p.all {
		if e.attach == a.attach && e.scope == a.scope {
			return e.allocs[0].node.Var.Name + " is still needed"
		}
	}
	return "nothing of its scope was allocated before it in the same place"
}
