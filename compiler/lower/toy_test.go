package lower_test

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
)

// The toy target: instructions are the functions of the middle end in two widths, and memory holds
// integers of 32 bits. Its code is the graph itself, which run executes as a generator would write
// it: a node that is inlined is computed where its user is, others where they are defined.
const (
	i32 lower.Type = 1
	i64 lower.Type = 2

	wide    lower.Op = 64 // added to the function for 64 bits
	opLoad  lower.Op = 200
	opStore lower.Op = 201
	opMulti lower.Op = 202 // expensive and unknown: n*n+1
	opFold  lower.Op = 203 // unknown, folded by the target: -n
)

// toy is a machine with pointers of some bits that adds offsets up to a limit.
func toy(ptr int, maxOffset int64) *lower.Machine {
	return &lower.Machine{
		Info: func(op lower.Op) lower.Info {
			switch op {
			case opLoad, opMulti, opFold:
				return lower.Info{Result: i32}
			case opStore:
				return lower.Info{}
			}
			info := lower.Info{Fn: lower.Fn(op % wide), Bits: 32, Result: i32, Cheap: true}
			if op >= wide {
				info.Bits, info.Result = 64, i64
			}
			switch info.Fn {
			case lower.Get, lower.Set, lower.Call, lower.Select:
				info.Bits, info.Result = 0, 0
			case lower.Eqz, lower.Eq, lower.Ne, lower.LtS, lower.LtU, lower.GtS, lower.GtU, lower.LeS, lower.LeU, lower.GeS, lower.GeU:
				info.Result, info.Bool = i32, true
			case lower.Wrap:
				info.Result = i32
			case lower.ExtendS, lower.ExtendU:
				info.Result = i64
			}
			return info
		},
		Op: func(fn lower.Fn, bits int) lower.Op {
			if bits == 64 {
				return lower.Op(fn) + wide
			}
			return lower.Op(fn)
		},
		Fold: func(b *lower.Builder, op lower.Op, x *lower.Node) *lower.Node {
			if op != opFold {
				return nil
			}
			v, _ := x.Int()
			return b.Int(32, -v)
		},
		Int: func(bits int) lower.Type {
			if bits == 64 {
				return i64
			}
			return i32
		},
		Pointer: lower.Pointer{Bits: ptr, MaxOffset: maxOffset, Below: 64},
	}
}

// registers are those of one function.
type registers struct{ types []lower.Type }

func (r *registers) make(_ string, t lower.Type) lower.Reg {
	r.types = append(r.types, t)
	return lower.Reg(len(r.types) - 1)
}

func (r *registers) typeOf(x lower.Reg) lower.Type { return r.types[x] }

// machineState executes regions.
type machineState struct {
	regs  map[lower.Reg]int64
	mem   []int32
	count map[lower.Op]int // of instructions executed
	polls float64          // work that was taken off the budget
	polli int              // polls executed
	left  *lower.Region    // the block that is being left
	low   int64            // the lowest address that an offset was added to, 0 at most
}

func execute(root *lower.Region, mem []int32, regs map[lower.Reg]int64) *machineState {
	lower.CountUses(root)
	s := &machineState{regs: regs, mem: mem, count: map[lower.Op]int{}}
	s.region(root)
	return s
}

func (s *machineState) region(r *lower.Region) {
	held := map[*lower.Node]bool{}
	for i := range r.Items {
		it := &r.Items[i]
		if it.Kind == lower.ItemDef {
			if n := it.Node; n.Uses > 0 && !n.Inlined() {
				v := s.compute(n)
				n.Held, n.Left = true, int(v)
				held[n] = true
			}
			continue
		}
		s.item(it)
		if s.left != nil {
			break
		}
	}
	for n := range held {
		n.Held = false
	}
}

func (s *machineState) item(it *lower.Item) {
	switch it.Kind {
	case lower.ItemStore:
		s.mem[s.word(s.value(it.Args[0]), it.Imm)] = int32(s.value(it.Args[1]))
	case lower.ItemSet:
		s.regs[it.Reg] = s.value(it.Args[0])
	case lower.ItemIf:
		if s.value(it.Args[0]) != 0 {
			s.region(it.Body)
		} else if it.Alt != nil {
			s.region(it.Alt)
		}
	case lower.ItemLoop:
		for again := true; again && s.left == nil; {
			again = s.turn(it)
		}
	case lower.ItemBlock:
		s.region(it.Body)
		if s.left == it.Body {
			s.left = nil
		}
	case lower.ItemBreak:
		if len(it.Args) == 0 || s.value(it.Args[0]) != 0 {
			s.left = it.Target
		}
	case lower.ItemPoll:
		s.polls += float64(it.Imm)
		s.polli++
	default:
		panic(fmt.Sprintf("toy: item %d", it.Kind))
	}
}

// turn runs the body of a loop once; its condition is computed in the scope of the body.
func (s *machineState) turn(it *lower.Item) bool {
	body := *it.Body
	again := true
	body.Items = append(append([]lower.Item(nil), it.Body.Items...), lower.Item{Kind: lower.ItemSet, Reg: -1, Args: it.Args})
	if len(it.Args) == 0 {
		body.Items = it.Body.Items
	}
	s.region(&body)
	if len(it.Args) > 0 {
		again = s.regs[-1] != 0
	}
	return again
}

func (s *machineState) value(n *lower.Node) int64 {
	if n.Held {
		return int64(n.Left)
	}
	return s.compute(n)
}

func (s *machineState) compute(n *lower.Node) int64 {
	if v, ok := n.Int(); ok {
		return v
	}
	var x [3]int64
	for i, a := range n.Args {
		x[i] = s.value(a)
	}
	s.count[n.Op]++
	switch n.Op {
	case opLoad:
		return int64(s.mem[s.word(x[0], n.Imm)])
	case opMulti:
		return int64(int32(x[0]*x[0] + 1))
	case opFold:
		return int64(int32(-x[0]))
	}
	return integer(lower.Fn(n.Op%wide), n.Op >= wide, x, func() int64 { return s.regs[lower.Reg(n.Imm)] })
}

// word is the element at an address and an offset.
func (s *machineState) word(address int64, offset uint64) int64 {
	s.low = min(s.low, address)
	return (address + int64(offset)) / 4
}

// integer computes an integer function in the plainest way.
func integer(fn lower.Fn, is64 bool, x [3]int64, reg func() int64) int64 {
	a, b := x[0], x[1]
	cut, bits := func(v int64) int64 { return int64(int32(v)) }, uint64(32)
	unsigned := func(v int64) uint64 { return uint64(uint32(v)) }
	if is64 {
		cut, bits = func(v int64) int64 { return v }, 64
		unsigned = func(v int64) uint64 { return uint64(v) }
	}
	truth := func(t bool) int64 {
		if t {
			return 1
		}
		return 0
	}
	switch fn {
	case lower.Get:
		return reg()
	case lower.Select:
		if x[2] != 0 {
			return a
		}
		return b
	case lower.Add:
		return cut(a + b)
	case lower.Sub:
		return cut(a - b)
	case lower.Mul:
		return cut(a * b)
	case lower.DivS:
		return cut(a / b)
	case lower.DivU:
		return cut(int64(unsigned(a) / unsigned(b)))
	case lower.RemS:
		return cut(a % b)
	case lower.RemU:
		return cut(int64(unsigned(a) % unsigned(b)))
	case lower.And:
		return a & b
	case lower.Or:
		return a | b
	case lower.Xor:
		return a ^ b
	case lower.Shl:
		return cut(a << (uint64(b) % bits))
	case lower.ShrS:
		return a >> (uint64(b) % bits)
	case lower.ShrU:
		return cut(int64(unsigned(a) >> (uint64(b) % bits)))
	case lower.Eqz:
		return truth(a == 0)
	case lower.Eq:
		return truth(a == b)
	case lower.Ne:
		return truth(a != b)
	case lower.LtS:
		return truth(a < b)
	case lower.LtU:
		return truth(unsigned(a) < unsigned(b))
	case lower.GtS:
		return truth(a > b)
	case lower.GtU:
		return truth(unsigned(a) > unsigned(b))
	case lower.LeS:
		return truth(a <= b)
	case lower.LeU:
		return truth(unsigned(a) <= unsigned(b))
	case lower.GeS:
		return truth(a >= b)
	case lower.GeU:
		return truth(unsigned(a) >= unsigned(b))
	case lower.Wrap:
		return int64(int32(a))
	case lower.ExtendS:
		return int64(int32(a))
	case lower.ExtendU:
		return int64(uint32(a))
	case lower.Extend8S:
		return int64(int8(a))
	case lower.Extend16S:
		return int64(int16(a))
	}
	panic(fmt.Sprintf("toy: function %d", fn))
}
