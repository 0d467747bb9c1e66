package fromir

import (
	"slices"
	"unsafe"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/history"
)

// tabler fills the tables of one step after the other, in memory that is kept.
type tabler struct {
	origins *ir.Origins
	roots   map[ir.OriginID][]uint32 // as in Recorder
	step    *history.Step
	names   map[string]int
	recent  [recentNames]recentName
	loops   map[loop]int
	sets    []originSet          // by origin
	turn    uint32               // number of the step; what sets holds of others does not count
	rows    history.Rows         // of the function at work, which gets a copy
	around  []scope              // the lines that the one at work is indented under
	ports   map[*tir.Buffer]bool // its parameters
	line    int
	unknown int // values of the function at work without an origin
}

// loop is what the text says of a loop.
type loop struct {
	kind   tir.ForKind
	extent int64 // -1 if it is not known
}

const (
	recentBits  = 9
	recentNames = 1 << recentBits
)

// recentName is a name that was looked up in this step. Most names are those of nodes, each of which stands in many lines: then the same
// memory is the same name.
type recentName struct {
	data   *byte
	length int // and 1: an entry of 0 is none
	number int
}

// originSet is the number in step.Sets of the roots of an origin, -1 if it has none.
type originSet struct {
	turn uint32
	set  int32
}

// scope is a line that others are indented under.
type scope struct {
	indent int
	origin ir.OriginID
}

// tablerFor returns the tabler of r for another step.
func (r *Recorder) tablerFor(origins *ir.Origins, step *history.Step) *tabler {
	t := &r.tabler
	if t.names == nil {
		t.names, t.loops, t.ports = map[string]int{}, map[loop]int{}, map[*tir.Buffer]bool{}
	}
	step.Names = make([]string, 0, len(t.names)) // a step has about as many as the one before
	clear(t.names)
	clear(t.recent[:])
	clear(t.loops)
	clear(t.ports)
	if t.turn++; t.turn == 0 { // around once: what is old must not look new
		clear(t.sets)
		t.turn = 1
	}
	if n := origins.Len() + 1; n > len(t.sets) {
		t.sets = append(t.sets, make([]originSet, n-len(t.sets))...)
	}
	t.sets[0] = originSet{t.turn, -1}
	t.origins, t.roots, t.step = origins, r.roots, step
	return t
}

func (t *tabler) name(s string) int {
	data := unsafe.StringData(s)
	// The upper bits of the product depend on all of the address, whose lowest are 0.
	r := &t.recent[uint64(uintptr(unsafe.Pointer(data)))*0x9e3779b97f4a7c15>>(64-recentBits)]
	if r.data != data || r.length != len(s)+1 {
		*r = recentName{data, len(s) + 1, t.number(s)}
	}
	return r.number
}

// number is name without the memory of recent ones.
func (t *tabler) number(s string) int {
	i, ok := t.names[s]
	if !ok {
		i = len(t.step.Names)
		t.names[s] = i
		t.step.Names = append(t.step.Names, s)
	}
	return i
}

// add appends a row, unless nothing is known of where it came from.
func (t *tabler) add(kind history.Kind, name, op string, origin ir.OriginID) {
	if set := t.set(origin); set >= 0 {
		t.rows = append(t.rows, history.Row{Line: t.line, Kind: kind, Name: t.name(name), Op: t.name(op), Set: set})
	}
}

// addLoop is add for a loop. There are many, of few kinds.
func (t *tabler) addLoop(f *tir.For, origin ir.OriginID) {
	set := t.set(origin)
	if set < 0 {
		return
	}
	name, n := t.name(f.LoopVar.Name), int64(-1)
	if x, ok := tir.AsInt(f.Extent); ok && x >= 0 {
		n = x
	}
	op, ok := t.loops[loop{f.Kind, n}]
	if !ok || n < 0 {
		op = t.name(loopKind(f.Kind) + " " + extent(f.Extent))
		t.loops[loop{f.Kind, n}] = op
	}
	t.rows = append(t.rows, history.Row{Line: t.line, Kind: history.Loop, Name: name, Op: op, Set: set})
}

// set returns the number of the roots of an origin, -1 if it has none.
func (t *tabler) set(origin ir.OriginID) int {
	if int(origin) >= len(t.sets) {
		return -1 // the table does not know it
	}
	s := &t.sets[origin]
	if s.turn != t.turn {
		*s = originSet{t.turn, int32(t.addSet(t.rootsOf(origin)))}
	}
	return int(s.set)
}

// addSet returns the number of a new set, -1 if it is empty.
func (t *tabler) addSet(set []uint32) int {
	if len(set) == 0 {
		return -1
	}
	t.step.Sets = append(t.step.Sets, set)
	return len(t.step.Sets) - 1
}

// rootsOf returns the roots of an origin, ascending.
func (t *tabler) rootsOf(id ir.OriginID) []uint32 {
	set, ok := t.roots[id]
	if !ok {
		for _, r := range t.origins.Roots(id) {
			set = append(set, uint32(r))
		}
		slices.Sort(set)
		t.roots[id] = set
	}
	return set
}

// union returns the roots of several origins, ascending.
func (t *tabler) union(ids []ir.OriginID) []uint32 {
	slices.Sort(ids)
	var set []uint32
	for _, id := range slices.Compact(ids) {
		set = append(set, t.rootsOf(id)...)
	}
	slices.Sort(set)
	return slices.Compact(set)
}
