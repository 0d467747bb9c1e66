package cpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// termType is the type of the terms of a sum.
func (p *plan) termType() string { return p.loads[0].buf.DType.String() }

func (p *plan) isWhole(k int) bool { return slices.Contains(p.Whole, k) }

// unrolling says which steps of the reduction are written out, and where that stops.
func (w reasons) unrolling() {
	if !w.isReduced(w.Vector) && !w.Matrix {
		w.unrolled()
	}
}

// isReduced reports whether results are reduced over a variable.
func (p *plan) isReduced(k int) bool { return slices.Contains(p.reduce, k) }

func (w reasons) unrolled() {
	steps, sums := w.unrolledSteps(), w.sums()
	if list := w.unrolledOf(); len(list) > 0 {
		var parts []string
		for _, k := range list {
			parts = append(parts, fmt.Sprintf("%d of %s", w.extent(k), w.name(k)))
		}
		w.took(ruleUnroll, "%s: %s of %s", strings.Join(parts, " by "), plural(steps, "step"), plural(sums, "vector"))
	}
	k := w.innerReduction()
	if k < 0 {
		return
	}
	n := w.extent(k)
	why := ""
	switch w.stopAt(k, steps) {
	case stopSymbolic:
		why = "its extent is not known"
	case stopWindow:
		why = fmt.Sprintf("%d steps, and at most %d are written out", n*steps, maxUnrolledWindow)
	case stopSums:
		why = fmt.Sprintf("%d steps of %s are %d, and at most %d are written out, for the cache of decoded instructions", n*steps, plural(sums, "vector"), n*steps*sums, maxUnrolledSums)
	case stopKept:
		why = fmt.Sprintf("%s of a factor would be kept from one tile of rows to another, for which there are no registers", plural(w.keptVectors(k, steps), "vector"))
	case stopSpread:
		why = "an element that is spread over lanes would be kept from one step to another, in a register that sums need"
	}
	if f := w.Factor; f > 1 && (n == 0 || n >= f) {
		left := "nothing is left over"
		switch {
		case n == 0:
			left = "what is left over runs one by one"
		case n%f != 0:
			left = plural(n%f, "step") + " left over"
		}
		w.took(ruleUnroll, "%d of %s at a time, %s", f, w.name(k), left)
	}
	w.declined(ruleUnroll, "all of %s: %s", w.name(k), why)
}

// order says how the loops over tiles are arranged for the caches.
func (w reasons) order() {
	t := w.traffic
	if len(t.others) > 0 {
		var names []string
		for _, k := range t.others {
			names = append(names, w.name(k))
		}
		first, second := "the other rows ("+strings.Join(names, ", ")+")", "the tiles along "+w.name(w.Vector)
		a, b := t.rowsFirst, t.panelsFirst
		if a > b {
			first, second, a, b = second, first, b, a
		}
		if t.band > 0 {
			h := t.others[len(t.others)-1]
			w.took(ruleOrder, "%d of the %d rows along %s in a band: about %s come from beyond the %s of the second cache, with %s outside %s, with %s outside %s", t.band, w.extent(h), w.name(h), bytes(t.banded), bytes(float64(w.machine.L2)), first, bytes(a), second, bytes(b))
			return
		}
		w.took(ruleOrder, "with %s outside about %s come from beyond the %s of the second cache, with %s outside %s", first, bytes(a), bytes(float64(w.machine.L2)), second, bytes(b))
	}
	if t.one == 0 {
		return
	}
	half := float64(w.machine.L2) / 2
	read := fmt.Sprintf("what all tiles of %s read of their factor, %s,", w.name(w.row), bytes(t.one))
	switch {
	case w.Blocks != nil:
		w.took(ruleBlock, "%s of %s in a block: %s is more than half of the %s of the second cache", plural(w.Blocks[w.row], "tile"), w.name(w.row), read, bytes(2*half))
	case w.extent(w.row) == 0:
		w.declined(ruleBlock, "the extent of %s is not known", w.name(w.row))
	case w.extent(w.row) <= w.Tile[w.row]:
		w.declined(ruleBlock, "there is one tile along %s", w.name(w.row))
	case t.one <= half:
		w.declined(ruleBlock, "%s fits half of the %s of the second cache", read, bytes(2*half))
	case t.panels <= 1:
		w.declined(ruleBlock, "%s is read once, as there is one tile along %s", read, w.name(w.Vector))
	default:
		w.declined(ruleBlock, "the tiles along %s are outside", w.name(w.Vector))
	}
}

// chunked says how long the chunks of the reduction are.
func (w reasons) chunked() {
	if w.Chunk == 0 {
		return
	}
	k := w.reduce[0]
	w.took(ruleChunks, "%d of the %d steps of %s at a time: a panel of %s and the %s that all tiles of %s read beside it are more than two thirds of the %s of the second cache", w.Chunk, w.extent(k), w.name(k),
		bytes(w.tilePanel(w.Vector)), bytes(w.sweep()), w.name(w.row), bytes(float64(w.machine.L2)))
}

// padded says where what the reduction reads is padded.
func (w reasons) padded() {
	if l := w.local; l.pad != nil {
		w.took(ruleNearPad, "%s for each turn of the loops outside of %s: %s, which the %s of the second cache hold", w.r.at(l.pad).Name, w.name(w.Order[l.level]), bytes(float64(l.size)), bytes(float64(w.machine.L2)))
	}
}

// threads says which loop several threads share.
func (w reasons) threads() {
	if w.machine.Threads < 2 {
		return
	}
	turns, work := w.orderTurns()
	shared := w.shared()
	if len(shared) == 0 {
		w.declined(ruleThreads, "no loop has so many turns of so much work that %d threads gain: all tiles take %d products", w.machine.Threads, work)
		return
	}
	i := shared[0]
	begun := int64(1)
	for _, n := range turns[:i] {
		begun *= n
	}
	w.took(ruleThreads, "%s of %s for %d threads, begun %s", plural(turns[i], "turn"), w.name(w.Order[i]), w.machine.Threads, plural(begun, "time"))
}

// copied says which loads are copied to where vectors read them.
func (w reasons) copied() {
	if w.isReduced(w.Vector) || w.Lanes == 1 && w.row < 0 {
		return
	}
	number, guarded := w.numbers()
	for _, a := range w.loads {
		n := w.stride(a, w.Vector)
		rule, list, not := rulePack, w.Pack, w.notPacked
		if n == 0 {
			rule, list, not = ruleSplat, w.Splat, w.notSpread
		}
		k := w.innerReduction()
		switch {
		case guarded(a):
			w.declined(rule, "%s: a copy would read what its condition keeps from", a.buf.Name)
		case !slices.Contains(list, number[a.load]):
			w.declined(rule, "%s: %s", a.buf.Name, w.withNumbers(not(a), a))
		case n == 0:
			w.took(rule, "%s: other tiles use the elements again, and the target has no instruction that spreads one", a.buf.Name)
		case n == 1 && w.computed(a) != nil:
			w.took(rule, "%s: its elements are computed, and many rows use each", a.buf.Name)
		case n != 1:
			w.took(rule, "%s: it is not contiguous along %s", a.buf.Name, w.name(w.Vector))
		default:
			w.took(rule, "%s: successive steps read it %s apart, and from %s on a copy pays", a.buf.Name, bytes(float64(w.bytesApart(a, k))), bytes(minPackStride))
		}
	}
}

// withNumbers adds the numbers to a reason against a copy.
func (w reasons) withNumbers(why string, a access) string {
	switch why {
	case fewRows:
		return fmt.Sprintf("%s: %d, and from %d on it does", why, w.extent(w.row), minUses)
	case fewTiles:
		return fmt.Sprintf("%s: %d, and from %d on it does", why, w.rowTiles(), w.tileUses())
	case readClose:
		return fmt.Sprintf("%s: %s apart, and from %s on a copy pays", why, bytes(float64(w.bytesApart(a, w.innerReduction()))), bytes(minPackStride))
	}
	return why
}

// explainVectors tells the watcher how the innermost loop around a block without a reduction is vectorized, or why it is not. at is the store of the block before
// the rules.
func (r *rules) explainVectors(l *sch.Loop, b *tir.Block, at ir.Node) {
	if r.watch == nil {
		return
	}
	st, m := b.Body.(*tir.BufferStore), r.machine
	n, known := tir.AsInt(r.extent(l))
	most := m.lanesFor(st)
	lanes := m.lanesOf(n, known, most)
	if lanes == 0 {
		r.watch.Declined(ruleVectors, at, fmt.Sprintf("the innermost loop has %s, and the shortest vector has %d", plural(n, "iteration"), m.leastLanes()))
		return
	}
	text := fmt.Sprintf("%d elements a step, in vectors of %d lanes", lanes, min(lanes, m.Lanes))
	if m.tooMuch(st) {
		text += ", no more as each takes many instructions"
	}
	switch {
	case !known:
		text += "; what is left over runs in single vectors, and one by one"
	case n%lanes == 0:
		text += fmt.Sprintf("; %d divides %d", lanes, n)
	default:
		text += fmt.Sprintf("; %d of %d are left over", n%lanes, n)
	}
	r.applied(ruleVectors, at)
	r.watch.Took(ruleVectors, at, text)
}
