package arith

import (
	"sync/atomic"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Which rules can match a node follows mostly from its operation, the type of its operands, and the kinds of
// the first two. For each such combination that occurs, a list of the rules that are left is made once; few
// combinations have more than five.

// The operations of nodes that rules apply to are those of Binary, and these.
const (
	opNot = int(tir.OpOr) + 1 + iota
	opSelect
	numOps
)

// Classes of operands are the operations, and these.
const (
	classInt = numOps + iota
	classVar
	classRamp
	classBroadcast
	classOther
	numClasses
)

func classOf(e tir.Expr) int {
	switch e := e.(type) {
	case *tir.Binary:
		return int(e.Op)
	case *tir.Var:
		return classVar
	case *tir.IntImm:
		return classInt
	case *tir.Not:
		return opNot
	case *tir.Select:
		return opSelect
	case *tir.Ramp:
		return classRamp
	case *tir.Broadcast:
		return classBroadcast
	}
	return classOther
}

// allClasses has the bits of all classes, and one for there being no operand.
const allClasses = 1<<(numClasses+1) - 1

// operandClasses returns the classes of the first two operands of e, as bits.
func operandClasses(e tir.Expr) (x, y uint32) {
	switch e := e.(type) {
	case *tir.Binary:
		return 1 << classOf(e.A), 1 << classOf(e.B)
	case *tir.Var, *tir.IntImm, nil:
		return 1 << numClasses, 1 << numClasses
	case *tir.Ramp:
		return 1 << classOf(e.Start), 1 << classOf(e.Stride)
	case *tir.Broadcast:
		return 1 << classOf(e.Value), 1 << numClasses
	}
	return allClasses, allClasses
}

// The classes of types.
const (
	typeIndex = iota
	typeInteger
	typeFloat
	typeVectorInteger
	typeVectorFloat
	numTypes
)

func typeClass(d dtype.DType) int {
	switch vector := d.Lanes > 1 || d.Scalable; {
	case isIndex(d):
		return typeIndex
	case vector && d.IsFloat():
		return typeVectorFloat
	case vector:
		return typeVectorInteger
	case d.IsFloat():
		return typeFloat
	}
	return typeInteger
}

// ruleTypes returns the classes of types, as bits, that rules after a word in a file of rules are for; 0 for
// another word.
func ruleTypes(word string) uint8 {
	const all = 1<<numTypes - 1
	switch word {
	case "index":
		return 1 << typeIndex
	case "vector":
		return 1<<typeVectorInteger | 1<<typeVectorFloat
	case "integer":
		return 1<<typeInteger | 1<<typeVectorInteger
	case "other":
		return all &^ (1 << typeIndex)
	case "any":
		return all
	}
	return 0
}

// candidates are the patterns that are left for a combination.
type candidates struct {
	list []candidate
	deep bool // some of them want more than the operands to be of certain classes
}

// candidate is a pattern with what is checked first, side by side.
type candidate struct {
	deep [4]uint32
	*alternative
}

// candidateTable has the lists for one operation and class of types.
type candidateTable [numClasses * numClasses]atomic.Pointer[candidates]

// candidateTables are made when they are asked for. A list that two analyzers make at once is the same.
var candidateTables [numOps][numTypes]atomic.Pointer[candidateTable]

// candidatesFor returns the patterns that may match a node with an operation on a type, by the classes of
// its first two operands.
func candidatesFor(op, typ, x, y int) *candidates {
	table := candidateTables[op][typ].Load()
	if table == nil {
		candidateTables[op][typ].CompareAndSwap(nil, new(candidateTable))
		table = candidateTables[op][typ].Load()
	}
	p := &table[x*numClasses+y]
	if list := p.Load(); list != nil {
		return list
	}
	out := &candidates{}
	ruleTable.once.Do(loadRules)
	for _, a := range ruleTable.by[op][typ] {
		if a.classes[0]>>x&1 != 0 && a.classes[1]>>y&1 != 0 && (!a.alike || x == y) {
			out.list = append(out.list, candidate{a.deep, a})
			out.deep = out.deep || a.deep != [4]uint32{allClasses, allClasses, allClasses, allClasses}
		}
	}
	p.Store(out)
	return out
}
