package interp

import (
	"regexp"
	"strconv"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The instructions of tensor cores are those of a warp: all 32 threads come to one together, and each holds a part of every matrix in its
// registers. Which part is what PTX says ("Matrix Fragments for mma.m16n8k16" and its neighbours): lane l is number l%4 of group l/4. A
// register of 32 bits of an operand holds elements that follow each other along k; the register numbers go through the halves of 8 rows
// first, then along k. So one formula covers the shapes with 8 columns, mma.m8n8k4 of float16 aside, which is refused.
//
// ptx_mma adds the products in order of k and rounds each sum to the type of the accumulator, as a loop does that accumulates there. A device may
// round more or less often.

// mmaLanes is the number of threads that take part.
const mmaLanes = 32

// mmaShape is that of a product: of m by k and k by 8 elements, per of which are in a register.
type mmaShape struct{ m, k, per int64 }

// a returns which element of the first operand is number i of a lane.
func (s mmaShape) a(lane, i int64) (row, col int64) {
	reg := i / s.per
	row, col = lane/4, lane%4*s.per+i%s.per
	if s.m == 16 {
		row += reg % 2 * 8
		reg /= 2
	}
	return row, col + reg*4*s.per
}

// b returns which element of the second operand is number i of a lane.
func (s mmaShape) b(lane, i int64) (row, col int64) {
	return lane%4*s.per + i%s.per + i/s.per*4*s.per, lane / 4
}

// c returns which element of the accumulator is number i of a lane.
func (s mmaShape) c(lane, i int64) (row, col int64) {
	return lane/4 + i/2*8, lane%4*2 + i%2
}

// counts returns how many elements of each matrix a lane holds.
func (s mmaShape) counts() (a, b, c int64) {
	return s.m * s.k / mmaLanes, s.k * 8 / mmaLanes, s.m * 8 / mmaLanes
}

var mmaName = regexp.MustCompile(`^m(8|16)n8k(\d+)$`)

// mmaPer has the elements in a register by the types that ptx_mma names.
var mmaPer = map[string]int64{
	"fp16": 2, "float16": 2, "bf16": 2, "bfloat16": 2, "int8": 4, "uint8": 4, "e4m3": 4, "e5m2": 4, "float8_e4m3fn": 4, "float8_e5m2": 4, "fp64": 1, "float64": 1,
}

// mmaShapeOf reads the first arguments of ptx_mma.
func (c *compiler) mmaShapeOf(e *tir.Call) mmaShape {
	var text [6]string
	for i := range text {
		s, ok := e.Args[i].(*tir.StringImm)
		if !ok {
			c.fail("ptx_mma needs a text as argument %d", i)
		}
		text[i] = s.Value
	}
	name := mmaName.FindStringSubmatch(text[0])
	s := mmaShape{per: mmaPer[text[3]]}
	if name != nil {
		s.m, _ = strconv.ParseInt(name[1], 10, 64)
		s.k, _ = strconv.ParseInt(name[2], 10, 64)
	}
	switch {
	case text[1] != "row" || text[2] != "col":
		c.fail("ptx_mma of layouts %s and %s: the interpreter has row and col", text[1], text[2])
	case s.per == 0 || mmaPer[text[4]] != s.per:
		c.fail("ptx_mma of %s and %s: the interpreter has elements of 8 and 16 bits, and float64", text[3], text[4])
	case s.m == 0 || s.k < 4*s.per || s.k > 64 || s.k%(4*s.per) != 0:
		c.fail("ptx_mma of shape %s with %s: the interpreter has m8n8 and m16n8 with multiples of %d for k", text[0], text[3], 4*s.per)
	case len(e.Args) > 13:
		c.fail("ptx_mma with the operator of bits")
	case !tir.IsConst(e.Args[12], 0):
		c.fail("ptx_mma that saturates")
	}
	return s
}

// mma is ptx_mma(shape, layout of a, layout of b, types of a, b and c, a, index, b, index, c, index, saturate): c += a*b.
func (c *compiler) mma(e *tir.Call) value {
	c.inKernel("ptx_mma")
	c.count(e, 13, 14)
	s := c.mmaShapeOf(e)
	nA, nB, nC := s.counts()
	mine := append(c.loadsOf(e, 6, nA), c.loadsOf(e, 8, nB)...)
	mine = append(mine, c.loadsOf(e, 10, nC)...)
	puts := c.putsOf(e, 10, nC)
	a, b, acc := elemOf(e.Args[6].(*tir.Var)), elemOf(e.Args[8].(*tir.Var)), elemOf(e.Args[10].(*tir.Var))
	if a.IsFloat() != acc.IsFloat() || b.IsFloat() != acc.IsFloat() {
		c.fail("ptx_mma of %s and %s, added to %s", a, b, acc)
	}
	o := c.ofWarp(e, "multiplies matrices")
	o.meet = func(ts []*thread) {
		c.wholeWarp(ts, "ptx_mma")
		x, y := make([]number, s.m*s.k), make([]number, s.k*8)
		for lane, t := range ts {
			for i := range nA {
				row, col := s.a(int64(lane), i)
				x[row*s.k+col] = t.mine[i]
			}
			for i := range nB {
				row, col := s.b(int64(lane), i)
				y[row*8+col] = t.mine[nA+i]
			}
		}
		add := accumulate(acc)
		for lane, t := range ts {
			t.got = make([]number, nC)
			for i := range nC {
				row, col := s.c(int64(lane), i)
				sum := t.mine[nA+nB+i]
				for k := range s.k {
					sum = add(sum, x[row*s.k+k], y[k*8+col])
				}
				t.got[i] = sum
			}
		}
	}
	return c.exchange(o, func(*frame) bool { return true }, mine, puts)
}

// accumulate returns what adds a product to a sum of type d.
func accumulate(d dtype.DType) func(sum, x, y number) number {
	if !d.IsFloat() {
		return func(sum, x, y number) number { return number{i: wrap(d, sum.i+x.i*y.i)} }
	}
	round := rounder(d)
	if round == nil {
		round = func(v float64) float64 { return v }
	}
	return func(sum, x, y number) number { return number{f: round(sum.f + round(x.f*y.f))} }
}

// ofWarp is the operation of an instruction that all threads of a warp come to together.
func (c *compiler) ofWarp(e *tir.Call, does string) *operation {
	return &operation{what: reachWarp, barrier: true, site: c.site(does, e)}
}

// wholeWarp fails unless ts, in order, are the 32 threads of a warp.
func (c *compiler) wholeWarp(ts []*thread, name string) {
	if n := ts[0].block.launch.warp; len(ts) != mmaLanes || n != mmaLanes {
		ts[0].fr.fail("%s is for warps of 32 threads, here %d of %d come to it", name, len(ts), n)
	}
}

// exchange has each thread give its values, if it has any, and put those that it gets.
func (c *compiler) exchange(o *operation, gives func(*frame) bool, mine []value, puts []func(*frame, number)) value {
	return value{i: func(fr *frame) int64 {
		t := fr.thread
		if t == nil {
			fr.fail("an instruction of a warp is outside of the threads of a kernel")
		}
		t.mine = nil
		if gives(fr) {
			t.mine = make([]number, len(mine))
			for i, v := range mine {
				t.mine[i] = v.number(fr)
			}
		}
		fr.wait(o)
		for i, put := range puts {
			put(fr, t.got[i])
		}
		return 0
	}}
}

// loadsOf compiles loads of n elements behind the pointer that is argument i, from the index that follows it on.
func (c *compiler) loadsOf(e *tir.Call, i int, n int64) []value {
	v := c.pointerArg(e, i)
	return c.loadsAt(whole(v, elemOf(v)), e.Args[i+1], n)
}

func (c *compiler) loadsAt(b *tir.Buffer, from tir.Expr, n int64) []value {
	out := make([]value, n)
	for k := range n {
		out[k] = c.expr(tir.Load(b, tir.Add(wide(from), tir.Int(k))))
	}
	return out
}

// putsOf compiles stores to those elements.
func (c *compiler) putsOf(e *tir.Call, i int, n int64) []func(*frame, number) {
	v := c.pointerArg(e, i)
	out := make([]func(*frame, number), n)
	for k := range n {
		out[k] = c.put(tir.Store(whole(v, elemOf(v)), tir.Const(elemOf(v), 0), tir.Add(wide(e.Args[i+1]), tir.Int(k))))
	}
	return out
}

// put compiles what stores a number in the place of the value of s.
func (c *compiler) put(s *tir.BufferStore) func(*frame, number) {
	t := c.place(s.Buffer, s.Indices)
	if t.elem.IsFloat() {
		put := c.putFloat(s, &t)
		return func(fr *frame, n number) { put(fr, t.at(fr), n.f) }
	}
	put := c.putInt(s, &t)
	return func(fr *frame, n number) { put(fr, t.at(fr), n.i) }
}
