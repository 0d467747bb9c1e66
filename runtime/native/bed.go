package native

import "sync/atomic"

// bed is where a goroutine sleeps, always the same one. It lies down, looks once more whether there is something to do, and rises or sleeps.
type bed struct {
	lies  atomic.Bool // nobody has begun to wake it since it lay down
	woken chan struct{}
}

func newBed() bed { return bed{woken: make(chan struct{}, 1)} }

// lie says that the goroutine will sleep: from now on a wake counts.
func (b *bed) lie() { b.lies.Store(true) }

// rise reports whether the goroutine stays awake. If not, somebody wakes it: it must sleep, which will be short.
func (b *bed) rise() bool { return b.lies.CompareAndSwap(true, false) }

// sleep returns after a wake.
func (b *bed) sleep() { <-b.woken }

// wake wakes the goroutine if it lies. One that does not costs a load.
func (b *bed) wake() {
	if b.lies.Load() && b.lies.CompareAndSwap(true, false) {
		b.woken <- struct{}{}
	}
}
