package dumps

// A compiler may work on several functions at once, as MLIR does: its dumps from before and after the passes on one function come between
// those on another. While a pass on one function is open, the dumps of other functions wait until it has ended, so that each step is
// told as a whole. No more wait than maxHeld: then the end of the pass is taken to be missing.
type threads struct {
	// some tells that the compiler may use threads.
	some  bool
	held  []*dump
	bytes int
}

// maxHeld is how many dumps wait at most; together they take no more than maxBody bytes.
const maxHeld = 4096

// elsewhere tells whether a dump is about another function than the pass that is open.
func (t *timeline) elsewhere(d *dump) bool {
	on := t.busyWith()
	return t.threads.some && on != "" && d.group != "" && d.group != on && d.when != start
}

// busyWith returns the function that the innermost open pass was given; empty where none is open, or one that works on more.
func (t *timeline) busyWith() string {
	if len(t.open) == 0 {
		return ""
	}
	return t.open[len(t.open)-1].function
}

// hold has a dump wait.
func (t *timeline) hold(d *dump) error {
	h := &t.threads
	h.held = append(h.held, d.clone())
	for _, x := range d.texts {
		h.bytes += len(x.body)
	}
	if len(h.held) <= maxHeld && h.bytes <= maxBody {
		return nil
	}
	if err := t.lost(); err != nil {
		return err
	}
	return t.release()
}

// release takes the dumps that wait, up to the next pass that is open on one function; those of others wait on. The first that waits is
// always taken, so it ends.
func (t *timeline) release() error {
	for len(t.threads.held) > 0 && t.busyWith() == "" {
		list := t.threads.held
		t.threads.held, t.threads.bytes = nil, 0
		for _, d := range list {
			if t.elsewhere(d) {
				t.threads.held = append(t.threads.held, d)
				for _, x := range d.texts {
					t.threads.bytes += len(x.body)
				}
				continue
			}
			if err := t.step(d); err != nil {
				return err
			}
		}
	}
	return nil
}
