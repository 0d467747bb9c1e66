package event

// Profiled says what one execution calls, what each call has to do, and what memory it takes. The times are in the measured part,
// see ProfileTimes.
type Profiled struct {
	// Function is the entry function, and Bindings gives the values of the symbolic dimensions.
	Function string           `json:"function"`
	Bindings map[string]int64 `json:"bindings,omitempty"`
	// Calls are the places in the bytecode that call kernels and packed functions, in the order in which they are reached.
	Calls []ProfiledCall `json:"calls"`
	Plan  *MemoryPlan    `json:"plan,omitempty"`
}

// ProfiledCall is a place that calls a kernel or a packed function, with the work of all its calls in one execution.
type ProfiledCall struct {
	Name   string `json:"name"`
	Kernel bool   `json:"kernel,omitempty"`
	// In is the function that calls, and Value the variable that the result of a kernel has there; may be empty.
	In    string `json:"in"`
	Value string `json:"value,omitempty"`
	Count int64  `json:"count"`
	// Flops counts floating-point operations, for each lane of a vector; a fused multiply-add is two. Special counts calls
	// of mathematical functions (exp, tanh, sqrt, ...), and ByteOps products of bytes and their sums (T.dp4a), which are not in Flops.
	Flops   int64 `json:"flops,omitempty"`
	ByteOps int64 `json:"byte_ops,omitempty"`
	Special int64 `json:"special,omitempty"`
	// Read and Written are bytes of the arguments of kernels, each element once.
	Read    int64 `json:"read,omitempty"`
	Written int64 `json:"written,omitempty"`
	// Bound tells that the operations are an upper bound: part of the work depends on conditions. Partial tells that part of
	// it was not counted.
	Bound   bool `json:"bound,omitempty"`
	Partial bool `json:"partial,omitempty"`
}

// MemoryPlan is the memory that an execution takes for what it computes. Inputs and constants, which are there before, are
// no part of the storages.
//
// Time is counted in steps, the calls of kernels. From and To are the first and the last step in which something lives.
type MemoryPlan struct {
	// Steps are, in order, the calls of kernels as numbers in Profiled.Calls.
	Steps    []int         `json:"steps"`
	Storages []PlanStorage `json:"storages"`
	Tensors  []PlanTensor  `json:"tensors"`
	// Peak is the largest number of bytes of storages that live in one step; the first steps with it are PeakFrom to PeakTo.
	Peak     int64 `json:"peak"`
	PeakFrom int   `json:"peak_from"`
	PeakTo   int   `json:"peak_to"`
	// Extent is the end of the storage with the largest offset, and Unplanned what the tensors take together.
	Extent    int64 `json:"extent"`
	Unplanned int64 `json:"unplanned"`
	Inputs    int64 `json:"inputs"`
	Constants int64 `json:"constants"`
	// Omitted is the number of tensors beyond the limit of an event; the largest ones are listed.
	Omitted int `json:"omitted,omitempty"`
}

// PlanStorage is an allocation: its size, and the offset that the allocator gives it when the execution starts with nothing else
// on the device.
type PlanStorage struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Offset int64  `json:"offset"`
	From   int    `json:"from"`
	To     int    `json:"to"`
}

// PlanTensor is a tensor in a storage, with its offset there.
type PlanTensor struct {
	Name    string  `json:"name"`
	Storage int     `json:"storage"`
	Offset  int64   `json:"offset"`
	Bytes   int64   `json:"bytes"`
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	From    int     `json:"from"`
	To      int     `json:"to"`
	// Maker and LastUse are the first and the last step that take the tensor, -1 where none does.
	Maker   int `json:"maker"`
	LastUse int `json:"last_use"`
}

// ProfileTimes is what was measured for a Profiled. All times are in nanoseconds.
type ProfileTimes struct {
	// Runs is the number of executions, after a warm-up. Median and Best are those of the time of a whole execution.
	Runs   int   `json:"runs"`
	Median int64 `json:"median"`
	Best   int64 `json:"best"`
	// Calls has the times of Profiled.Calls, in its order.
	Calls []CallTime `json:"calls"`
	// Copies is the median time of copying inputs to the device and results from it, and Machine that of what is in neither calls
	// nor copies. Other is what these medians and those of Calls lack of Median: interruptions by other work on the machine, which
	// strike here in one run and there in another.
	Copies  int64 `json:"copies"`
	Machine int64 `json:"machine"`
	Other   int64 `json:"other,omitempty"`
	// Limit is what code for the target reaches on one thread of the machine; nil where that could not be measured.
	Limit *MachineLimit `json:"limit,omitempty"`
	// Took is the time that measuring took in all.
	Took int64 `json:"took"`
}

// CallTime is the time of the calls of one place in an execution, without the calls inside of them.
type CallTime struct {
	Median int64 `json:"median"`
	Best   int64 `json:"best"`
	// Ideal is the least time that the operations and bytes of a kernel take at the limit of the machine, 0 for what has
	// neither.
	Ideal int64 `json:"ideal,omitempty"`
}

// MachineLimit is what generated code reaches: floating-point operations per second of multiply-adds in registers, products and sums of bytes per second where the program has such, and bytes per
// second of a sum of two vectors, for several sizes of data.
type MachineLimit struct {
	Flops      Float       `json:"flops"`
	ByteOps    Float       `json:"byte_ops,omitempty"`
	Bandwidths []Bandwidth `json:"bandwidths"`
}

// Bandwidth is the number of bytes per second that move to and from Bytes of data.
type Bandwidth struct {
	Bytes     int64 `json:"bytes"`
	PerSecond Float `json:"per_second"`
}

// TypeProfiled is the type of the events that carry a Profiled.
const TypeProfiled Type = "profiled"

// EventType implements Body.
func (*Profiled) EventType() Type { return TypeProfiled }

func (b *Profiled) fill() {
	b.Calls = list(b.Calls)
	if p := b.Plan; p != nil {
		p.Steps, p.Storages, p.Tensors = list(p.Steps), list(p.Storages), list(p.Tensors)
	}
}

func (b *Profiled) apply(r *Run, e Event) {
	r.Profiles = append(r.Profiles, Profile{b, e.measured().Profile})
}
