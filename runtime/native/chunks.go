package native

import "time"

// How a forked loop is cut: a chunk has a part of what is left to a thread (after guided self-scheduling: Polychronopoulos and Kuck, 1987), so that threads end at about the same time,
// and one that is late has little left, but so much work that cutting costs nothing.
const (
	chunksPerThread = 4
	// leastChunk is how long a chunk takes at least, and leastShare what a thread takes part for: to hand it over, and to hear that it is done, takes 0.3 µs, a chunk half of that.
	leastChunk = 8 * time.Microsecond
	leastShare = 2 * time.Microsecond
	// leastWork is how many simple operations a chunk has while nothing is known of the time that they take: tens of microseconds, a few in a product of vectors.
	leastWork = 1 << 18
)

// timedLoop is a forked loop of a kernel, and how long its turns take: a simple operation in one takes a hundred times as long as in another.
type timedLoop struct {
	body int     // the entry of its chunks
	turn float64 // nanoseconds, 0 until the loop was timed
	runs int
}

// Clocks take a tenth of a microsecond. So a loop is timed when it is new, and now and then.
const (
	timedRuns = 8
	timeEvery = 8
)

// timed reports whether the run of the loop that begins is to be timed.
func (l *timedLoop) timed() bool {
	l.runs++
	return l.runs <= timedRuns || l.runs%timeEvery == 0
}

// took notes how long some turns took. A thread may have stood still meanwhile.
func (l *timedLoop) took(turns int64, d time.Duration) {
	if turns <= 0 {
		return
	}
	t := max(float64(d)/float64(turns), 0.01)
	switch {
	case l.turn == 0:
		l.turn = t
	case t < l.turn:
		l.turn = (l.turn + t) / 2
	default:
		l.turn += min(t-l.turn, l.turn) / 4
	}
}

// least is how many turns a chunk has at least, and the share of a thread, if a turn has cost simple operations.
func (l *timedLoop) least(cost int64) (chunk, share int64) {
	if l.turn == 0 {
		n := (leastWork-1)/max(cost, 1) + 1
		return n, n
	}
	return int64(float64(leastChunk)/l.turn) + 1, int64(float64(leastShare)/l.turn) + 1
}

// cut is where the chunks of a loop end, counted in its turns, and how many chunks there are up to those of each thread.
type cut struct {
	ends  []int64
	until []int
}

// cut cuts a loop of at least one turn into chunks, and keeps its memory. A thread has the same part of each loop, as far as it is done with it in time: what loops read is what
// others wrote, and the caches of other cores are far.
func (c *cut) cut(turns, chunk, share int64, threads int) {
	c.ends, c.until = c.ends[:0], c.until[:0]
	n := min(int64(threads), max(1, turns/max(share, 1)))
	at := int64(0)
	for i := range n {
		till := turns * (i + 1) / n
		for at < till {
			left := till - at
			size := max(left/chunksPerThread, chunk, 1)
			if n == 1 || left-size < chunk {
				size = left
			}
			at += size
			c.ends = append(c.ends, at)
		}
		c.until = append(c.until, len(c.ends))
	}
}
