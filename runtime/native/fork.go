package native

import (
	"errors"
	"sync"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// How a forked loop is cut: a chunk has a part of what is left to a thread (after guided self-scheduling: Polychronopoulos and Kuck, 1987), so that threads end at about the same time,
// and one that is late has little left, but so much work that cutting costs nothing.
const (
	chunksPerThread = 4
	leastChunk      = 1 << 18 // simple operations: tens of microseconds, a few in a product of vectors
)

// fork runs the turns of a loop that the main thread of the device asks to run, in chunks, and returns the entry at which the kernel goes on. Which error it returns does
// not depend on the number of threads: that of the first chunk that fails counts, and all before it run to their ends.
func (k *kernel) fork(s *runtime.Session) (next int, err error) {
	d, pool := k.lib.on, k.lib.mod.loader.pool
	f := &d.main.frame
	body := f.entry()
	from, till := int32(f.word(0)), int32(f.word(1))
	cost, local := int64(uint32(f.word(2))), f.word(2)>>32
	if from >= till || local > LocalBytes {
		return 0, errors.New("the kernel forks a loop without turns, or with too large local arrays")
	}
	ends, until := chunks(int64(till)-int64(from), cost, pool.threads)
	n := len(ends)
	areas := uint32(0)
	if n > 1 && local > 0 {
		if areas, err = d.dev.Alloc(uint64(pool.threads-1) * LocalBytes); err != nil {
			ends, until, n = ends[n-1:], []int{1}, 1 // memory is short: one thread needs no more
		} else {
			defer d.dev.Free(areas)
		}
	}
	run := func(t *thread, area uint64, c int) (int, error) {
		begin := int64(0)
		if c > 0 {
			begin = ends[c-1]
		}
		t.frame.put(FromAt, uint64(uint32(int64(from)+begin)))
		t.frame.put(TillAt, uint64(uint32(int64(from)+ends[c])))
		t.frame.put(LocalAt, area)
		return k.run(s, t, body, true)
	}
	own := uint64(abi.StackAddr + abi.StackBytes - LocalBytes)
	if n == 1 {
		return run(&d.main, own, 0)
	}
	j := &joint{first: n}
	helpers := d.helpers(pool.threads - 1)
	ready := make([]bool, pool.threads) // by thread, whether it has the frame
	d.forked = *f
	d.main.pace.Rest()
	budget := d.main.pace.Budget
	pool.run(until, func(thread, c int) {
		if j.over(c) {
			return
		}
		t, area := &d.main, own
		if thread > 0 {
			t, area = helpers[thread-1], uint64(areas)+uint64(thread-1)*LocalBytes
		}
		t.frame = d.forked // places in it are taken again: a chunk before this one changed them
		if thread > 0 && !ready[thread] {
			t.begin(budget)
			ready[thread] = true
		}
		t.frame.setBudget(t.pace.Budget)
		to, err := run(t, area, c)
		if c == 0 {
			next = to
		}
		j.ended(c, err)
	})
	for _, t := range helpers {
		t.workspaces.FreeAll()
	}
	d.main.pace.Rest() // it may have waited
	return next, j.err
}

// chunks returns where the chunks of a loop end, counted in its turns, of which each has cost simple operations, and how many chunks there are up to those of each thread. A
// thread has the same part of each loop, as far as it is done with it in time: what loops read is what others wrote, and the caches of other cores are far.
func chunks(turns, cost int64, threads int) (ends []int64, until []int) {
	least := (leastChunk-1)/max(cost, 1) + 1 // turns of a chunk
	n := min(int64(threads), max(1, turns/least))
	at := int64(0)
	for i := range n {
		till := turns * (i + 1) / n
		for at < till {
			left := till - at
			size := max(left/chunksPerThread, least)
			if n == 1 || left-size < least {
				size = left
			}
			at += size
			ends = append(ends, at)
		}
		until = append(until, len(ends))
	}
	return ends, until
}

// joint is the first failure of chunks that run at once.
type joint struct {
	mu    sync.Mutex
	first int // the first chunk that failed
	err   error
}

// over reports whether a chunk need not run, as one before it failed.
func (j *joint) over(c int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return c > j.first
}

// ended notes how a chunk ended.
func (j *joint) ended(c int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && c < j.first {
		j.first, j.err = c, err
	}
}
