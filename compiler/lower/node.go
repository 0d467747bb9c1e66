package lower

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// Node is a value of the function under construction: an instruction on other nodes. Equal
// nodes that are visible at one place are one node. A node holds one value for ever: a read of
// memory or of a variable that changes is a new node after each change.
type Node struct {
	Op     Op
	Args   []*Node
	Imm    uint64 // constant, memory offset, lane, or register
	Hi     uint64 // upper half of a wide constant, or lane of a load
	Callee Ref    // of a call
	Type   Type
	Name   string // hint for the register that holds it
	Nonneg bool   // known to be at least 0 as a signed number

	At      tir.Stmt // that it was first needed for
	Pointer *tir.Var // through which a load reads; nil for memory that belongs to no buffer

	Region *Region // where it is computed; nil for constants
	Pos    int     // index in Region.Items

	Uses  int  // users, once CountUses has run
	Cross bool // used in another region than its own

	self     [1]*Node // the node, as the parts of a scalar
	fn       Fn
	bits     uint8
	id       int
	used     int      // number of the last node when a load was last asked for
	barrier  int      // index of the first item of Region that changes what a read sees
	unstable bool     // a read of memory or of a variable
	spread   bool     // a read whose value is repeated in a vector
	counter  *counter // the loop that the node is the variable of
	user     *Node
	userPos  int // item that uses it, where no node does

	// What writes the function notes here which register holds the value, and how many users are
	// still to be written.
	Reg  Reg
	Left int
	Held bool
}

// never is the barrier of a node whose value cannot change.
const never = math.MaxInt

// IsConst reports whether n is a constant.
func (n *Node) IsConst() bool { return n.fn == Const }

// Int returns the value of an integer constant.
func (n *Node) Int() (int64, bool) {
	switch {
	case n.fn != Const || n.bits == 0:
		return 0, false
	case n.bits == 32:
		return int64(int32(n.Imm)), true
	}
	return int64(n.Imm), true
}

// Leaf reports whether n is cheaper to repeat than to keep.
func (n *Node) Leaf() bool { return n.fn == Const || n.fn == Get && !n.unstable }

// Live reports whether a read still holds at the current place.
func (n *Node) Live() bool { return n.barrier == never }
