package event

// Metrics measures a module. They are exact, hence deterministic.
type Metrics struct {
	// Functions counts all functions, Kernels those of kind "prim_func".
	Functions int `json:"functions"`
	Kernels   int `json:"kernels"`
	// Ops counts calls of graph operators by name.
	Ops map[string]int `json:"ops,omitempty"`
	Structure
	// FLOPs counts floating-point operations of one run of the entry function,
	// with symbolic extents taken as 1.
	FLOPs int64 `json:"flops"`
	// ConstantBytes and IntermediateBytes are sizes in bytes.
	ConstantBytes     int64 `json:"constant_bytes"`
	IntermediateBytes int64 `json:"intermediate_bytes"`
}

// FunctionMetrics measures a function. What it calls is not counted in.
type FunctionMetrics struct {
	Ops map[string]int `json:"ops,omitempty"`
	Structure
	FLOPs int64 `json:"flops,omitempty"`
	// ConstantBytes counts constants that functions share in each of them.
	ConstantBytes     int64 `json:"constant_bytes,omitempty"`
	IntermediateBytes int64 `json:"intermediate_bytes,omitempty"`
	// OpPattern says how FuseOps may fuse a kernel, by the name of its op_pattern; empty where
	// the kernel has none.
	OpPattern string `json:"op_pattern,omitempty"`
}

// Structure counts what functions are built of.
type Structure struct {
	// Bindings counts those of Relax functions. Calls counts the bindings of a
	// call there, and calls in PrimFuncs.
	Bindings int `json:"bindings,omitempty"`
	Calls    int `json:"calls,omitempty"`
	// Loops, Blocks and Buffers count those of PrimFuncs; buffers are the
	// ones of parameters and those that are allocated.
	Loops   int `json:"loops,omitempty"`
	Blocks  int `json:"blocks,omitempty"`
	Buffers int `json:"buffers,omitempty"`
}

// Add adds the counts of other n times; n may be negative.
func (s *Structure) Add(other Structure, n int) {
	s.Bindings += n * other.Bindings
	s.Calls += n * other.Calls
	s.Loops += n * other.Loops
	s.Blocks += n * other.Blocks
	s.Buffers += n * other.Buffers
}
