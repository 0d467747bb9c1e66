package event

// CodeGenerated lists what the code generator made.
type CodeGenerated struct {
	Target string `json:"target"`
	// Kernels are sorted by name.
	Kernels []Kernel `json:"kernels"`
	// VM is the hash of the listing of the virtual-machine code; may be empty.
	VM string `json:"vm,omitempty"`
	// History is the hash of what the code was made from, as in RunStarted.
	History string `json:"history,omitempty"`
	// Bytes is the size of the generated module in bytes.
	Bytes int64 `json:"bytes"`
}

// Kernel is one generated function.
type Kernel struct {
	Name string `json:"name"`
	// Language is one of the Lang constants.
	Language string `json:"language"`
	// Text is the hash of the readable form of the generated code.
	Text  string `json:"text"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
	// Target is the kind of target that the code is for, and Refused the reason, where the generator for the target of the run did not take the function.
	Target  string `json:"target,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// TypeCodeGenerated is the type of the events that carry a CodeGenerated.
const TypeCodeGenerated Type = "code_generated"

// EventType implements Body.
func (*CodeGenerated) EventType() Type { return TypeCodeGenerated }

func (b *CodeGenerated) fill() { b.Kernels = list(b.Kernels) }

func (b *CodeGenerated) texts(add func(TextRef)) {
	add(TextRef{Hash: b.VM, What: "bytecode"})
	add(TextRef{Hash: b.History})
	for _, k := range b.Kernels {
		add(TextRef{Hash: k.Text, What: "kernel " + k.Name})
	}
}

func (b *CodeGenerated) standalone(name func(string) string) Body {
	c := *b
	c.History, c.VM, c.Kernels = "", name(b.VM), append([]Kernel{}, b.Kernels...)
	for i := range c.Kernels {
		c.Kernels[i].Text = name(c.Kernels[i].Text)
	}
	return &c
}

func (b *CodeGenerated) apply(r *Run, e Event) {
	r.Code, r.CodegenTime, r.Generated.Seq = b, e.measured().Total, e.Seq
	r.history(r.Generated, b.History)
	for _, k := range b.Kernels {
		r.putCode(k.Name, k.Text, k.Lines)
	}
	if b.VM != "" {
		r.putCode(VMFunction, b.VM, 0)
	}
}
