package native

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// pool is goroutines, each on a thread of the system, that run the parts of a job together with the goroutine that has the job. The kernels of a model follow each other within
// microseconds, and to wake a thread takes longer: so threads look for the next job for a while before they sleep.
//
// Jobs come one after the other: whoever finds the pool busy works alone. A job takes no memory from Go. Where threads of different cores look, things lie a line apart.
type pool struct {
	threads int // that of whoever has the job included

	busy    sync.Mutex // held by whoever has the job
	workers []*worker
	closed  bool

	// The job. A thread that took a part may call f: the job does not end before the call has.
	f     func(thread, part int)
	own   []span // parts by thread: each takes those of others when it has none, the last ones, which whoever has them would do last
	ended chan struct{}
	_     line
	jobs  atomic.Uint64 // how many there were: what threads look at
	_     line
	left  atomic.Int64 // parts that are not done
	waits atomic.Bool  // whoever has the job sleeps until ended
	_     line
}

// line keeps what lies before it and behind it in different lines of the caches.
type line [64]byte

// patience is for how long a thread looks before it sleeps: it takes some hundred microseconds to wake, and longer than one forked loop often lasts.
const patience = time.Millisecond

// looking says how long a thread has looked for something, which it asks the clock for now and then.
type looking struct {
	n     int
	since time.Time
}

// on waits a moment and reports whether to look again.
func (l *looking) on() bool {
	if l.n++; l.n%64 == 0 {
		switch now := time.Now(); {
		case l.n == 64:
			l.since = now
		case now.Sub(l.since) > patience:
			return false
		}
	}
	pause()
	return true
}

// worker is one goroutine.
type worker struct {
	bed  bed
	ends atomic.Bool
}

// span is parts that nobody has taken: from the lower 32 bits to before the upper ones.
type span struct {
	atomic.Uint64
	_ [56]byte
}

// take takes the first part, or the last one.
func (s *span) take(last bool) (part int, ok bool) {
	for {
		v := s.Load()
		from, till := v&(1<<32-1), v>>32
		if from == till {
			return 0, false
		}
		part = int(from)
		if last {
			till--
			part = int(till)
		} else {
			from++
		}
		if s.CompareAndSwap(v, till<<32|from) {
			return part, true
		}
	}
}

func newPool(threads int) *pool {
	return &pool{threads: threads, own: make([]span, threads), ended: make(chan struct{}, 1)}
}

// run calls f for each part, from several threads, and returns when all calls have. Thread 0 is the caller; a thread makes one call at a time. Thread i begins with
// the parts behind those of the thread before it up to ends[i].
func (p *pool) run(ends []int, f func(thread, part int)) {
	if p.threads == 1 || !p.busy.TryLock() {
		alone(ends, f)
		return
	}
	defer p.busy.Unlock()
	if p.closed { // its threads may not have seen it yet
		alone(ends, f)
		return
	}
	if p.workers == nil {
		p.begin()
	}
	p.f = f
	p.left.Store(int64(ends[len(ends)-1]))
	begin := 0
	for i, end := range ends { // from here on parts are taken, by a thread that is late for the job before, too
		p.own[i].Store(uint64(end)<<32 | uint64(begin))
		begin = end
	}
	p.jobs.Add(1)
	p.wake()
	p.work(0)
	for l := (looking{}); p.left.Load() > 0; {
		if l.on() {
			continue
		}
		p.waits.Store(true)
		if p.left.Load() > 0 || !p.waits.CompareAndSwap(true, false) {
			<-p.ended
		}
	}
	p.f = nil
}

// evenly divides parts among threads, for run.
func evenly(parts, threads int) (ends []int) {
	for i := range threads {
		ends = append(ends, parts*(i+1)/threads)
	}
	return ends
}

// rouse wakes threads for jobs that will come soon.
func (p *pool) rouse() {
	if p.busy.TryLock() {
		p.wake()
		p.busy.Unlock()
	}
}

// wake wakes the threads that sleep. Whoever calls it holds busy.
func (p *pool) wake() {
	for _, w := range p.workers {
		w.bed.wake()
	}
}

// alone makes every call on the goroutine that asks.
func alone(ends []int, f func(thread, part int)) {
	for i := range ends[len(ends)-1] {
		f(0, i)
	}
}

// work takes parts until there are none.
func (p *pool) work(thread int) {
	for i := range p.own {
		for {
			part, ok := p.own[(thread+i)%len(p.own)].take(i > 0)
			if !ok {
				break
			}
			p.f(thread, part)
			if p.left.Add(-1) == 0 && p.waits.CompareAndSwap(true, false) {
				p.ended <- struct{}{}
			}
		}
	}
}

// begin starts the goroutines.
func (p *pool) begin() {
	for i := 1; i < p.threads; i++ {
		w := &worker{bed: newBed()}
		p.workers = append(p.workers, w)
		go p.serve(w, i)
	}
}

// serve takes part in one job after the other.
func (p *pool) serve(w *worker, thread int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	last := uint64(0)
	for l := (looking{}); ; {
		if n := p.jobs.Load(); n != last {
			last = n
			p.work(thread)
			l = looking{}
		}
		if l.on() {
			continue
		}
		l = looking{}
		w.bed.lie()
		if p.jobs.Load() == last && !w.ends.Load() || !w.bed.rise() {
			w.bed.sleep()
		}
		if w.ends.Load() {
			return
		}
	}
}

// close ends the goroutines. No job may be under way; those that come run alone.
func (p *pool) close() {
	p.busy.Lock()
	defer p.busy.Unlock()
	p.closed = true
	for _, w := range p.workers {
		w.ends.Store(true)
		w.bed.wake()
	}
	p.workers = nil
}
