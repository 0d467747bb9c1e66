package event

// RunStarted opens every log: the module as imported and what is about to run.
type RunStarted struct {
	// Model is the name of the source as the user knows it.
	Model string `json:"model"`
	// Target is the printed target, such as "wasm".
	Target string `json:"target"`
	// OptLevel is the optimisation level of the pass context, 0 to 4.
	OptLevel int `json:"opt_level"`
	// Pipeline names the pipeline, or is "custom" for an explicit list of steps.
	Pipeline string `json:"pipeline"`
	// Module is the hash of the imported module, see HashModule.
	Module string `json:"module"`
	// Functions lists all functions of the imported module, sorted by name.
	Functions []Function `json:"functions"`
	// Attrs are the module attributes, printed.
	Attrs map[string]string `json:"attrs,omitempty"`
	// Metrics are those of the imported module.
	Metrics *Metrics `json:"metrics,omitempty"`
	// History is the hash of where the values of the module come from, see package history;
	// absent where it is not recorded.
	History string `json:"history,omitempty"`
	// Plan lists the steps that the pipeline holds, in order, parents first. A
	// page draws its tree from it before the first pass has run. Steps that a
	// pass starts inside itself are not planned; they appear when they start.
	Plan []PlanStep `json:"plan"`
	// Dump says what the log was read from, where that is what another compiler printed. Its passes did not run here: there is no
	// target, level or pipeline of ours then, there are no metrics, and times are those at which the dump arrived.
	Dump *Dump `json:"dump,omitempty"`
}

// Dump describes the output of another compiler that a log was read from.
type Dump struct {
	// Compiler is what printed it, such as "LLVM", and Format how, such as "passes with banners".
	Compiler string `json:"compiler"`
	Format   string `json:"format"`
}

// Function is one function of a module.
type Function struct {
	// Name is the name of the function's global variable.
	Name string `json:"name"`
	// Kind is "relax", "prim_func" or "extern"; in a dump "function", "module", "loop", "machine" or "file".
	Kind string `json:"kind"`
	// Text is the hash of the function's canonical print.
	Text string `json:"text"`
	// Lines counts the lines of that print.
	Lines int `json:"lines"`
	// Metrics are those of the function.
	Metrics *FunctionMetrics `json:"metrics,omitempty"`
}

// PlanStep is one step of the pipeline before it runs.
type PlanStep struct {
	Step   string `json:"step"`
	Parent string `json:"parent,omitempty"`
	Name   string `json:"name"`
	Level  int    `json:"level"`
	Role   Role   `json:"role"`
	// Kind is the kind of pass.
	Kind PassKind `json:"kind"`
}

// TypeRunStarted is the type of the events that carry a RunStarted.
const TypeRunStarted Type = "run_started"

// EventType implements Body.
func (*RunStarted) EventType() Type { return TypeRunStarted }

func (b *RunStarted) fill() { b.Functions, b.Plan = list(b.Functions), list(b.Plan) }

func (b *RunStarted) texts(add func(TextRef)) {
	for _, f := range b.Functions {
		add(TextRef{Hash: f.Text})
	}
	add(TextRef{Hash: b.History})
}

func (b *RunStarted) standalone(name func(string) string) Body {
	c := *b
	c.History, c.Functions = "", append([]Function{}, b.Functions...)
	for i := range c.Functions {
		c.Functions[i].Text = name(c.Functions[i].Text)
	}
	return &c
}

func (b *RunStarted) apply(r *Run, e Event) {
	r.Started, r.Import.Seq = b, e.Seq
	r.ImportTime = e.measured().At
	for _, p := range b.Plan {
		if r.steps[p.Step] == nil {
			r.add(p.Step, p.Parent, p.Name, p.Level, p.Role, p.Kind)
		}
	}
	for _, f := range b.Functions {
		r.put(r.Import, f)
	}
	r.Import.changes = len(r.Changes)
	r.history(r.Import, b.History)
	r.lane(nil, b.Metrics, 0)
}
