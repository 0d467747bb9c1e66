package lower

// Variable is a register that changes: a scalar or vector that the function assigns.
type Variable struct {
	Reg  Reg
	Type Type
	Name string
	live []*Node // reads that still hold
}

// NewVariable makes a variable.
func (b *Builder) NewVariable(name string, t Type) *Variable {
	return &Variable{Reg: b.newReg(name, t), Type: t, Name: name}
}

// Read returns the present value of v.
func (b *Builder) Read(v *Variable) *Node {
	k := key{op: b.Machine.Op(Get, 0), imm: uint64(v.Reg)}
	if n := b.lookup(&k); n != nil {
		return n
	}
	n := b.node(Node{Op: k.op, Imm: k.imm, Type: v.Type, fn: Get, unstable: true, Name: v.Name}, nil)
	v.live = append(v.live, n)
	b.define(n, &k, b.Cur)
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
