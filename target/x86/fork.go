package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/native"
)

// The turns of an outermost loop that are independent of each other run in chunks, by several threads where the host has them: the kernel makes a request
// (StatusFork) with the bounds of the loop, and is entered behind it for each chunk. So the loop itself takes its bounds from the frame, and ends in a request too,
// behind which the kernel goes on.
//
//	words(lo, end, cost); fork      what is alive is saved, as at each request
//	  from, till = frame            entered for each chunk, with a copy of the frame
//	  for i in from..till: body
//	  join
//	...                             entered once, with the frame of the fork
//
// What the body computes never lives behind the join: what it may change outside is memory, as the loop would depend on its turns otherwise.

// leastFork is how many simple operations a loop has at least for which a fork is worth its time: half a microsecond where threads share it, and a quarter where the host, which knows
// how long its turns take, has one thread run them.
const leastFork = 1 << 14

// leastTurns is how many turns it has at least, unless the schedule says that it is parallel: with few, it is better to fork what is inside.
const leastTurns = 4

// forks decides whether a loop runs in chunks. Its bounds must fit in the words of a fork.
func (g *gen) forks(s *tir.For, bound *node) bool {
	if g.forked || bound.Type != tI32 {
		return false
	}
	least := g.mod.machine.LeastFork
	if least == 0 {
		least = leastFork
	}
	turns, known := tir.AsInt(s.Extent)
	if known && (turns < leastTurns && s.Kind != tir.Parallel || float64(turns)*g.Effects.Loops[s].Work < least) {
		return false
	}
	return g.Effects.Divisible(s, g.InVariables) || g.Effects.Independent(s, g.NoAlias, g.InVariables)
}

// Fork writes a loop that surely has turns, if they are to run side by side.
func (g *gen) Fork(s *tir.For, lo, end *node, loop func(lo, end *node)) bool {
	if !g.forks(s, lo) {
		return false
	}
	outer, area0 := g.Cur, g.area
	chunk := lower.NewRegion(lower.BlockRegion, outer)
	g.Cur = chunk
	g.request(native.StatusFork, "forked", lo, end)
	word := func(at uint64, name string) *node { return g.Local(pWord, at, name) }
	from, till, local := word(native.FromAt, "from"), word(native.TillAt, "till"), word(native.LocalAt, "local")
	from.Nonneg = lo.Nonneg
	g.area, g.forked = &area{start: func() *node { return local }, size: native.LocalBytes}, true
	loop(from, till)
	cost := int64(min(g.Effects.Loops[s].Work, 1<<31-1))
	fork := &chunk.Items[0]
	fork.Args = append(fork.Args, g.i64(g.area.used<<32|cost))
	g.request(native.StatusJoin, "joined")
	g.Cur, g.area, g.forked = outer, area0, false
	g.Add(item{Kind: lower.ItemBlock, Body: chunk, Text: "chunks"})
	return true
}
