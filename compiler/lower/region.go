package lower

import "github.com/irscope/irscope/compiler/tir"

// RegionKind says what a region is to the regions around it.
type RegionKind uint8

// The kinds of regions.
const (
	BodyRegion   RegionKind = iota // a function
	LoopRegion                     // one turn of a loop
	BranchRegion                   // one side of a conditional
	BlockRegion                    // straight-line code that a branch may leave
)

// Region is a sequence of items that run in order.
type Region struct {
	Kind  RegionKind
	Items []Item
	Loop  *LoopEffects // what one turn of a loop writes; nil where that is unknown
	Label int          // for what writes the function
	Held  []*Node      // nodes that have a register, for the same

	memory *Memory
	parent *Region
	depth  int
	id     int // among the regions of its function

	inductions map[inductionKey]*induction
	advanced   []*induction // the same, in order
}

// ItemKind says what an item does.
type ItemKind uint8

// The kinds of items.
const (
	ItemDef     ItemKind = iota // compute Node, if anything uses it
	ItemStore                   // memory instruction Op on Args, an address, a value and maybe a mask, at offset Imm
	ItemTile                    // instruction Op on registers for matrices, with Args, Imm and Lane as the target has them
	ItemSet                     // set Reg to Args[0]
	ItemCall                    // call Callee on Args; the result, if any, goes to Reg
	ItemReturn                  // return Args[0]
	ItemLoop                    // Body, again while Args[0], computed in Body, holds
	ItemIf                      // if Args[0] then Body else Alt
	ItemBlock                   // Body, which ItemBreak leaves
	ItemBreak                   // branch to the end of Target, if Args[0]
	ItemComment                 // a line of text
	ItemPoll                    // take Imm off a budget of work
	ItemTrap                    // stop the function
)

// Item is a step of a region.
type Item struct {
	Kind   ItemKind
	Op     Op
	Node   *Node
	Args   []*Node
	Imm    uint64
	Lane   uint8
	Reg    Reg
	HasRes bool
	Callee Ref
	Body   *Region
	Alt    *Region
	Target *Region
	Text   string
	At     tir.Stmt // that it is for; nil where it is for none
}

// NewRegion returns an empty region inside of parent.
func NewRegion(kind RegionKind, parent *Region) *Region { return parent.memory.region(kind, parent) }

// region returns an empty region.
func (m *Memory) region(kind RegionKind, parent *Region) *Region {
	m.count++
	r := m.regions.One(Region{Kind: kind, memory: m, parent: parent, id: m.count})
	if parent != nil {
		r.depth = parent.depth + 1
	}
	return r
}

// add appends an item.
func (r *Region) add(it Item) { r.memory.add(r, it) }

// Root is the region of the function that r is in.
func (r *Region) Root() *Region {
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// Parent is the region around r, nil for that of the function.
func (r *Region) Parent() *Region { return r.parent }
