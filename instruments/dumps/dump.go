package dumps

import (
	"bytes"
	"slices"

	"github.com/irscope/irscope/instruments/event"
)

// when says where a dump was made.
type when int

const (
	after when = iota
	before
	start // before any pass
)

// effect is what a dump itself says of a pass, beside the texts.
type effect int

const (
	shown      effect = iota // the texts tell
	omitted                  // nothing is printed because nothing changed
	hidden                   // nothing is printed for another reason, in dump.reason
	notRun                   // the pass did not run, because of dump.reason
	failed                   // the pass failed; the texts are what it left
	invalidate               // what it ran on is gone
)

// text is one function, or what a module has besides.
type text struct {
	name, kind, lang string
	body             []byte
	// part tells that this is a part of function of, such as a loop, which goes when the whole of it is printed.
	part bool
	of   string
}

// clone returns a copy whose texts are its own.
func (d *dump) clone() *dump {
	c := *d
	c.texts, c.own = cloneTexts(d.texts), cloneTexts(d.own)
	return &c
}

func cloneTexts(list []text) []text {
	out := slices.Clone(list)
	for i := range out {
		out[i].body = bytes.Clone(out[i].body)
	}
	return out
}

// dump is one print of a compiler: which pass, and what the IR was there.
type dump struct {
	when   when
	effect effect
	reason string
	// name and title are the short and the full name of the pass, on is what it ran on as the dump calls it.
	name, title, on string
	kind            event.PassKind
	// group is the sequence that the step belongs to: the function that several passes in a row work on. Empty is none.
	group string
	texts []text
	// whole tells that the texts are all that the module has: functions that are missing are gone.
	whole bool
	// own tells that the dump has the text before each text, in the same order, as where it prints a difference.
	own []text
	// broken says why the texts are not complete, such as a dump that was cut; they are not used then.
	broken string
	// fresh tells that another module begins here, as where several files are compiled one after the other.
	fresh bool
	// same tells of a dump from before a pass that the module is as it was last.
	same bool
	// within is the pass that made the dump while it worked, outer that no pass is open around this one.
	within string
	outer  bool
	// took is the time of the pass in nanoseconds, 0 where the dump does not tell.
	took int64
	line int
}
