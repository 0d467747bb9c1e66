//go:build linux && amd64

package x86_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

// onAMX is a target with registers for matrices.
const onAMX = "x86 -mattr=+amx-int8"

// wordsOf is a placeholder of words.
func wordsOf(name string, d dtype.DType, shape ...int) *te.Tensor {
	dims := make([]tir.Expr, len(shape))
	for i, n := range shape {
		dims[i] = tir.Int(int64(n))
	}
	return te.Placeholder(name, d, dims...)
}

// products is a product of words of two kinds, with a sum behind it.
func products(dx, dy dtype.DType, batch, rows, words, columns int) []*te.Tensor {
	x, y := []int{rows, words}, []int{words, columns}
	if batch > 0 {
		x, y = append([]int{batch}, x...), append([]int{batch}, y...)
	}
	a, b, bias := wordsOf("a", dx, x...), wordsOf("b", dy, y...), wordsOf("bias", dtype.Int32T, columns)
	return []*te.Tensor{a, b, bias, must(topi.Binary("add", topi.T(must(topi.Matmul(a, b, topi.MatmulOpts{Words: true}))), topi.T(bias)))}
}

// TestTiles compares products on registers for matrices with the interpreter, for all signs, and for rows, columns and sums that they divide or not.
func TestTiles(t *testing.T) {
	kinds := []dtype.DType{dtype.UInt32T, dtype.Int32T}
	for k, c := range []struct{ batch, rows, words, columns int }{
		{0, 16, 16, 16},
		{0, 64, 64, 64},
		{0, 32, 192, 96},
		{0, 17, 16, 33},
		{0, 5, 24, 16},
		{0, 100, 12, 48},
		{0, 13, 7, 16},
		{0, 200, 48, 40},
		{0, 40, 20, 17},
		{0, 2, 32, 256},
		{3, 24, 16, 32},
		{2, 49, 32, 64},
		{0, 31, 144, 160},
		{0, 160, 16, 1100},
		{0, 300, 32, 700},
	} {
		for _, dx := range kinds {
			for _, dy := range kinds {
				if k > 2 && dx == dy { // one of two, to be done in time
					continue
				}
				t.Run(fmt.Sprintf("%v/%v %v", c, dx, dy), func(t *testing.T) {
					list := products(dx, dy, c.batch, c.rows, c.words, c.columns)
					funcs := scheduled(t, onAMX, list)
					lib, _, err := build(funcs, machineOf(t, onAMX))
					if err != nil {
						t.Fatal(err)
					}
					if text := lib.Kernels[0].Text(); strings.Contains(text, "tdpb") != (c.rows > 3) { // fewer rows are as fast in vectors
						t.Errorf("tiles are used: %v", strings.Contains(text, "tdpb"))
					}
					if text := lib.Kernels[0].Text(); strings.Count(text, "tilerelease") > 0 && strings.Count(text, "tilerelease") != strings.Count(text, "\tret\n") {
						t.Errorf("%d of %d returns give tiles up", strings.Count(text, "tilerelease"), strings.Count(text, "\tret\n"))
					}
					args := tensors(t, list)
					for i, d := range []dtype.DType{dx, dy} {
						args[i] = args[i].Clone()
						w := words(d, int64(args[i].Len()), uint64(i+1))
						for e := range args[i].Len() {
							args[i].SetInt(e, w.Int(e))
						}
					}
					m := machineOf(t, onAMX)
					sameScheduledFor(t, "tiles", targetOf(t, onAMX), m, list, args, true)
					m.Features.AMX = false
					sameScheduledFor(t, "loops", targetOf(t, onAMX), m, list, args, true)
				})
			}
		}
	}
}

// TestTileNests compares nests of loops that are marked for tiles with the interpreter: those that tiles do, and those that look like them.
func TestTileNests(t *testing.T) {
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		n := randomNest(r)
		f := n.function()
		args := []any{words(dtype.UInt32T, n.a, r.Uint64()), words(dtype.Int32T, n.b, r.Uint64()), random(dtype.Int32T, r.Uint64(), n.o)}
		want := cloneArgs(args)
		if err := interp.Run(context.Background(), f, want, nil); err != nil {
			t.Fatal(err)
		}
		m := machineOf(t, onAMX)
		lib, obj, err := build(pack(t, f), m)
		if err != nil {
			t.Fatal(err)
		}
		if used := strings.Contains(lib.Kernels[0].Text(), "tdpb"); used != n.fits && !n.either {
			t.Errorf("%+v: tiles are used: %v", n, used)
		}
		if !native.Host().Has(m.Features) {
			return
		}
		got, err := execute(obj, newHost(t), args)
		if err != nil {
			t.Fatal(err)
		}
		if d := different(got, want, false); d != "" {
			t.Errorf("%+v: %s\n%s", n, d, lib.Kernels[0].Text())
		}
	})
}

// nest is a nest of loops that adds products of words to sums: x[over*sx*rows.. + row*sx + step] by y[step*sy + 16*column], for parts of all steps.
type nest struct {
	parts, words       int64 // steps of the reduction
	over, rows         int64
	columns            int64
	sx, sy, part       int64
	start              string // what the sums start from: "zero", "result", "other", which is zero but for some, or "part", which is zero for a part and the result for others
	spoil              string // what keeps tiles from it, "" for nothing
	a, b, o            int64  // elements of the arguments
	fits, either       bool   // on tiles, or in any way
	swapped, columnsIn bool   // factors are swapped, columns are inside of rows
}

func randomNest(r *rand.Rand) nest {
	n := nest{
		parts: 1 + r.Int64N(3), words: 1 + r.Int64N(20), over: 1 + r.Int64N(3), rows: 1 + r.Int64N(20), columns: 1 + r.Int64N(4), swapped: r.IntN(2) == 0, columnsIn: r.IntN(3) > 0,
		start: []string{"zero", "result", "other", "part"}[r.IntN(4)],
	}
	n.sx, n.sy = 1+r.Int64N(40), 16*n.columns+r.Int64N(3)*16
	n.part = r.Int64N(30)
	if r.IntN(2) == 0 {
		n.spoil = []string{"difference", "step of two", "row in both factors", "rows that share sums", "a factor that is no word", "an effect", "rows far apart", "sums that overlap", "other sums"}[r.IntN(9)]
	}
	if n.spoil == "rows far apart" {
		n.rows, n.over, n.sx, n.words = 2, 1, 1<<14, 4
	}
	n.a = 2*(n.parts*n.part+(n.over*n.rows)*n.sx+n.words) + 16
	n.b = (n.parts*n.words+n.over*n.rows)*n.sy + 16*n.columns
	n.o = n.over*n.rows*n.columns*16 + 32
	alone := n.rows*n.columns == 1 || n.rows*n.over == 1 || n.columns*n.over == 1
	n.either = n.spoil == "rows that share sums" || n.spoil == "sums that overlap" && alone || n.spoil == "step of two" && n.part == 1 // then they are steps of the reduction, and parts those of words side by side
	side := min(n.rows, asm.MostRows)
	for n.rows%side != 0 {
		side--
	}
	down := n.over * n.rows / side
	n.fits = n.spoil == "" && down*n.columns+min(down, n.columns)+1 <= asm.Tiles
	return n
}

func (n nest) function() *tir.PrimFunc {
	x, y, o := flat("X", dtype.UInt32T, n.a), flat("Y", dtype.Int32T, n.b), flat("O", dtype.Int32T, n.o)
	sums := tir.NewBuffer("S", dtype.Int32T, []tir.Expr{tir.Int32(n.o)}, "local")
	times := func(v tir.Expr, k int64) tir.Expr { return tir.Mul(v, tir.Int32(k)) }
	over, row, column, part, word := i32var("over"), i32var("row"), i32var("column"), i32var("part"), i32var("word")
	around := func(body ...tir.Stmt) tir.Stmt {
		if n.columnsIn {
			return forLoop(over, tir.Int32(n.over), forLoop(row, tir.Int32(n.rows), forLoop(column, tir.Int32(n.columns), body...)))
		}
		return forLoop(column, tir.Int32(n.columns), forLoop(over, tir.Int32(n.over), forLoop(row, tir.Int32(n.rows), body...)))
	}
	place := tir.Add(times(tir.Add(times(over, n.rows), row), 16*n.columns), times(column, 16))
	at := ramp(place, 1, 16)
	begin := tir.Expr(broadcast(tir.Int32(0), 16))
	switch n.start {
	case "result", "part":
		begin = tir.Load(o, at)
	case "other":
		begin = broadcast(row, 16)
	}
	step, down := int64(1), place
	column16 := times(column, 16)
	xi := tir.Add(tir.Add(times(part, n.part), times(tir.Add(times(over, n.rows), row), n.sx)), times(word, step))
	yi := tir.Add(times(tir.Add(times(part, n.words), word), n.sy), column16)
	effect := []tir.Stmt(nil)
	switch n.spoil {
	case "step of two":
		xi = tir.Add(xi, word)
	case "row in both factors":
		yi = tir.Add(yi, times(row, n.sy))
	case "rows that share sums":
		down = tir.Add(times(column, 16), times(over, 16*n.columns*n.rows))
	case "sums that overlap":
		down = times(tir.Add(tir.Add(row, column), over), 16)
	case "an effect":
		effect = []tir.Stmt{tir.Store(o, tir.Int32(7), tir.Int32(0))}
	}
	a, b := tir.Expr(broadcast(tir.Load(x, xi), 16)), tir.Expr(tir.Load(y, ramp(yi, 1, 16)))
	if n.spoil == "a factor that is no word" {
		a = broadcast(tir.NewCall(tir.OpBitwiseAnd, tir.Load(x, xi), tir.Const(dtype.UInt32T, 0x7f7f7f7f)), 16)
	}
	if n.swapped {
		a, b = b, a
	}
	target := ramp(down, 1, 16)
	from := target
	if n.spoil == "other sums" {
		from = ramp(tir.Add(down, tir.Int32(16)), 1, 16)
	}
	sum := tir.Expr(tir.Add(tir.Load(sums, from), dp4a(a, b, broadcast(tir.Int32(0), 16))))
	if n.spoil == "difference" {
		sum = tir.Sub(tir.Load(sums, target), dp4a(a, b, broadcast(tir.Int32(0), 16)))
	}
	steps := forLoop(part, tir.Int32(n.parts), forLoop(word, tir.Int32(n.words), around(append(effect, tir.Store(sums, sum, target))...))).(*tir.For)
	steps.Annotations = steps.Annotations.With(tir.AttrTileProducts, int64(1))
	first := func(to int64) tir.Stmt {
		return tir.Store(o, tir.Load(sums, ramp(tir.Int32(0), 1, 16)), ramp(tir.Int32(n.o-to), 1, 16))
	} // the same place of the sums, before and behind
	body := []tir.Stmt{tir.Store(sums, broadcast(tir.Int32(3), 16), ramp(tir.Int32(n.o-32), 1, 16)), around(tir.Store(sums, begin, at))}
	if n.start != "zero" {
		body = append(body, first(32))
	}
	if n.start == "part" { // a column of it, or as many sums from another place on
		place := times(over, 16*n.columns*n.rows)
		rest := forLoop(row, tir.Int32(n.rows), forLoop(column, tir.Int32(n.columns), tir.Store(sums, broadcast(tir.Int32(0), 16), ramp(tir.Add(tir.Int32(16), tir.Add(place, tir.Add(times(row, 16*n.columns), times(column, 16)))), 1, 16))))
		if n.columnsIn {
			body = append(body, forLoop(over, tir.Int32(n.over), rest))
		} else {
			body = append(body, forLoop(row, tir.Int32(n.over*n.rows), tir.Store(sums, broadcast(tir.Int32(0), 16), ramp(times(row, 16*n.columns), 1, 16))))
		}
	}
	return primFunc("f", []any{x, y, o}, local(sums, append(body, steps, first(16), around(tir.Store(o, tir.Load(sums, at), at)))...))
}
