package history

// Kind says what a row stands for.
type Kind byte

// The kinds of row. Those of the first group make up the outline of a history, those of the
// second group are inside of kernels, and those of the third are counted apart.
const (
	Graph   Kind = 'f' // Relax function
	Binding Kind = 'b' // value of a Relax function
	Kernel  Kind = 'k' // PrimFunc
	Code    Kind = 'g' // generated code of a function

	Buffer Kind = 'u'
	Block  Kind = 'B'
	Loop   Kind = 'l'
	Store  Kind = 's'

	Param    Kind = 'p'
	Constant Kind = 'c'
	Shape    Kind = 'h' // computes with shapes
	Memory   Kind = 'm' // allocates or frees
)

const kinds = "fbkguBlspchm"

// outline reports whether rows of kind k are part of every history.
func (k Kind) outline() bool { return k == Graph || k == Binding || k == Kernel || k == Code }

// inner reports whether rows of kind k are inside of kernels.
func (k Kind) inner() bool { return k == Buffer || k == Block || k == Loop || k == Store }

// Root is something in the source model.
type Root struct {
	ID   uint32 `json:"id"`
	Name string `json:"name"`
	// Op is the operator of a node, or "input", "initializer" or "output".
	// For a text, where the roots are lines and parameters, it is "line" or "input".
	Op string `json:"op"`
	// Line is where it stands in the source text; 0 for models that are none.
	Line int `json:"line,omitempty"`
}

// IsNode reports whether r is a node, and neither a tensor nor an output.
func (r Root) IsNode() bool { return r.Op != "input" && r.Op != "initializer" && r.Op != "output" }

// Row is a line that shows something with a known origin. The numbers Name and Op are
// indices in the Names of the step, Set is one in its Sets.
type Row struct {
	Line          int // from 1
	Kind          Kind
	Name, Op, Set int
}

// Function is what a step made of a function.
type Function struct {
	Name string `json:"name"`
	// Gone says that the function was removed; it has no rows then.
	Gone bool `json:"gone,omitempty"`
	Rows Rows `json:"rows,omitempty"`
	// Unknown counts the values of which nothing is known: a pass has dropped their origins.
	Unknown int `json:"unknown,omitempty"`
}

// What is no pass and still a step.
const (
	ImportStep = "import" // the module as it was read
	CodeStep   = "code"   // code generation
)

// Step is what one pass changed.
type Step struct {
	Path string `json:"path"` // as in events, ImportStep or CodeStep
	Pass string `json:"pass"`
	// Roots lists all roots, by ID. Only the first step of a run has them.
	Roots []Root `json:"roots,omitempty"`
	// Names holds the strings, and Sets the sets of root IDs, each ascending, of the rows.
	Names     []string   `json:"names,omitempty"`
	Sets      [][]uint32 `json:"sets,omitempty"`
	Functions []Function `json:"functions,omitempty"`
	// Truncated says that the tables of this step were left out, for MaxStepCells or MaxCells.
	Truncated bool `json:"truncated,omitempty"`
}

// Bounds on the rows and the members of sets: MaxStepCells of a step when it is recorded, so
// that a step says the same in every run, and MaxCells of all steps of a run that are read.
const (
	MaxStepCells = 512 << 10
	MaxCells     = 4 << 20
)

// Cells is what s counts against MaxCells.
func (s *Step) Cells() int {
	n := len(s.Roots)
	for _, f := range s.Functions {
		n += len(f.Rows)
	}
	for _, x := range s.Sets {
		n += len(x)
	}
	return n
}
