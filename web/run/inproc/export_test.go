package inproc

import "time"

// Remembered returns the bytes that are kept of earlier runs.
func (r *Runner) Remembered() int64 { return r.memory.Used() }

// Forget drops what is kept of earlier runs, as a restart does.
func (r *Runner) Forget() { r.memory = newMemory(DefaultReuse) }

// FixedFor sets the time that code for fixed sizes may take.
func (r *Runner) FixedFor(d time.Duration) { r.fixedFor = d }
