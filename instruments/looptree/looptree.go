// Package looptree says what the loops of a PrimFunc look like: extents, kinds, blocks, and the bytes that each touches, as plain data that the
// page draws. Package fromir makes it of IR. It imports the standard library only.
package looptree

// Tree is the loops and blocks of a PrimFunc in the order of the text.
type Tree struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
	// Omitted counts the rows that are too many to list.
	Omitted int `json:"omitted,omitempty"`
}

// Kind says what a row is.
type Kind string

// The kinds of rows.
const (
	Function  Kind = "function"
	Loop      Kind = "loop"
	Block     Kind = "block"
	Condition Kind = "condition"
	Store     Kind = "store"
)

// Row is a loop, a block, a condition, or a store outside of blocks; the first row is the function.
type Row struct {
	Kind  Kind   `json:"kind"`
	Depth int    `json:"depth"`
	Name  string `json:"name"`
	// Line is that of the text of the function, 0 where it is not known.
	Line int `json:"line,omitempty"`
	// Extent of a loop, as the text has it. Info is the condition, or what else belongs to the row.
	Extent string `json:"extent,omitempty"`
	Info   string `json:"info,omitempty"`
	// Loop is how a loop runs: serial, parallel, vectorized, unroll, thread_binding; Thread the thread that it is bound to.
	Loop   string `json:"loop,omitempty"`
	Thread string `json:"thread,omitempty"`
	// Runs is how often the row is come to in a call of the function, conditions aside; -1 where that depends on sizes.
	Runs int64 `json:"runs"`
	// Iters are the axes of a block.
	Iters []Iter `json:"iters,omitempty"`
	// Touches are the buffers of the row, largest first.
	Touches []Touch `json:"touches,omitempty"`
}

// Iter is an axis of a block: its name, how it is bound (spatial, reduce, ...), and its value.
type Iter struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Touch is the part of a buffer that a row reads or writes each time that it runs, with everything in it: the least box around all of its
// accesses.
type Touch struct {
	Buffer string `json:"buffer"`
	Scope  string `json:"scope,omitempty"`
	// Bytes is its size, -1 where that depends on sizes; Whole tells that it is all of the buffer.
	Bytes   int64 `json:"bytes"`
	Whole   bool  `json:"whole,omitempty"`
	Read    bool  `json:"read,omitempty"`
	Written bool  `json:"written,omitempty"`
}
