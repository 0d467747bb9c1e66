package native

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// forked is the loop whose turns the threads of a device run. It takes no memory from Go once it has some.
type forked struct {
	k     *kernel
	s     *runtime.Session
	frame Frame // as it was at the fork
	body  int
	from  int64
	cut   cut
	loop  *timedLoop
	joint joint
	next  int // where chunk 0 says that the kernel goes on

	areas  uint32 // for local arrays of the helpers
	begun  []bool // by helper, whether it has a chunk
	budget uint32
	turns  int64 // that the main thread ran
	part   func(thread, chunk int)
}

// fork runs the turns of a loop that the main thread of the device asks to run, in chunks, and returns the entry at which the kernel goes on. Which error it returns does
// not depend on the number of threads: that of the first chunk that fails counts, and all before it run to their ends.
func (k *kernel) fork(s *runtime.Session) (next int, err error) {
	d, pool := k.lib.on, k.lib.mod.loader.pool
	j, f := &d.forked, &d.main.frame
	from, till := int64(int32(f.word(0))), int64(int32(f.word(1)))
	cost, local := int64(uint32(f.word(2))), f.word(2)>>32
	if from >= till || local > LocalBytes {
		return 0, errors.New("the kernel forks a loop without turns, or with too large local arrays")
	}
	j.k, j.s, j.body, j.from, j.loop, j.turns = k, s, f.entry(), from, k.loopAt(f.entry()), 0
	chunk, share := j.loop.least(cost)
	j.cut.cut(till-from, chunk, share, pool.threads)
	shared := len(j.cut.until) > 1
	j.areas = 0
	if shared && local > 0 {
		if j.areas, err = d.dev.Alloc(uint64(pool.threads-1) * LocalBytes); err != nil {
			j.cut.cut(till-from, chunk, share, 1) // memory is short: one thread needs no more
			shared = false
		} else {
			defer d.dev.Free(j.areas)
		}
	}
	timed := pool.threads > 1 && j.loop.timed() // one thread has one chunk, however long it takes
	var start time.Time
	if timed {
		start = time.Now()
	}
	if shared {
		next, err = j.share(d, pool)
	} else {
		next, err = j.run(&d.main, mainArea, 0)
	}
	if timed && err == nil {
		j.loop.took(j.turns, time.Since(start))
	}
	return next, err
}

// mainArea is where local arrays of chunks lie that the main thread runs.
const mainArea = uint64(abi.StackAddr + abi.StackBytes - LocalBytes)

// share runs the chunks by several threads.
func (j *forked) share(d *device, pool *pool) (next int, err error) {
	helpers := d.helpers(pool.threads - 1)
	if j.part == nil {
		j.begun = make([]bool, pool.threads-1)
		j.part = func(thread, chunk int) {
			if j.joint.over(chunk) {
				return
			}
			t, area := &d.main, mainArea
			if thread > 0 {
				t, area = d.others[thread-1], uint64(j.areas)+uint64(thread-1)*LocalBytes
			}
			to, err := j.chunk(t, area, chunk, thread)
			if chunk == 0 {
				j.next = to
			}
			j.joint.ended(chunk, err)
		}
	}
	clear(j.begun)
	j.joint.begin(len(j.cut.ends))
	j.frame.as(&d.main.frame, j.k.lib.mod.code.Frame())
	d.main.pace.Rest()
	j.budget = d.main.pace.Budget
	pool.run(j.cut.until, j.part)
	for _, t := range helpers {
		t.workspaces.FreeAll()
	}
	d.main.pace.Rest() // it may have waited
	return j.next, j.joint.err
}

// chunk runs a chunk in the frame of a thread, which has that of the fork: places in it are taken again, and a chunk before this one changed them.
func (j *forked) chunk(t *thread, area uint64, c, thread int) (next int, err error) {
	t.frame.as(&j.frame, j.k.lib.mod.code.Frame())
	if thread > 0 && !j.begun[thread-1] {
		t.begin(j.budget)
		j.begun[thread-1] = true
	}
	t.frame.setBudget(t.pace.Budget)
	return j.run(t, area, c)
}

// run runs a chunk.
func (j *forked) run(t *thread, area uint64, c int) (next int, err error) {
	begin, end := int64(0), j.cut.ends[c]
	if c > 0 {
		begin = j.cut.ends[c-1]
	}
	t.frame.put(FromAt, uint64(uint32(j.from+begin)))
	t.frame.put(TillAt, uint64(uint32(j.from+end)))
	t.frame.put(LocalAt, area)
	if t == &j.k.lib.on.main {
		j.turns += end - begin
	}
	return j.k.run(j.s, t, j.body, true)
}

// loopAt is the loop whose chunks begin at an entry.
func (k *kernel) loopAt(body int) *timedLoop {
	for _, l := range k.loops {
		if l.body == body {
			return l
		}
	}
	l := &timedLoop{body: body}
	k.loops = append(k.loops, l)
	return l
}

// as makes the frame like another one, of which code may touch some bytes.
func (f *Frame) as(g *Frame, bytes int) {
	*(*[LocalAt / 8]uint64)(f.Arg[:]) = *(*[LocalAt / 8]uint64)(g.Arg[:])
	copy(f.Room[:], g.Room[:max(bytes, RoomAt)-frozen])
}

// joint is the first failure of chunks that run at once.
type joint struct {
	first atomic.Int64 // the first chunk that failed
	mu    sync.Mutex
	err   error
}

// begin is before n chunks.
func (j *joint) begin(n int) {
	j.first.Store(int64(n))
	j.err = nil
}

// over reports whether a chunk need not run, as one before it failed.
func (j *joint) over(c int) bool { return int64(c) > j.first.Load() }

// ended notes how a chunk ended.
func (j *joint) ended(c int, err error) {
	if err == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if int64(c) < j.first.Load() {
		j.first.Store(int64(c))
		j.err = err
	}
}
