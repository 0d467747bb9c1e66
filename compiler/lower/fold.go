package lower

import "math"

// fold computes integer instructions on constants and drops neutral operands; nil means that
// there is nothing to fold. Floating point is left as written.
func (b *Builder) fold(info Info, op Op, args []*Node) *Node {
	switch {
	case info.Fn == Select:
		if args[2].IsConst() {
			if args[2].Imm != 0 {
				return args[0]
			}
			return args[1]
		}
	case len(args) == 1:
		return b.foldUnary(info.Fn, op, args[0])
	case len(args) == 2 && info.Fn != Other:
		return b.foldBinary(info, args[0], args[1])
	}
	return nil
}

func (b *Builder) foldUnary(fn Fn, op Op, x *Node) *Node {
	switch {
	case fn == Wrap && (x.fn == ExtendS || x.fn == ExtendU):
		return x.Args[0]
	case !x.IsConst():
		return nil
	}
	switch fn {
	case Wrap:
		return b.Int(32, int64(int32(x.Imm)))
	case ExtendS:
		return b.Int(64, int64(int32(x.Imm)))
	case ExtendU:
		return b.Int(64, int64(uint32(x.Imm)))
	case Extend8S:
		return b.Int(32, int64(int8(x.Imm)))
	case Extend16S:
		return b.Int(32, int64(int16(x.Imm)))
	case Eqz:
		return b.truth(x.Imm == 0)
	case Other:
		return b.Machine.Fold(b, op, x)
	}
	return nil
}

func (b *Builder) truth(t bool) *Node {
	if t {
		return b.Int(32, 1)
	}
	return b.Int(32, 0)
}

func (b *Builder) foldBinary(info Info, p, q *Node) *Node {
	x, xok := p.Int()
	y, yok := q.Int()
	if xok && yok {
		return b.foldConst(info.Fn, int(info.Bits), x, y)
	}
	if fn := mirrored[info.Fn]; fn != Other && (xok || q.fn == And && p.fn != And && !yok) {
		return b.Op(b.Machine.Op(fn, int(info.Bits)), 0, 0, q, p)
	}
	if yok && y == 0 {
		switch info.Fn {
		case LtU:
			return b.truth(false)
		case GeU:
			return b.truth(true)
		case LeU:
			return b.Fn(Eq, p, q)
		case GtU:
			return b.Fn(Ne, p, q)
		}
	}
	return neutral(info.Fn, p, q, xok && x == 0, yok && y == 0, yok && y == 1)
}

// mirrored holds the comparison that says the same of exchanged operands. Constants stand on the right: what compares
// alike is one value then. So does anything that is compared with a bitwise and, because wazero 1.12 compiles a branch
// on 0 < (x & y) as one on (x & y) < 0 (tryLowerBandToFlag drops the order of the operands), and on arm64 takes the
// flags of unsigned comparisons of x & y with 0 from an instruction that does not set them.
var mirrored = [NumFns]Fn{LtS: GtS, GtS: LtS, LtU: GtU, GtU: LtU, LeS: GeS, GeS: LeS, LeU: GeU, GeU: LeU, Eq: Eq, Ne: Ne}

// foldConst computes fn on signed values of some bits. What traps is left.
func (b *Builder) foldConst(fn Fn, bits int, x, y int64) *Node {
	count := uint64(y) & uint64(bits-1)
	lowest := int64(math.MinInt64) >> (64 - bits)
	switch fn {
	case Add:
		return b.Int(bits, x+y)
	case Sub:
		return b.Int(bits, x-y)
	case Mul:
		return b.Int(bits, x*y)
	case And:
		return b.Int(bits, x&y)
	case Or:
		return b.Int(bits, x|y)
	case Xor:
		return b.Int(bits, x^y)
	case Shl:
		return b.Int(bits, x<<count)
	case ShrS:
		return b.Int(bits, x>>count)
	case ShrU:
		return b.Int(bits, int64(uint64(x)<<(64-bits)>>(64-bits)>>count))
	case Eq:
		return b.truth(x == y)
	case Ne:
		return b.truth(x != y)
	case LtS:
		return b.truth(x < y)
	case GtS:
		return b.truth(x > y)
	case LeS:
		return b.truth(x <= y)
	case GeS:
		return b.truth(x >= y)
	case LtU:
		return b.truth(uint64(x) < uint64(y)) // sign extension keeps the order
	case GtU:
		return b.truth(uint64(x) > uint64(y))
	case LeU:
		return b.truth(uint64(x) <= uint64(y))
	case GeU:
		return b.truth(uint64(x) >= uint64(y))
	case DivS:
		if y != 0 && (y != -1 || x != lowest) {
			return b.Int(bits, x/y)
		}
	case RemS:
		if y != 0 && y != -1 {
			return b.Int(bits, x%y)
		}
	}
	return nil
}

func neutral(fn Fn, p, q *Node, pZero, qZero, qOne bool) *Node {
	switch {
	case qZero && (fn == Add || fn == Sub || fn == Shl || fn == Or):
		return p
	case pZero && (fn == Add || fn == Or):
		return q
	case qOne && fn == Mul:
		return p
	case fn == Mul && pZero:
		return p
	case fn == Mul && qZero:
		return q
	}
	return nil
}

// traps reports whether fn on args may trap.
func traps(fn Fn, args []*Node) bool {
	switch fn {
	case DivS, DivU, RemS, RemU:
		v, ok := args[1].Int()
		return !ok || v == 0 || v == -1
	}
	return false
}

// nonneg reports whether fn of args is at least 0. Index arithmetic does not overflow.
func nonneg(fn Fn, args []*Node) bool {
	switch fn {
	case Add, Mul, Shl, DivS, DivU, ShrS, RemS, ExtendS, Wrap, Select:
		for _, a := range args {
			if !a.Nonneg {
				return false
			}
		}
		return true
	case And:
		return args[0].Nonneg || args[1].Nonneg
	case ShrU, RemU:
		return args[0].Nonneg
	case ExtendU:
		return true
	}
	return false
}
