//go:build linux && amd64

package x86_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/x86"
)

var update = flag.Bool("update", false, "rewrite golden files")

// conv is a 3x3 convolution over rows of 16 channels in blocks, as a schedule for AVX2 has it: tiles of three pixels and two vectors, the weights of a tap in the
// order in which they are read.
func conv(ic, h, w int64) *tir.PrimFunc {
	f32 := dtype.Float32T
	const pixels, block = 3, 16
	x, k, y := flat("X", f32, (h+2)*(w+2)*ic), flat("W", f32, 9*ic*block), flat("Y", f32, h*w*block)
	acc := tir.NewBuffer("acc", f32, []tir.Expr{tir.Int32(pixels * block)}, "local")
	oh, ow, c, kh, kw := i32var("oh"), i32var("ow"), i32var("c"), i32var("kh"), i32var("kw")
	at := func(c int64, terms ...any) tir.Expr {
		e := tir.Expr(tir.Int32(c))
		for n := 0; n < len(terms); n += 2 {
			e = tir.Add(tir.Mul(terms[n].(tir.Expr), tir.Int32(terms[n+1].(int64))), e)
		}
		return ramp(e, 1, 8)
	}
	var init, step, out []tir.Stmt
	for p := range int64(pixels) {
		for v := int64(0); v < block; v += 8 {
			place := ramp(tir.Int32(p*block+v), 1, 8)
			pixel := at(p*ic, oh, (w+2)*ic, ow, pixels*ic, kh, (w+2)*ic, kw, ic, c, int64(1)).(*tir.Ramp).Start
			init = append(init, tir.Store(acc, broadcast(tir.FloatConst(f32, 0), 8), place))
			step = append(step, tir.Store(acc, tir.NewCall(tir.OpFma, broadcast(tir.Load(x, pixel), 8), tir.Load(k, at(v, kh, 3*ic*block, kw, ic*block, c, int64(block))), tir.Load(acc, place)), place))
			out = append(out, tir.Store(y, tir.Max(tir.Load(acc, place), broadcast(tir.FloatConst(f32, 0), 8)), at(p*block+v, oh, w*block, ow, int64(pixels*block))))
		}
	}
	return primFunc("conv", []any{x, k, y}, forLoop(oh, tir.Int32(h), forLoop(ow, tir.Int32(w/pixels), local(acc, tir.Seq(init...),
		forLoop(kh, tir.Int32(3), forLoop(kw, tir.Int32(3), forLoop(c, tir.Int32(ic), step...))), tir.Seq(out...)))))
}

// TestConvolution compares the text of a convolution with what it was.
func TestConvolution(t *testing.T) {
	const ic, h, w = 4, 5, 6
	f := conv(ic, h, w)
	funcs := packed(t, f)
	checkLowered(t, f, funcs, random(dtype.Float32T, 1, (h+2)*(w+2)*ic), random(dtype.Float32T, 2, 9*ic*16), random(dtype.Float32T, 3, h*w*16))
	for _, name := range []string{"avx2", "avx512"} {
		lib, _, err := build(funcs, machines[name])
		if err != nil {
			t.Fatal(err)
		}
		text := lib.Kernels[0].Text()
		text = text[strings.Index(text, "; loop oh"):]
		file := filepath.Join("testdata", "conv_"+name+".asm")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || text != string(want) {
			t.Errorf("%s: %v; the text is\n%s", file, err, text)
		}
	}
}

// TestUnrolled compares code for loops that are marked with that for their copies: sums stand in registers in both, also where a variable that is constant in each
// copy says which sum it is.
func TestUnrolled(t *testing.T) {
	a, b := flat("A", dtype.Float32T, 64), flat("B", dtype.Float32T, 4)
	acc := tir.NewBuffer("acc", dtype.Float32T, []tir.Expr{tir.Int32(8)}, "local")
	i := i32var("i")
	each := func(marked bool, f func(j tir.Expr) tir.Stmt) tir.Stmt {
		if marked {
			j := i32var("j")
			return &tir.For{LoopVar: j, Min: tir.Int32(0), Extent: tir.Int32(4), Kind: tir.Unrolled, Body: f(j)}
		}
		var all []tir.Stmt
		for j := range int64(4) {
			all = append(all, f(tir.Int32(j)))
		}
		return tir.Seq(all...)
	}
	text := func(marked bool) string {
		f := primFunc("sums", []any{a, b}, local(acc,
			each(marked, func(j tir.Expr) tir.Stmt { return tir.Store(acc, tir.FloatConst(dtype.Float32T, 0), j) }),
			each(marked, func(j tir.Expr) tir.Stmt { return tir.Store(acc, tir.Load(b, j), tir.Add(j, tir.Int32(4))) }),
			forLoop(i, tir.Int32(16), each(marked, func(j tir.Expr) tir.Stmt {
				sum := func(at tir.Expr) tir.Stmt {
					return tir.Store(acc, tir.Add(tir.Load(acc, at), tir.Load(a, tir.Add(tir.Mul(i, tir.Int32(4)), j))), at)
				}
				if wide := tir.NewVar("wide", dtype.Int64T); marked {
					at := tir.NewVar("at", dtype.Int64T)
					return &tir.LetStmt{Var: wide, Value: &tir.Cast{Type: dtype.Int64T, Value: j}, Body: &tir.LetStmt{Var: at, Value: tir.Sub(tir.Int(3), wide), Body: sum(at)}}
				}
				return sum(tir.Sub(tir.Int32(3), j))
			})),
			each(marked, func(j tir.Expr) tir.Stmt {
				return tir.Store(acc, tir.Add(tir.Load(acc, tir.Int32(0)), tir.Load(acc, tir.Add(j, tir.Int32(4)))), tir.Int32(0))
			}),
			each(marked, func(j tir.Expr) tir.Stmt { return tir.Store(b, tir.Load(acc, j), j) })))
		funcs := packed(t, f)
		checkLowered(t, f, funcs, random(dtype.Float32T, 1, 64), random(dtype.Float32T, 2, 4))
		lib, _, err := build(funcs, machines["avx2"])
		if err != nil {
			t.Fatal(err)
		}
		return lib.Kernels[0].Text()
	}
	if marked, copies := text(true), text(false); marked != copies {
		t.Errorf("marked loops give\n%s\ntheir copies\n%s", marked, copies)
	}
	leaves := i32var("k") // a turn that something leaves has no copies
	f := primFunc("leaves", []any{b}, &tir.For{LoopVar: leaves, Min: tir.Int32(0), Extent: tir.Int32(4), Kind: tir.Unrolled, Body: tir.Seq(
		&tir.IfThenElse{Cond: tir.GT(tir.Load(b, leaves), tir.FloatConst(dtype.Float32T, 0)), Then: &tir.Evaluate{Value: &tir.Call{Op: tir.OpBreakLoop}}},
		tir.Store(b, tir.FloatConst(dtype.Float32T, 7), leaves))})
	checkLowered(t, f, packed(t, f), random(dtype.Float32T, 2, 4))
}

// TestAcrossLanes combines the lanes of an array in a register, as halves of vectors where the order is theirs, and one by one where two lanes are exchanged.
func TestAcrossLanes(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T, dtype.Int32T} {
		for _, o := range []tir.BinaryOp{tir.OpAdd, tir.OpMin, tir.OpMax, tir.OpMul, tir.OpSub} {
			var sizes [2]int
			for k, exchanged := range []bool{false, true} {
				n := int64(256 / int(d.Bits))
				a, b := flat("A", d, n), flat("B", d, 1)
				acc := tir.NewBuffer("acc", d, []tir.Expr{tir.Int32(n)}, "local")
				var list []tir.Expr
				for l := range n {
					list = append(list, tir.Load(acc, tir.Int32(l)))
				}
				if exchanged {
					list[1], list[2] = list[2], list[1]
				}
				for len(list) > 1 {
					half := len(list) / 2
					for i := range half {
						list[i] = tir.NewBinary(o, list[i], list[half+i])
					}
					list = list[:half]
				}
				lanes := &tir.Ramp{Start: tir.Int32(0), Stride: tir.Int32(1), Lanes: int(n)}
				f := primFunc("across", []any{a, b}, local(acc, tir.Store(acc, tir.Load(a, lanes), lanes), tir.Store(b, list[0], tir.Int32(0))))
				funcs := packed(t, f)
				checkLowered(t, f, funcs, random(d, 1, n), random(d, 2, 1))
				lib, _, err := build(funcs, machines["avx2"])
				if err != nil {
					t.Fatal(err)
				}
				sizes[k] = lib.Kernels[0].Bytes
			}
			if d == dtype.Float32T && sizes[0] >= sizes[1] {
				t.Errorf("%s of %s takes %d bytes in halves, %d one by one", o, d, sizes[0], sizes[1])
			}
		}
	}
}

// TestPolls takes the whole budget at each poll, so that the kernel leaves and is entered again at each.
func TestPolls(t *testing.T) {
	s := tile{2, 1, 8, 1}
	m, n, k := int64(32), int64(32), int64(4096)
	f := matmul(m, n, k, s)
	h := newHost(t)
	h.broke = true
	args := []any{random(dtype.Float32T, 1, m*k), random(dtype.Float32T, 2, k*n), random(dtype.Float32T, 3, m*n)}
	if s, _ := wrong(h, f, packed(t, f), args); s != "" {
		t.Error(s)
	}
	if h.polls < 64 {
		t.Errorf("%d polls", h.polls)
	}
}

// TestErrors runs kernels whose assertions fail, and one that reads outside of the memory.
func TestErrors(t *testing.T) {
	a := flat("A", dtype.Float32T, 8)
	n := i32var("n")
	f := primFunc("f", []any{a, n}, &tir.AssertStmt{Cond: tir.LT(n, tir.Int32(5)), Message: &tir.StringImm{Value: "too many"}, Body: tir.Store(a, tir.FloatConst(dtype.Float32T, 1), n)})
	divide := primFunc("d", []any{a, n}, tir.Store(a, tir.CastTo(dtype.Float32T, tir.FloorDiv(tir.Int32(5), n)), tir.Int32(0)))
	x := random(dtype.Float32T, 1, 8)
	for _, c := range []struct {
		f    *tir.PrimFunc
		args []any
		want string
	}{
		{f, []any{x, int64(7)}, "too many (7 < 5 is false)"},
		{f, []any{x, int64(-1 << 24)}, "the kernel was stopped at the address"},
		{f, []any{random(dtype.Int32T, 1, 8), int64(1)}, "f.A_handle.dtype is expected to be float32"},
		{f, []any{x, int64(4)}, ""},
		{divide, []any{x, int64(0)}, "divide"},
	} {
		for name, m := range machines {
			_, obj, err := build(pack(t, c.f), m)
			if err != nil {
				t.Fatal(err)
			}
			_, err = execute(obj, newHost(t), c.args)
			if c.want == "" && err == nil {
				continue
			}
			if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v: %v, expected %q", name, c.args[1], err, c.want)
			}
		}
	}
}

// TestHostFunctions computes what the processor has no instructions for, with much that must be kept over each request.
func TestHostFunctions(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T, dtype.Float16T} {
		a, b, c := flat("A", d, 24), flat("B", d, 24), flat("C", d, 24)
		i := i32var("i")
		at := ramp(tir.Mul(i, tir.Int32(8)), 1, 8)
		x, y := tir.Load(a, at), tir.Load(b, at)
		var body []tir.Stmt
		for _, o := range []*ir.Op{tir.OpPow, tir.OpAtan2, tir.OpHypot} {
			body = append(body, tir.Store(c, tir.Add(tir.Load(c, at), tir.Mul(tir.NewCall(o, tir.NewCall(tir.OpFabs, x), y), tir.NewCall(tir.OpSin, x))), at))
		}
		body = append(body, tir.Store(c, tir.Add(tir.Load(c, i), tir.NewBinary(tir.OpMod, tir.Load(a, i), tir.Load(b, i))), i))
		f := primFunc("f", []any{a, b, c}, forLoop(i, tir.Int32(3), body...))
		checkLowered(t, f, packed(t, f), random(d, 1, 24), random(d, 2, 24), random(d, 3, 24))
	}
}

// TestRefusals lists what is left to another generator, and why.
func TestRefusals(t *testing.T) {
	a := flat("A", dtype.Float32T, 8)
	exp := primFunc("exp", []any{a}, tir.Store(a, tir.NewCall(tir.OpSigmoid, tir.Load(a, tir.Int32(0))), tir.Int32(0)))
	plain := primFunc("plain", []any{a}, tir.Store(a, tir.FloatConst(dtype.Float32T, 1), tir.Int32(0)))
	private := plain.WithFuncAttrs(plain.Attrs.Without(ir.AttrGlobalSymbol)).(*tir.PrimFunc)
	funcs := append(packed(t, exp), packed(t, plain)...)
	funcs = append(funcs, codegen.Func{Name: "private", Prim: private})
	lib, err := x86.BuildFor(context.Background(), funcs, machines["avx2"])
	if err != nil {
		t.Fatal(err)
	}
	if len(lib.Kernels) != 1 || lib.Kernels[0].Name != "plain" {
		t.Errorf("the kernels are %v", lib.Kernels)
	}
	var got []string
	for _, r := range lib.Refused {
		got = append(got, r.Name+": "+r.Reason)
	}
	want := "exp: Call tir.sigmoid: there is no instruction for sigmoid of float32, nor has the host a function\nprivate: signature: it has no packed signature: other functions call it, and native kernels call none"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("refused\n%s", s)
	}
}

// TestLanesOfSeveral combines the lanes of several arrays in registers in statements that follow each other: rows that differ by magnitudes, so that another order of additions shows, with numbers that are none and zeros of both signs.
func TestLanesOfSeveral(t *testing.T) {
	const lanes = 16
	special := []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 0, 1e30, -1e30, 1e-30}
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T} {
		for _, o := range []tir.BinaryOp{tir.OpAdd, tir.OpMin, tir.OpMax, tir.OpMul, tir.OpSub} {
			for _, rows := range []int64{2, 3, 4, 5, 8, 11, 16, 19} {
				a, b := flat("A", d, rows*lanes), flat("B", d, 2*rows)
				var list []tir.Stmt
				var arrays []*tir.Buffer
				for r := range rows {
					acc := tir.NewBuffer(fmt.Sprint("acc", r), d, []tir.Expr{tir.Int32(lanes)}, "local")
					arrays = append(arrays, acc)
					list = append(list, tir.Store(acc, tir.Load(a, ramp(tir.Int32(r*lanes), 1, lanes)), ramp(tir.Int32(0), 1, lanes)))
				}
				var sums []tir.Expr
				for r, acc := range arrays {
					var parts []tir.Expr
					for l := range int64(lanes) {
						parts = append(parts, tir.Load(acc, tir.Int32(l)))
					}
					by := o
					if r == 13 {
						by = tir.OpMul
					}
					for len(parts) > 1 {
						half := len(parts) / 2
						for i := range half {
							parts[i] = tir.NewBinary(by, parts[i], parts[half+i])
						}
						parts = parts[:half]
					}
					sum := parts[0]
					sums = append(sums, sum)
					if r%3 == 1 { // with something behind it, and what was stored before
						sum = tir.Add(sum, tir.Load(b, tir.Int32(int64(r-1))))
					}
					list = append(list, tir.Store(b, sum, tir.Int32(int64(r))))
					if r == 6 && rows > 7 { // what the next one combines is another array by now
						list = append(list, tir.Store(arrays[7], broadcast(sums[6], lanes), ramp(tir.Int32(0), 1, lanes)))
					}
				}
				// The same expression once more, of an array that was changed.
				list = append(list, tir.Store(arrays[0], broadcast(tir.Const(d, 2), lanes), ramp(tir.Int32(0), 1, lanes)), tir.Store(b, sums[0], tir.Int32(rows)))
				var body tir.Stmt = tir.Seq(list...)
				for _, acc := range arrays {
					body = local(acc, body)
				}
				f := primFunc("several", []any{a, b}, body)
				x := random(d, uint64(rows), rows*lanes)
				for i := range x.Len() {
					if d == dtype.Float32T {
						x.SetFloat(i, x.Float(i)*math.Pow(10, float64(i/lanes%7-3)))
						if i/lanes == 2 { // zeros alone
							x.SetFloat(i, math.Copysign(0, float64(i%3)-1))
						} else if i%23 == 5 && rows > 4 {
							x.SetFloat(i, special[i/23%len(special)])
						}
					}
				}
				t.Run(fmt.Sprint(d, o, rows), func(t *testing.T) {
					check(t, f, x, random(d, 2, 2*rows))
					lib, _, err := build(pack(t, f), machines["avx512"])
					if err != nil {
						t.Fatal(err)
					}
					if n := strings.Count(lib.Kernels[0].Text(), "vshuff32x4"); n > 0 != (rows > 3) {
						t.Errorf("%d of its instructions move quarters of two registers:\n%s", n, lib.Kernels[0].Text())
					}
				})
			}
		}
	}
}
