package lower

import "github.com/irscope/irscope/compiler/tir"

// The builder numbers values while it builds them: asking for an operation on nodes that already has a
// node visible at the current place returns that node. This is global value numbering without a separate
// pass, because TIR is structured: what dominates a place are the regions around it, so equal values are
// found by looking outwards (lookup), and no dominator tree is needed.
//
// Loop-invariant code motion falls out of where a new node is put (place): in the outermost region at
// which its operands are known, past the loops that change none of them.
//
//	for i: for j: A[i*64 + j]      i*64 is put into the body of loop i, j is added inside
//
// Three things are held back. What may trap (integer division) stays, as its loop might not reach it; what
// costs more than a few cycles is not taken out of a branch that might not run; and reads end at the
// first item that may change what they read (barrier), after which an equal read is another node.
//
// Cost: a lookup in one table for each operation in at most maxLookup regions. The idea is that of Click's
// "Global Code Motion, Global Value Numbering" (PLDI 1995), with the structure given in place of computed.

// Builder builds the graph of one function. Cur is the region to which effects are added.
type Builder struct {
	Machine *Machine
	Cur     *Region
	Effects *Effects
	// At is the statement under translation, which new nodes and items note.
	At      tir.Stmt
	NoAlias bool // buffers of different parameters do not overlap

	// Instead holds the variables that stand for the memory of a pointer while they do: those of
	// an allocation that is kept in them, and those of a sum while its loop runs.
	Instead map[*tir.Var][]*Variable

	// Linear holds what integer variables are bound to, where that is linear.
	Linear map[*tir.Var]Lin

	gen     Translator
	newReg  func(name string, t Type) Reg
	regType func(Reg) Type
	ids     int
	memory  *Memory
	spreads bool // what is read now is repeated in a vector
	classes map[*tir.Var]*Class
	shared  *Class // memory of all pointers that may alias
	Cells   *Class // memory that belongs to no buffer: packed arguments and descriptors
}

// NewBuilder returns a builder of an empty function. newReg makes registers, regType tells their
// types.
func NewBuilder(m *Machine, gen Translator, newReg func(name string, t Type) Reg, regType func(Reg) Type) *Builder {
	b := &Builder{
		Machine: m, Instead: map[*tir.Var][]*Variable{}, Linear: map[*tir.Var]Lin{},
		gen: gen, newReg: newReg, regType: regType,
		classes: map[*tir.Var]*Class{}, shared: &Class{}, Cells: &Class{},
	}
	b.In(&Memory{})
	return b
}

// In has a builder that has built nothing make its graph in a memory, whose graphs until now nothing looks at any more.
func (b *Builder) In(m *Memory) {
	m.Reset()
	b.memory, b.Cur = m, m.region(BodyRegion, nil)
}

// Const returns a constant, which belongs to no region. op is that of a constant.
func (b *Builder) Const(op Op, imm, hi uint64) *Node {
	k := key{op: op, imm: imm, hi: hi}
	hash := k.hash()
	if n := b.memory.known.get(hash, &k, nil); n != nil {
		return n
	}
	info := b.Machine.Info(op)
	n := b.node(Node{Op: op, Imm: imm, Hi: hi, Type: info.Result, fn: Const, bits: info.Bits}, nil)
	v, ok := n.Int()
	n.Nonneg = ok && v >= 0
	b.memory.known.put(hash, &k, n)
	return n
}

// Int returns an integer constant of 32 or 64 bits.
func (b *Builder) Int(bits int, v int64) *Node {
	if bits == 32 {
		return b.Const(b.Machine.Op(Const, 32), uint64(uint32(v)), 0)
	}
	return b.Const(b.Machine.Op(Const, 64), uint64(v), 0)
}

// IntLike is a constant of the integer type of n.
func (b *Builder) IntLike(n *Node, v int64) *Node { return b.Int(b.bitsOf(n), v) }

func (b *Builder) bitsOf(n *Node) int {
	if n.Type == b.Machine.Int(64) {
		return 64
	}
	return 32
}

// node makes a node of its own number on some operands. The operands are copied, so that those of a node which is known already need no memory.
func (b *Builder) node(n Node, args []*Node) *Node {
	b.ids++
	n.barrier, n.id, n.At, n.Args = never, b.ids, b.At, b.Operands(args...)
	out := b.memory.nodes.One(n)
	out.self[0] = out
	return out
}

// Operands lists operands of an item, in memory that lives as long as the graph.
func (b *Builder) Operands(args ...*Node) []*Node {
	if len(args) == 0 {
		return nil
	}
	out := b.memory.args.Take(len(args))
	copy(out, args)
	return out
}

// place finds the region in which a value of args is computed: outside the loops in which none
// of args changes. What costs more than a few cycles is not taken out of a conditional, and
// what may trap stays where it is.
func (b *Builder) place(args []*Node, cheap, traps bool) *Region {
	if traps {
		return b.Cur
	}
	avail := available(args)
	to := b.Cur
	for x := b.Cur; x.depth > avail; x = x.parent {
		if x.Kind == LoopRegion {
			to = x.parent
		} else if x.Kind == BranchRegion && !cheap {
			break
		}
	}
	return to
}

// available is the depth of the innermost region in which one of args is computed.
func available(args []*Node) int {
	avail := 0
	for _, a := range args {
		if a.Region != nil {
			avail = max(avail, a.Region.depth)
		}
	}
	return avail
}

// maxLookup is how many regions outwards a known node is looked for. In thousands of branches in
// each other it may then be computed again, in place of looking through all of them each time.
const maxLookup = 256

// lookup finds a known node from the current region outwards.
func (b *Builder) lookup(k *key) *Node {
	hash := k.hash()
	for r, n := b.Cur, maxLookup; r != nil && n > 0; r, n = r.parent, n-1 {
		if n := b.memory.known.get(hash, k, r); n != nil && n.barrier == never {
			return n
		}
	}
	return nil
}

// Op returns the pure instruction op on at most three operands, with immediates.
func (b *Builder) Op(op Op, imm, hi uint64, args ...*Node) *Node {
	info := b.Machine.Info(op)
	if n := b.fold(info, op, args); n != nil {
		return n
	}
	k := keyOf(op, imm, hi, args)
	if n := b.lookup(&k); n != nil {
		return n
	}
	typ := info.Result
	if typ == 0 {
		typ = args[0].Type
	}
	n := b.node(Node{Op: op, Imm: imm, Hi: hi, Type: typ, fn: info.Fn, bits: info.Bits}, args)
	n.Nonneg = info.Bool || nonneg(info.Fn, args)
	b.define(n, &k, b.place(args, info.Cheap, traps(info.Fn, args)))
	return n
}

// Fn returns an integer function of the width of its first operand.
func (b *Builder) Fn(fn Fn, args ...*Node) *Node {
	bits := b.bitsOf(args[0])
	if fn == Select {
		bits = 0
	}
	return b.Op(b.Machine.Op(fn, bits), 0, 0, args...)
}

// ptr returns an integer function of the width of a pointer.
func (b *Builder) ptr(fn Fn, args ...*Node) *Node {
	return b.Op(b.Machine.Op(fn, b.Machine.Pointer.Bits), 0, 0, args...)
}

// Call returns the result of a function without effects on at most three operands.
func (b *Builder) Call(f Ref, result Type, args ...*Node) *Node {
	op := b.Machine.Op(Call, 0)
	k := keyOf(op, 0, 0, args)
	k.callee = f
	if n := b.lookup(&k); n != nil {
		return n
	}
	n := b.node(Node{Op: op, Callee: f, Type: result, fn: Call}, args)
	b.define(n, &k, b.place(args, false, false))
	return n
}

// Global returns a value that op reads and that never changes, once for the function.
func (b *Builder) Global(op Op, imm uint64, name string) *Node {
	k := key{op: op, imm: imm}
	if n := b.lookup(&k); n != nil {
		return n
	}
	n := b.node(Node{Op: op, Imm: imm, Type: b.Machine.Int(b.Machine.Pointer.Bits), Nonneg: true, Name: name}, nil)
	b.define(n, &k, b.Cur.Root())
	return n
}

// Local returns a value that op reads and that does not change while the current region runs, but may be another one elsewhere.
func (b *Builder) Local(op Op, imm uint64, name string) *Node {
	n := b.unshared(b.Cur, op, b.Machine.Int(b.Machine.Pointer.Bits))
	n.Imm, n.Name = imm, name
	return n
}

// define places n in region r, where it is found by its key.
func (b *Builder) define(n *Node, k *key, r *Region) {
	b.put(n, r)
	b.memory.known.put(k.hash(), k, n)
}

func (b *Builder) put(n *Node, r *Region) {
	n.Region, n.Pos = r, len(r.Items)
	r.add(Item{Kind: ItemDef, Node: n})
}

// unshared places a node in r that no other is equal to.
func (b *Builder) unshared(r *Region, op Op, t Type, args ...*Node) *Node {
	n := b.node(Node{Op: op, Type: t, fn: b.Machine.Info(op).Fn}, args)
	b.put(n, r)
	return n
}

// Add adds an item to the current region.
func (b *Builder) Add(it Item) {
	if it.At == nil {
		it.At = b.At
	}
	b.Cur.add(it)
}

// Branch runs yes where cond is not 0, else no, which may be nil.
func (b *Builder) Branch(cond *Node, name string, yes, no func()) {
	outer := b.Cur
	it := Item{Kind: ItemIf, Args: b.Operands(cond), Text: name}
	it.Body = NewRegion(BranchRegion, outer)
	b.Cur = it.Body
	yes()
	if no != nil {
		it.Alt = NewRegion(BranchRegion, outer)
		b.Cur = it.Alt
		no()
	}
	b.Cur = outer
	b.Add(it)
}
