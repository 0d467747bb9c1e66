package interp

import (
	"iter"
	"slices"
)

// thread is one thread of a kernel while it runs: a coroutine, which waits at an operation until the group lets it go on.
//
// Its place in the program is frame.pos: the indices of the statements and the numbers of the iterations that it is in, outermost
// first. Of two threads the one whose position comes first in lexicographic order is behind. A group always lets those go on that are
// furthest behind, so threads that took different branches meet again behind them, and which threads are at one operation together is always the same.
type thread struct {
	fr     *frame
	block  *block
	index  int64  // in its block
	serial uint32 // in the run, from 1 on
	at     *operation
	ended  bool
	left   bool // it ended by thread_return
	warp   uint32

	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	// What an operation takes and gives, one for each value.
	mask      int64
	lane      int64
	mine, got []number
}

// number is an integer or a float.
type number struct {
	i int64
	f float64
}

// operation is a place in the program where threads wait: one for each call, and one for all statements that run one after the other.
type operation struct {
	what    reach
	site    site
	barrier bool
	// meet does what the operation does, for all threads that wait at it together: those of a warp, or of a block.
	meet func(ts []*thread)
}

// reach says which threads an operation brings together.
type reach uint8

const (
	reachStep  reach = iota // whoever is furthest behind
	reachWarp               // those of a warp that are here
	reachBlock              // all of a block
	reachGrid               // all of the kernel
)

// between is where threads wait between two statements that run one after the other.
var between = &operation{what: reachStep}

// block is a running block of threads. Forks inside of a fork have that of the outermost.
type block struct {
	launch *launched
	serial uint32 // that of its first thread
	size   uint32
	epoch  uint32
	warps  []uint32 // the epoch of each warp
	allocs map[allocation]int64
	// unwritten is a read since the last barrier of what no thread has written.
	unwritten *ThreadFault
}

// settle fails if a thread has read what none has written.
func (b *block) settle(fr *frame) {
	if b.unwritten != nil {
		fr.fault(b.unwritten)
	}
}

// launched is a running kernel.
type launched struct {
	first  uint32 // serial number of its first thread
	size   uint32 // threads in a block
	grid   uint32 // epoch
	warp   int64  // threads in a warp
	axes   []axis
	extent []int64 // of axes
}

// stopped unwinds a coroutine whose group has failed.
type stopped struct{}

// start makes a coroutine that runs body.
func (t *thread) start(body stmtFn) {
	t.resume, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(stopped); !ok {
					panic(r)
				}
			}
		}()
		t.yield = yield
		t.left = body(t.fr) == ctlReturn
	})
}

// wait has the thread of fr wait at an operation; outside of threads there is nobody to wait for.
func (fr *frame) wait(o *operation) {
	t := fr.thread
	if t == nil {
		return
	}
	fr.m.step(fr)
	if fr != t.fr { // in a function that the kernel calls
		t.fr.pos = append(t.fr.pos[:0], fr.pos...)
	}
	t.at = o
	if !t.yield(struct{}{}) {
		panic(stopped{})
	}
}

// step waits until all threads have done the statements before this one.
func (fr *frame) step() { fr.wait(between) }

// group runs threads that were forked together.
type group struct {
	m       *machine
	threads []*thread
	outer   *thread // in which they were forked, if any
}

// run runs the threads to their ends.
func (g *group) run() {
	defer func() {
		for _, t := range g.threads {
			if t.stop != nil {
				t.stop()
			}
		}
	}()
	order := slices.Clone(g.threads)
	if g.m.opts.Reversed && g.outer == nil {
		slices.Reverse(order)
	}
	here := make([]*thread, 0, len(order))
	for {
		for _, t := range order {
			if t.at == nil && !t.ended {
				if _, more := t.resume(); !more {
					t.ended = true
				}
			}
		}
		if here = behind(g.threads, here[:0]); len(here) == 0 {
			return
		}
		if g.outer != nil {
			g.letOthersCatchUp(here[0].fr.pos)
		}
		g.meet(here)
		for _, t := range here {
			t.at = nil
		}
	}
}

// letOthersCatchUp lets threads go on that were forked elsewhere and are further behind than pos.
func (g *group) letOthersCatchUp(pos []int64) {
	fr := g.outer.fr
	save := fr.pos
	fr.pos = pos
	fr.step()
	fr.pos = save
}

// behind appends to list those threads that wait and are furthest behind.
func behind(ts, list []*thread) []*thread {
	for _, t := range ts {
		if t.at == nil {
			continue
		}
		c := -1
		if len(list) > 0 {
			c = slices.Compare(t.fr.pos, list[0].fr.pos)
		}
		if c < 0 {
			list = list[:0]
		}
		if c <= 0 {
			list = append(list, t)
		}
	}
	// At one position there is one operation, but where an expression has several: then the order of the threads decides.
	return slices.DeleteFunc(list, func(t *thread) bool { return t.at != list[0].at })
}

// meet performs the operation that the threads wait at.
func (g *group) meet(here []*thread) {
	o := here[0].at
	if o.what == reachStep {
		return
	}
	if o.what == reachGrid {
		g.complete(g.threads, here)
		o.meet(here)
		return
	}
	for len(here) > 0 {
		t := here[0]
		n := slices.IndexFunc(here, func(x *thread) bool {
			return x.block != t.block || o.what == reachWarp && x.warp != t.warp
		})
		if n < 0 {
			n = len(here)
		}
		part := here[:n]
		here = here[n:]
		if o.what == reachBlock || o.barrier {
			g.complete(g.peers(t, o.what), part)
		}
		o.meet(part)
	}
}

// peers returns the threads of the block or the warp of t.
func (g *group) peers(t *thread, what reach) []*thread {
	var out []*thread
	for _, x := range g.threads {
		if x.block == t.block && (what == reachBlock || x.warp == t.warp) {
			out = append(out, x)
		}
	}
	return out
}

// complete fails unless all threads that should be at an operation are: those that left early aside.
func (g *group) complete(all, here []*thread) {
	for _, t := range all {
		if t.ended && t.left || t.at == here[0].at && slices.Equal(t.fr.pos, here[0].fr.pos) {
			continue
		}
		divergent(here[0], t)
	}
}
