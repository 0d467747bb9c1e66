package tirpass_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// smallFloats and smallInts are what LowerSmallDatatypes lowers.
var (
	smallFloats = []string{"float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn"}
	smallInts   = []string{"int4", "uint4", "int2", "uint2"}
)

// lowerSmall puts a function behind the calling convention and lowers its small types; none is left.
func lowerSmall(t *testing.T, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	c := passtest.NewContext()
	out := apply(t, c, tirpass.LowerSmallDatatypes, apply(t, c, tirpass.MakePackedAPI, apply(t, c, tirpass.FlattenBuffer, f)))
	ir.Walk(out.Body, func(n ir.Node) bool {
		if e, ok := n.(tir.Expr); ok {
			if d := e.DType(); d.Code > dtype.Bool || d.IsInteger() && d.Bits < 8 {
				t.Errorf("%T of type %s is left", e, d)
				return false
			}
		}
		return true
	})
	return out
}

// equalNumbers compares tensors number by number, the signs of zeros with them; a NaN is one like any other.
func equalNumbers(got, want []any) string {
	for i := range want {
		g, w := got[i].(*tensor.Tensor), want[i].(*tensor.Tensor)
		for k := range w.Len() {
			x, y := g.Float(k), w.Float(k)
			if x != y && !(x != x && y != y) || math.Signbit(x) != math.Signbit(y) && x == x {
				return fmt.Sprintf("tensor %d, %s: element %d is %v, want %v", i, w.DType, k, x, y)
			}
		}
	}
	return ""
}

// compareSmall runs f before and after it is lowered.
func compareSmall(t *testing.T, f *tir.PrimFunc, args []any) {
	t.Helper()
	out := lowerSmall(t, f)
	want := mustRun(t, f, args)
	got, err := tirtest.Run(out, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := equalNumbers(got, want); diff != "" {
		t.Fatalf("%s\n%s", diff, print(f))
	}
}

// TestSmallConversions converts all codes of small types to wider ones, and numbers to them: near ties, near the ends of their ranges, and beyond.
func TestSmallConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	for _, small := range append(smallFloats, smallInts...) {
		for _, wide := range []string{"float32", "float16", "bfloat16", "float64", "int8", "int32", "int64", "uint8", "bool"} {
			f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((4096,), "%[1]s"), B: T.Buffer((4096,), "%[2]s"), C: T.Buffer((4096,), "%[1]s"), D: T.Buffer((4096,), "%[2]s")):
    for i in range(4096):
        B[i] = T.Cast("%[2]s", A[i])
        C[i] = T.Cast("%[1]s", D[i])`, small, wide))
			args := tirtest.Arguments(f, 1)
			a, d := args[0].(*tensor.Tensor), args[3].(*tensor.Tensor)
			for k := range 4096 {
				a.Data[k] = byte(k) & (1<<min(a.DType.Bits, 8) - 1)
				v := a.Float(k)
				switch k / 256 {
				case 0: // the numbers themselves
				case 1, 2: // the middles of two, and next to them
					other := tensor.MustNew(a.DType, 1)
					other.Data[0] = a.Data[k] + 1
					v = (v + other.Float(0)) / 2
					if k/256 == 2 {
						v = math.Nextafter(v, math.Inf(1-2*rng.IntN(2)))
					}
				case 3:
					v = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e300, 1e-300, 3 << 40, 3<<40 + 1}[k%10]
				default:
					v = math.Ldexp(rng.Float64()*2-1, rng.IntN(40)-20)
				}
				d.SetFloat(k, v)
			}
			compareSmall(t, f, args)
		}
	}
}

// smallProgram writes random expressions over tensors of small types.
type smallProgram struct {
	r     *rand.Rand
	types []string // of A, B, and C
}

func (p *smallProgram) expr(d string, depth int) string {
	r := p.r
	float := strings.HasPrefix(d, "float")
	if depth == 0 {
		switch r.IntN(4) {
		case 0:
			if float {
				return fmt.Sprintf(`T.Cast("%s", T.float32(%v))`, d, math.Ldexp(float64(r.IntN(31)-15), r.IntN(6)-3))
			}
			lo, hi := dtype.MustParse(d).IntLimits()
			return fmt.Sprintf(`T.Cast("%s", %d)`, d, lo+r.Int64N(hi-lo+1))
		case 1:
			return fmt.Sprintf(`T.Cast("%s", i)`, d)
		}
		k := r.IntN(2)
		load := string("AB"[k]) + []string{"[i]", "[15 - i]"}[r.IntN(2)]
		if p.types[k] == d {
			return load
		}
		return fmt.Sprintf(`T.Cast("%s", %s)`, d, load)
	}
	a, b := p.expr(d, depth-1), p.expr(d, depth-1)
	switch n := r.IntN(11); {
	case n == 0:
		return fmt.Sprintf("T.min(%s, %s)", a, b)
	case n == 1:
		return fmt.Sprintf("T.max(%s, %s)", a, b)
	case n == 2:
		return fmt.Sprintf("T.Select(%s < %s, %s, %s)", a, b, p.expr(d, depth-1), p.expr(d, depth-1))
	case n == 3:
		return fmt.Sprintf("T.if_then_else(%s == %s, %s, %s)", a, b, p.expr(d, depth-1), p.expr(d, depth-1))
	case n == 4: // through another type, which rounds
		other := append(smallFloats, smallInts...)[r.IntN(len(smallFloats)+len(smallInts))]
		return fmt.Sprintf(`T.Cast("%s", T.Cast("%s", %s))`, d, other, a)
	case n == 5 && float:
		return fmt.Sprintf("(%s) / (%s)", a, b)
	case n == 5:
		return fmt.Sprintf(`T.floordiv(%s, T.Cast("%s", 1))`, a, d)
	case n == 6 && !float:
		return fmt.Sprintf("T.bitwise_xor(%s, %s)", a, b)
	case n == 7 && !float:
		return fmt.Sprintf("T.bitwise_not(%s)", a)
	case n == 8 && !float:
		return fmt.Sprintf(`T.shift_left(%s, T.Cast("%s", 1))`, a, d)
	case n == 9:
		return fmt.Sprintf("(%s) - (%s)", a, b)
	case n == 10:
		return fmt.Sprintf("(%s) * (%s)", a, b)
	}
	return fmt.Sprintf("(%s) + (%s)", a, b)
}

// TestRandomSmall lowers random expressions and compares to the bit: each operation rounds, or wraps, as it did.
func TestRandomSmall(t *testing.T) {
	all := append(smallFloats, smallInts...)
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		p := &smallProgram{r, []string{all[r.IntN(len(all))], all[r.IntN(len(all))], all[r.IntN(len(all))]}}
		f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((16,), "%s"), B: T.Buffer((16,), "%s"), C: T.Buffer((16,), "%[3]s")):
    D = T.decl_buffer((16,), "%[3]s")
    for i in range(16):
        v: T.%[3]s = %s
        D[i] = %s
        C[i] = T.Select(i < 8, D[i], v)`, p.types[0], p.types[1], p.types[2], p.expr(p.types[2], 2), p.expr(p.types[2], 3)))
		args := tirtest.Arguments(f, r.Uint64())
		for _, x := range args[:2] {
			x := x.(*tensor.Tensor)
			for k := range x.Data {
				x.Data[k] = byte(r.Uint32()) & (1<<min(x.DType.Bits, 8) - 1)
			}
		}
		compareSmall(t, f, args)
	})
}
