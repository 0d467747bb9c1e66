package sch

// Watcher is called for each instruction of a schedule in place of making it: do makes it, and returns its error, which the instruction has in
// the end whatever the watcher makes of it.
type Watcher func(c *Call, do func() error) error

// Watch has w called for each instruction from now on; nil is nobody. Copies of the schedule are not watched. An instruction that looks up
// blocks by their names makes others, of which the watcher does not hear.
func (s *Schedule) Watch(w Watcher) { s.watcher = w }

// do makes an instruction, under the eyes of the watcher if there is one.
func (s *Schedule) do(c *Call) (out []any, err error) {
	w := s.watcher
	if w == nil {
		return s.perform(c)
	}
	s.watcher = nil
	defer func() { s.watcher = w }()
	if err := w(c, func() error { out, err = s.perform(c); return err }); err != nil {
		return nil, err
	}
	return out, err
}

// Teller spells the calls of a schedule one after the other, with the names that references have in traces.
type Teller struct{ n names }

// Call returns a call that is about to be made, as Python without its results: "sch.split(loop=l1, factors=[None, 32])".
func (t *Teller) Call(c *Call) string {
	if t.n == nil {
		t.n = names{}
	}
	if len(c.Args) != len(c.Kind.Params) {
		return "sch." + c.Kind.Method + "(...)"
	}
	return (&Instruction{Call: c}).text(t.n)
}

// Made returns an instruction of a trace with the names of its results, which later calls use.
func (t *Teller) Made(i *Instruction) string {
	if t.n == nil {
		t.n = names{}
	}
	return i.text(t.n)
}
