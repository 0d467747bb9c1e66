package event

// PassFinished says what a pass did to the module.
type PassFinished struct {
	Name string `json:"name"`
	// Changed tells whether the pass returned a different module.
	Changed bool `json:"changed"`
	// Unknown says why a dump does not tell what the pass did; empty where that is known. Changed is false then, and Functions are what
	// differs between what the dump has from before and from after the pass, which need not be the work of this pass alone.
	Unknown string `json:"unknown,omitempty"`
	// Module is the hash of the module after the pass.
	Module string `json:"module"`
	// Functions lists the functions that differ, sorted by size of change,
	// largest first, then by name. Functions that are the same are not listed.
	Functions []FunctionChange `json:"functions"`
	// Same counts the functions that are the same.
	Same int `json:"same"`
	// Added and Removed count lines over all functions, Renamed and Moved the
	// pairs of them that FunctionChange describes.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Renamed int `json:"renamed,omitempty"`
	Moved   int `json:"moved,omitempty"`
	// AttrsBefore and AttrsAfter are the printed module attributes that differ.
	AttrsBefore map[string]string `json:"attrs_before,omitempty"`
	AttrsAfter  map[string]string `json:"attrs_after,omitempty"`
	// Metrics are those of the module after the pass.
	Metrics *Metrics `json:"metrics,omitempty"`
	// History is the hash of what became of values in this step, as in RunStarted.
	History string `json:"history,omitempty"`
	// Rewrites counts what the pass reported of its work, where that is recorded and there was anything.
	Rewrites *RewriteCounts `json:"rewrites,omitempty"`
	// Truncated tells that hunks of some function were left out.
	Truncated bool `json:"truncated,omitempty"`
}

// TypePassFinished is the type of the events that carry a PassFinished.
const TypePassFinished Type = "pass_finished"

// EventType implements Body.
func (*PassFinished) EventType() Type { return TypePassFinished }

func (b *PassFinished) fill() { b.Functions = list(b.Functions) }

func (b *PassFinished) texts(add func(TextRef)) {
	add(TextRef{Hash: b.History})
	if b.Rewrites != nil {
		add(TextRef{Hash: b.Rewrites.Text})
	}
	for _, f := range b.Functions {
		add(TextRef{Hash: f.Before})
		add(TextRef{Hash: f.After, Base: f.Before})
	}
}

func (b *PassFinished) brief() Body {
	c := *b
	c.Functions = make([]FunctionChange, len(b.Functions))
	for i, f := range b.Functions {
		f.Hunks = nil
		c.Functions[i] = f
	}
	return &c
}

func (b *PassFinished) standalone(name func(string) string) Body {
	c := b.brief().(*PassFinished)
	c.History, c.Module = "", ""
	for i := range c.Functions {
		f := &c.Functions[i]
		f.Before, f.After = name(f.Before), name(f.After)
	}
	if b.Rewrites != nil {
		counts := *b.Rewrites
		counts.Text = name(counts.Text)
		c.Rewrites = &counts
	}
	return c
}

func (b *PassFinished) size() int64 {
	n := int64(0)
	for _, f := range b.Functions {
		n += 256
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				n += int64(len(l)) + 16
			}
		}
	}
	return n
}

func (b *PassFinished) apply(r *Run, e Event) {
	s := r.end(e, b.Name, 0, RoleOptional, PassModule)
	for _, f := range b.Functions {
		if f.Change == FunctionRemoved {
			f.After = ""
		}
		r.put(s, Function{Name: f.Name, Kind: f.Kind, Text: f.After, Lines: f.LinesAfter, Metrics: f.Metrics})
	}
	s.Finished, s.Status, s.changes = b, StepSame, len(r.Changes)
	switch {
	case b.Unknown != "":
		s.Status, s.Text = StepUnknown, b.Unknown
		r.Unknown++
	case b.Changed:
		s.Status = StepChanged
		r.Changed++
	default:
		r.Same++
	}
	if e.Reused {
		r.Reused++
	}
	r.history(s, b.History)
	at := e.measured().At
	if at == 0 {
		at = s.At + s.Measured.Total
	}
	r.lane(s, b.Metrics, at)
}
