package tirpass_test

import (
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	. "github.com/irscope/irscope/compiler/tirpass"
)

// matched is a function over a view of a part of A, whose strides are given.
func matched(strides ...tir.Expr) *tir.PrimFunc {
	a, b := floats("A", 16, 16), floats("B", 4, 4)
	view := floats("V", 4, 4)
	view.Strides, view.ElemOffset = strides, index("off")
	i, j := index("i"), index("j")
	body := loop(i, 4, loop(j, 4, store(b, load(view, i, j), i, j)))
	r := opaque("b", body)
	r.Block.MatchBuffers = []*tir.MatchBufferRegion{{Buffer: view, Source: &tir.BufferRegion{Buffer: a, Region: []*tir.Range{
		{Min: n(4), Extent: n(4)}, {Min: n(8), Extent: n(4)},
	}}}}
	return fn(root(r), a, b)
}

// nested is a view of a row of a view.
func nested() *tir.PrimFunc {
	a, b := floats("A", 8, 8), floats("B", 8)
	v, w := floats("V", 4, 8), floats("W", 8)
	v.Strides, v.ElemOffset = []tir.Expr{index("s0"), index("s1")}, index("off")
	w.Strides, w.ElemOffset = []tir.Expr{index("t0")}, index("at")
	i := index("i")
	inner := opaque("inner", loop(i, 8, store(b, load(w, i), i)))
	inner.Block.MatchBuffers = []*tir.MatchBufferRegion{{Buffer: w, Source: &tir.BufferRegion{Buffer: v, Region: []*tir.Range{
		{Min: n(2), Extent: n(1)}, {Min: n(0), Extent: n(8)},
	}}}}
	outer := opaque("outer", inner)
	outer.Block.MatchBuffers = []*tir.MatchBufferRegion{{Buffer: v, Source: &tir.BufferRegion{Buffer: a, Region: []*tir.Range{
		{Min: n(3), Extent: n(4)}, {Min: n(0), Extent: n(8)},
	}}}}
	return fn(root(outer), a, b)
}

func viewGoldens() map[*pass.Pass][]goldenCase {
	return map[*pass.Pass][]goldenCase{
		LowerMatchBuffer: {
			{name: "part", f: matched(index("s0"), index("s1"))},
			{name: "view of a view", f: nested()},
			{name: "other stride than the source", f: matched(n(4), n(1)), fails: true},
		},
	}
}
