package wasm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// node is a value of the function under construction: an instruction on other nodes. Equal
// nodes that are visible at one place are one node. A node holds one value for ever: a read of
// memory or of a variable that changes is a new node after each change.
type node struct {
	op     wasmbin.Op
	args   []*node
	imm    uint64 // constant, memory offset, lane, or local
	hi     uint64 // upper half of a v128 constant or shuffle
	callee wasmbin.FuncRef
	typ    wasmbin.ValType
	id     int
	name   string // hint for the local that holds it

	region   *region  // where it is computed; nil for constants
	pos      int      // index in region.items
	barrier  int      // index of the first item of region that changes what a read sees
	unstable bool     // a read of memory or of a variable
	nonneg   bool     // known to be at least 0 as a signed number
	class    any      // what a read reads: a *memClass or a *variable
	pointer  *tir.Var // through which a load reads; nil for packed arguments

	counter *counter // the loop that n is the variable of

	uses    int
	left    int  // users that are still to be written
	cross   bool // used in another region than its own
	user    *node
	userPos int // item that uses it, where no node does
	local   wasmbin.Local
	held    bool // local holds the value
}

// never is the barrier of a node whose value cannot change.
const never = math.MaxInt

func (n *node) isConst() bool {
	switch n.op {
	case wasmbin.OpI32Const, wasmbin.OpI64Const, wasmbin.OpF32Const, wasmbin.OpF64Const, wasmbin.OpV128Const:
		return true
	}
	return false
}

// leaf reports whether n is cheaper to repeat than to keep.
func (n *node) leaf() bool { return n.isConst() || (n.op == wasmbin.OpLocalGet && !n.unstable) }

// nodeKey identifies equal nodes.
type nodeKey struct {
	op      wasmbin.Op
	a, b, c *node
	imm, hi uint64
	callee  wasmbin.FuncRef
}

// regionKind says what a region is to the regions around it.
type regionKind uint8

const (
	bodyRegion   regionKind = iota // a function
	loopRegion                     // one turn of a loop
	branchRegion                   // one side of a conditional
	blockRegion                    // straight-line code that a branch may leave
)

// region is a sequence of items that run in order.
type region struct {
	kind   regionKind
	parent *region
	depth  int
	items  []item
	known  map[nodeKey]*node
	loop   *loopEffects // what one turn of a loop writes; nil where that is unknown
	label  wasmbin.Label

	inductions map[inductionKey]*induction
	advanced   []*induction // the same, in order
	held       []*node      // nodes that have a local
}

// itemKind says what an item does.
type itemKind uint8

const (
	itemDef     itemKind = iota // compute node, if anything uses it
	itemStore                   // memory instruction op on args at imm
	itemSet                     // set a local to args[0]
	itemCall                    // call callee on args; the result, if any, goes to local
	itemReturn                  // return args[0]
	itemLoop                    // body, again while args[0], computed in body, holds
	itemIf                      // if args[0] then body else alt
	itemBlock                   // body, which itemBreak leaves
	itemBreak                   // branch to the end of target, if args[0]
	itemComment                 // a line of text
	itemPoll                    // take imm off the budget in global; callee says whether to stop
	itemTrap                    // stop the kernel
)

type item struct {
	kind   itemKind
	op     wasmbin.Op
	node   *node
	args   []*node
	imm    uint64
	lane   uint8
	local  wasmbin.Local
	hasRes bool
	callee wasmbin.FuncRef
	global wasmbin.GlobalRef
	body   *region
	alt    *region
	target *region
	text   string
}

func newRegion(kind regionKind, parent *region) *region {
	r := &region{kind: kind, parent: parent, known: map[nodeKey]*node{}}
	if parent != nil {
		r.depth = parent.depth + 1
	}
	return r
}
