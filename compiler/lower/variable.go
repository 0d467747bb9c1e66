package lower

import "github.com/irscope/irscope/compiler/tir"

// Variable is a register that changes: a scalar or vector that the function assigns.
type Variable struct {
	Reg  Reg
	Type Type
	Name string
	of   *tir.Var // the pointer to the memory that it stands for, nil for none
	live []*Node  // reads that still hold
}

// NewVariable makes a variable, which may stand for memory that a pointer refers to.
func (b *Builder) NewVariable(of *tir.Var, name string, t Type) *Variable {
	return &Variable{Reg: b.newReg(name, t), Type: t, Name: name, of: of}
}

// Read returns the present value of v, read outside of the loops that do not set it.
func (b *Builder) Read(v *Variable) *Node {
	k := key{op: b.Machine.Op(Get, 0), imm: uint64(v.Reg)}
	if n := b.lookup(&k); n != nil {
		return n
	}
	n := b.node(Node{Op: k.op, Imm: k.imm, Type: v.Type, fn: Get, unstable: true, Name: v.Name}, nil)
	v.live = append(v.live, n)
	to := b.Cur
	for to.Kind == LoopRegion && to.Loop != nil && v.of != nil && !to.Loop.writes[v.of] {
		to = to.parent
	}
	b.define(n, &k, to)
	return n
}

// Set assigns v.
func (b *Builder) Set(v *Variable, val *Node) {
	b.killVariable(v)
	b.Add(Item{Kind: ItemSet, Reg: v.Reg, Args: b.Operands(val)})
}

func (b *Builder) killVariable(v *Variable) {
	kill(v.live)
	v.live = v.live[:0]
}

// kill ends the reads: whoever uses them later uses a copy made at their definition.
func kill(live []*Node) {
	for _, n := range live {
		if n.barrier == never {
			n.barrier = len(n.Region.Items)
		}
	}
}

// Stable is a register that keeps its value as long as a region is running.
func (b *Builder) Stable(r Reg, region *Region, nonneg bool) *Node {
	return b.node(Node{Op: b.Machine.Op(Get, 0), Imm: uint64(r), Type: b.regType(r), fn: Get, Region: region, Nonneg: nonneg}, nil)
}

// NewReg makes a register of its own, for results of calls and the like.
func (b *Builder) NewReg(name string, t Type) Reg { return b.newReg(name, t) }
