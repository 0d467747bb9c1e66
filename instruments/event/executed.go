package event

// Executed says what a run of the compiled module gave.
type Executed struct {
	// Function is the entry function.
	Function string `json:"function"`
	// Bindings gives the values of the symbolic dimensions of this execution.
	Bindings map[string]int64 `json:"bindings,omitempty"`
	// Inputs and Outputs summarise the tensors, in the order of the graph.
	Inputs  []Tensor `json:"inputs"`
	Outputs []Tensor `json:"outputs"`
	// Expected compares outputs with what was expected; empty where nothing was.
	Expected []Comparison `json:"expected,omitempty"`
	// Error is set where execution failed; Outputs is empty then.
	Error *Error `json:"error,omitempty"`
}

// Tensor summarises a tensor.
type Tensor struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	// First holds the first elements in row-major order, at most 16.
	First []Float `json:"first"`
	// Min, Max and Mean are over all elements that are not NaN.
	Min  Float `json:"min"`
	Max  Float `json:"max"`
	Mean Float `json:"mean"`
	// NaNs counts elements that are not a number.
	NaNs int64 `json:"nans,omitempty"`
	// Source says where an input came from: "seed 42" or a file name.
	Source string `json:"source,omitempty"`
}

// Comparison is the distance of an output from what was expected.
type Comparison struct {
	Output string `json:"output"`
	MaxAbs Float  `json:"max_abs"`
	MaxRel Float  `json:"max_rel"`
	RTol   Float  `json:"rtol"`
	ATol   Float  `json:"atol"`
	Within bool   `json:"within"`
}

// TypeExecuted is the type of the events that carry a Executed.
const TypeExecuted Type = "executed"

// EventType implements Body.
func (*Executed) EventType() Type { return TypeExecuted }

func (b *Executed) fill() { b.Inputs, b.Outputs = list(b.Inputs), list(b.Outputs) }

func (b *Executed) apply(r *Run, e Event) {
	m := e.measured()
	r.Executions = append(r.Executions, Execution{b, m})
	if m.Compile != 0 {
		r.CompileTime = m.Compile
	}
}
