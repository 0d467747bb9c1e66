package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/hostmath"
	"github.com/irscope/irscope/runtime/native/asm"
)

var roundModes = map[string]uint64{"floor": roundDown, "ceil": roundUp, "trunc": roundZero, "nearbyint": roundEven}

// Math computes one part, scalar or vector, or asks the host, lane by lane.
func (g *gen) Math(name string, x []*node, d dtype.DType, packed bool, what string) *node {
	if mode, ok := roundModes[name]; ok {
		return g.roundFloat(mode, x[0], d, packed)
	}
	compare := func(c uint64, a, b *node) *node {
		switch {
		case packed:
			return g.vcompareFloat(c, a, b, d)
		case d.Bits == 64:
			return g.imm(pCompare64, c, a, b)
		}
		return g.imm(pCompare32, c, a, b)
	}
	konst := func(v float64) *node {
		c := g.FloatConst(d, v, what)
		if packed {
			return g.splatConst(c.Imm, int(d.Bits)/8, widthOfNode(x[0]))
		}
		return c
	}
	sign := func(to, from *node) *node {
		return g.bitsOp(pVOr, d, g.fabs(to, d, packed), g.signOf(from, d, packed))
	}
	switch name {
	case "sqrt":
		return g.sqrt(x[0], d, packed)
	case "fabs":
		return g.fabs(x[0], d, packed)
	case "copysign":
		return sign(x[0], x[1])
	case "fma":
		return g.mulAdd(x[0], x[1], x[2], d, packed)
	case "ldexp": // of two numbers, for targets with the instruction: tir.LowerMath makes a definition of it for others
		return g.floatIns([4]asm.Op{asm.VSCALEFSS, asm.VSCALEFPS, asm.VSCALEFSD, asm.VSCALEFPD}, d, packed, x[0], x[1])
	case "isnan":
		return compare(cmpUnord, x[0], x[0])
	case "isinf":
		return compare(cmpEq, g.fabs(x[0], d, packed), konst(math.Inf(1)))
	case "round": // halves away from zero
		t := g.roundFloat(roundZero, x[0], d, packed)
		far := compare(cmpGe, g.fabs(g.floatIns(floatOps[tir.OpSub], d, packed, x[0], t), d, packed), konst(0.5))
		up := g.floatIns(floatOps[tir.OpAdd], d, packed, t, sign(konst(1), x[0]))
		if packed {
			return g.vop(pBlend, 0, up, t, far)
		}
		return g.Pick(far, up, t)
	}
	if packed {
		return nil
	}
	return g.hostFloat(name, x, d, what)
}

// hostFloat asks the host for the C function of a name.
func (g *gen) hostFloat(name string, x []*node, d dtype.DType, what string) *node {
	symbol, result := name, tF64
	if d.Bits == 32 {
		symbol, result = name+"f", tF32
	}
	sig, ok := abi.Math(symbol)
	if !ok || len(sig.Params) != len(x) || x[len(x)-1].Type != result {
		g.Fail(what, "there is no instruction for %s of %s, nor has the host a function", name, d)
	}
	return g.Call(lower.Ref(hostmath.Number(symbol)), result, x...)
}
