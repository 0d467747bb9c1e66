package cpu

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// reasons tells the watcher why a block is tiled as a plan says. All is read off the plan that was made, after it was made, so that the numbers
// are those of the loops, and nothing of it is computed where nobody watches.
type reasons struct {
	*plan
	at ir.Node // the store of the block before the rules
}

// explain reports the choices of a plan: what vectors run along, the tile and those that it was compared with, what is unrolled, copied and blocked.
func (p *plan) explain(at ir.Node) {
	if p.r.watch == nil {
		return
	}
	w := reasons{p, at}
	w.vectors()
	w.took(ruleTile, "%s", w.tile())
	if w.Matrix {
		w.matrix()
	} else {
		w.shapes()
	}
	w.columns()
	w.rows()
	w.unrolling()
	w.order()
	w.chunked()
	w.padded()
	w.threads()
	w.copied()
	if p.Run > 0 {
		w.took(ruleRuns, "%d steps of the inner loop: of so many no sum of %s overflows", p.Run, p.termType())
	}
}

func (w reasons) took(rule, format string, args ...any) {
	w.r.watch.Took(rule, w.at, fmt.Sprintf(format, args...))
}

func (w reasons) declined(rule, format string, args ...any) {
	w.r.watch.Declined(rule, w.at, fmt.Sprintf(format, args...))
}

// name is that of a variable.
func (w reasons) name(k int) string { return w.iters[k].Var.Name }

// vectors says along what vectors run, and why not along what else.
func (w reasons) vectors() {
	v, d := w.contiguousResult(), w.contiguousReduction()
	switch {
	case w.iters[w.Vector].Kind != tir.DataPar:
		w.declined(ruleResults, "%s", w.notAlongResults(v))
		why := ""
		if w.Lanes < w.machine.Lanes && w.registers == 1 {
			why = fmt.Sprintf(", of which two vectors have room in %d", w.extent(d))
		}
		w.took(ruleLanes, "what is read is contiguous along %s, or the same; the %d lanes%s are combined at the end", w.name(d), w.Lanes, why)
	case w.Lanes > 1 && w.plain(v):
		w.took(ruleResults, "results are contiguous along %s, and what is read is so too, or the same", w.name(v))
	case w.Lanes > 1 && w.strided(v):
		w.took(ruleResults, "results are contiguous along %s; of what is read every other element is picked from two vectors", w.name(v))
	case w.Lanes > 1:
		why := "and nothing that is reduced over is contiguous in all that is read"
		if d >= 0 {
			why = fmt.Sprintf("as each element is used for %d rows, and from %d on that pays", w.rowsOf(v), w.packRows())
		}
		w.took(ruleResults, "results are contiguous along %s; %s is not and is copied, %s", w.name(v), w.apart(v), why)
	case !vectorTypes(w.block()):
		w.declined(ruleResults, "a type that is read or written has no vector form")
	default:
		w.declined(ruleResults, "%s", w.notAlongResults(v))
		w.declined(ruleLanes, "there is no variable of at least %d values along which all that is read is contiguous or the same", 2*w.machine.leastLanes())
	}
}

// notAlongResults says why vectors do not run along results.
func (w reasons) notAlongResults(v int) string {
	switch {
	case v < 0:
		return fmt.Sprintf("results are not contiguous along a variable of at least %d values", w.machine.leastLanes())
	case w.rowsOf(v) > 0:
		return fmt.Sprintf("%s is not contiguous along %s, and to copy it pays from %d rows on; here are %d", w.apart(v), w.name(v), w.packRows(), w.rowsOf(v))
	}
	return fmt.Sprintf("%s is not contiguous along %s", w.apart(v), w.name(v))
}

// apart names what is not contiguous along a variable.
func (w reasons) apart(v int) string {
	var out []string
	for _, a := range w.loads {
		if n := w.stride(a, v); n != 0 && n != 1 {
			out = append(out, a.buf.Name)
		}
	}
	return strings.Join(out, " and ")
}

// tile describes the tile: its extents, its sums, and what of its work is done twice.
func (w reasons) tile() string {
	text := w.extentsText(func(k int) int64 { return w.Tile[k] }, w.Lanes)
	sums := w.sums()
	if w.Matrix {
		return text + w.edges()
	}
	if w.sliding != nil { // those of the results; columns says how many more there are
		sums = w.registers
		for _, t := range w.Tile {
			sums *= t
		}
		sums /= w.Lanes
	}
	text += fmt.Sprintf(": %s in %s, of the %d that may hold sums", plural(sums/w.registers, "sum"), plural(sums, "register"), w.machine.accumulators())
	if w.row < 0 {
		text += "; " + w.withoutRows()
	}
	text += w.edges()
	if w.iters[w.Vector].Kind != tir.DataPar {
		if n, t := w.extent(w.Vector), w.Tile[w.Vector]; n != 0 && n%t != 0 {
			text += fmt.Sprintf("; %d of %d along %s are left over, and are added one by one", n%t, n, w.name(w.Vector))
		}
	}
	return text
}

// edges says what becomes of the ends of extents.
func (w reasons) edges() string {
	text := ""
	for _, k := range w.spatial {
		if e := w.edge(k); e != "" {
			text += "; " + e
		}
	}
	return text
}

// withoutRows says what the size of a tile follows from that no shape of a product was chosen for.
func (w reasons) withoutRows() string {
	switch {
	case w.Lanes == 1:
		return fmt.Sprintf("without vectors up to %d results are computed at a time", mostScalars)
	case w.sliding != nil && w.sliding.k == w.Vector:
		return "lanes are picked of what windows read, in vectors that need registers too"
	case w.sliding != nil:
		return "windows that overlap share columns"
	case w.rowsOver >= 0:
		return "results read the same rows"
	case w.iters[w.Vector].Kind == tir.DataPar:
		return fmt.Sprintf("no element is used for several results, so it is a run of them, as far as there are; with %d sums under way none waits for the one before", w.machine.chains())
	case w.product() && len(w.spatialByUse()) >= 2:
		return "a tile as square as the registers allow reads least"
	}
	return fmt.Sprintf("a result has as many sums as the %s of %s have use for, so that fewer wait for the one before", w.extentText(w.Vector), w.name(w.Vector))
}

// extentText is the extent of a variable, where it is known.
func (w reasons) extentText(k int) string {
	if n := w.extent(k); n != 0 {
		return fmt.Sprint(n)
	}
	return "values"
}

// edge says what becomes of the end of an extent that is tiled, "" of one that is not.
func (w reasons) edge(k int) string {
	n, t := w.extent(k), w.Tile[k]
	switch {
	case t <= 1:
		return ""
	case n == 0 && w.isWhole(k):
		return fmt.Sprintf("the last tile along %s starts earlier, as the extent is at least %d", w.name(k), t)
	case n == 0:
		return fmt.Sprintf("the last tile along %s is cut off", w.name(k))
	case n < t:
		return fmt.Sprintf("%s has %d results: the other lanes neither read nor write", w.name(k), n)
	case n%t == 0:
		return fmt.Sprintf("%d divides the %d of %s", t, n, w.name(k))
	}
	return fmt.Sprintf("%d does not divide the %d of %s: %d results are computed twice", t, n, w.name(k), (n+t-1)/t*t-n)
}

// extentsText describes a tile by its extents: "4 of vi by 2 vectors of 16 lanes of vj".
func (w reasons) extentsText(tile func(k int) int64, lanes int64) string {
	var parts []string
	for _, k := range w.spatial {
		if t := tile(k); t > 1 && k != w.Vector {
			parts = append(parts, fmt.Sprintf("%d of %s", t, w.name(k)))
		}
	}
	if t := tile(w.Vector); lanes > 1 {
		parts = append(parts, fmt.Sprintf("%s of %d lanes of %s", plural(t/lanes, "vector"), lanes, w.name(w.Vector)))
	} else if t > 1 {
		parts = append(parts, fmt.Sprintf("%d of %s", t, w.name(w.Vector)))
	}
	if len(parts) == 0 {
		return "one result"
	}
	return strings.Join(parts, " by ")
}

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// bytes writes a number of bytes with the unit that suits it.
func bytes(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.3g %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", n)
}
