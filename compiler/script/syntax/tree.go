package syntax

import (
	"cmp"
	"sync"
)

// Kind says what an expression is.
type Kind uint8

// The kinds of expression, with what Text and Kids hold.
const (
	Name    Kind = iota // Text is the name
	Int                 // Text is that of the number, without underscores
	Float               // Text is that of the number, without underscores
	String              // Text is the value
	Const               // Text is None, True, False or ...
	Attr                // Kids[0].Text
	Call                // Kids[0](Kids[1:], Keywords)
	Index               // Kids[0][Kids[1:]]
	Slice               // Kids[0]:Kids[1]:Kids[2], each may be nil
	Tuple               // (Kids...)
	List                // [Kids...]
	Dict                // Kids are keys and values in turn
	Unary               // Text Kids[0]; Text is "-", "+", "~" or "not"
	Binary              // Kids[0] Text Kids[1]
	Compare             // Kids[0] Text Kids[1]; a chain is joined by Bool
	Bool                // Kids[0] Text Kids[1]; Text is "and" or "or"
	IfExp               // Kids[1] if Kids[0] else Kids[2]
	Lambda              // lambda LambdaParams: Kids[0]
	Star                // *Kids[0]
	Value               // a value of who reads the tree, see NewValue
)

// Node is an expression, at a range of offsets into its text.
type Node struct {
	Kind    Kind
	At, End int32
	Text    string
	Kids    []*Node
	more    *more
}

// more is what few nodes have.
type more struct {
	val  any       // of Value
	kws  []Keyword // of Call
	vars []string  // of Lambda
}

// NewValue returns a node that stands for a value that the reader of a tree has already.
func NewValue(at, end int32, val any) *Node {
	return &Node{Kind: Value, At: at, End: end, more: &more{val: val}}
}

// Value returns what a node of NewValue stands for.
func (n *Node) Value() any { return n.more.val }

// Args returns the positional arguments of a call.
func (n *Node) Args() []*Node { return n.Kids[1:] }

// Keywords returns the arguments by name of a call.
func (n *Node) Keywords() []Keyword {
	if n.more == nil {
		return nil
	}
	return n.more.kws
}

// LambdaParams returns the names of the parameters of a lambda. That of the variadic one begins
// with a star.
func (n *Node) LambdaParams() []string { return n.more.vars }

// Keyword is an argument given by name; the name "**" spreads a dictionary. The range is that of
// the name.
type Keyword struct {
	Name    string
	At, End int32
	Value   *Node
}

// StmtKind says what a statement is.
type StmtKind uint8

// The kinds of statement, with the fields of Stmt that count.
const (
	ExprStmt  StmtKind = iota // Value
	Assign                    // Targets = Value
	AugAssign                 // Targets[0] Op= Value
	AnnAssign                 // Targets[0]: Ann = Value, which may be nil
	Return                    // Value, which may be nil
	If                        // if Value: Body else: Orelse
	For                       // for Targets[0] in Value: Body
	While                     // while Value: Body
	With                      // with Items: Body
	Def                       // Decorators, def Name[Sizes](Params) -> Ann: Body
	Class                     // Decorators, class Name(Items): Body
	Assert                    // assert Value, Ann
	Pass
	Import // from Name import Params
	Break
	Continue
)

// Stmt is a statement.
type Stmt struct {
	Kind       StmtKind
	Op         string // of AugAssign: that of the operation
	At, End    int32  // of the head, behind the decorators
	Top        int32  // start of the decorators
	Last       int32  // end of the body
	Targets    []*Node
	Ann, Value *Node
	Items      []WithItem
	Body       []*Stmt
	Orelse     []*Stmt
	*head      // of Def, Class and Import; noHead of the others
}

// head is what definitions have besides.
type head struct {
	Name       string
	Params     []Param
	Sizes      []Param // symbolic variables: def f[n](...)
	Decorators []*Node
	// Role is what the first decorator of scripts says that this is: "prim_func", "function",
	// "ir_module", "macro" and so on. RoleCall is its call, nil where it has no arguments.
	Role     string
	RoleCall *Node

	// Of a body that was passed over: its first token, and how deep it is. start is 0 where there is none.
	start, depth, script int
}

// noHead is read, never written.
var noHead head

// WithItem is a value that a "with" enters, and the name that it gets.
type WithItem struct {
	Value, As *Node
}

// Param is a parameter of a function, or a name that an import defines; Orig is what is imported
// under it. Ann is nil where there is no annotation.
type Param struct {
	Name    string
	Orig    string
	At, End int32
	Ann     *Node
}

// Slab hands out zero values, many of them from one allocation: a tree of syntax is made of
// a million small nodes, and this is a fifth of the time that they would take one by one.
type Slab[T any] struct {
	buf   []T
	n     int // used of buf
	most  int // values of an allocation; 0 for slabMax
	again bool
	full  [][]T // used up; kept where they are to be used again
	free  [][]T
}

// The allocations of a slab grow from the first to the second number of values, so that a short
// text does not pay for a long one. With the word that the runtime adds, 2047 fit where 2048 do not.
const slabMin, slabMax = 63, 2047

// Few returns a slab whose allocations are small: what is taken from it may live apart, and each value keeps its neighbors.
func Few[T any]() Slab[T] { return Slab[T]{most: slabMin} }

// Take returns a value of its own.
func (s *Slab[T]) Take() *T {
	if s.n == len(s.buf) {
		s.more()
	}
	s.n++
	return &s.buf[s.n-1]
}

// more makes room.
func (s *Slab[T]) more() {
	if s.again && len(s.buf) > 0 {
		s.full = append(s.full, s.buf)
	}
	if n := len(s.free); n > 0 {
		s.buf, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.buf = make([]T, min(max(2*len(s.buf)+1, slabMin), cmp.Or(s.most, slabMax)))
	}
	s.n = 0
}

// reset takes all values back.
func (s *Slab[T]) reset() {
	clear(s.buf[:s.n])
	for _, b := range s.full {
		clear(b)
		s.free = append(s.free, b)
	}
	s.n, s.full = 0, s.full[:0]
}

// memory is what a syntax tree lies in.
type memory struct {
	nodes Slab[Node]
	stmts Slab[Stmt]
}

// memories are those of trees of texts that have been read.
var memories sync.Pool

func takeMemory() *memory {
	if t, ok := memories.Get().(*memory); ok {
		return t
	}
	return &memory{nodes: Slab[Node]{again: true}, stmts: Slab[Stmt]{again: true}}
}

// mostKept is how many allocations of nodes memory that is kept has at most: some 50 MB.
const mostKept = 400

// giveBack lets the next text have the memory, if there is any.
func (t *memory) giveBack() {
	if t != nil && len(t.nodes.full)+len(t.nodes.free) < mostKept {
		t.reset()
		memories.Put(t)
	}
}

func (t *memory) reset() {
	t.nodes.reset()
	t.stmts.reset()
}
