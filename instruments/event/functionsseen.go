package event

// FunctionsSeen lists functions whose text a log of a dump learns without a pass that made it: the dump shows them for the first time,
// or in another state than it left them in, and does not say since when. A log of our own compiler has none.
type FunctionsSeen struct {
	// Functions are sorted by name; one without a text is no longer part of the module.
	Functions []Function `json:"functions"`
}

// TypeFunctionsSeen is the type of the events that carry a FunctionsSeen.
const TypeFunctionsSeen Type = "functions_seen"

// EventType implements Body.
func (*FunctionsSeen) EventType() Type { return TypeFunctionsSeen }

func (b *FunctionsSeen) fill() { b.Functions = list(b.Functions) }

func (b *FunctionsSeen) texts(add func(TextRef)) {
	for _, f := range b.Functions {
		add(TextRef{Hash: f.Text})
	}
}

func (b *FunctionsSeen) standalone(name func(string) string) Body {
	c := FunctionsSeen{append([]Function{}, b.Functions...)}
	for i := range c.Functions {
		c.Functions[i].Text = name(c.Functions[i].Text)
	}
	return &c
}

// apply counts the texts as imported: no step made them.
func (b *FunctionsSeen) apply(r *Run, _ Event) {
	for _, f := range b.Functions {
		r.put(r.Import, f)
	}
}
