package fromir

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/looptree"
)

// touches returns the parts of buffers that a statement accesses each time that it runs, the largest first.
func touches(s tir.Stmt) []looptree.Touch {
	reads, writes, opaque := region.OfBlock(&tir.Block{Body: s}, nil)
	a := arith.NewAnalyzer()
	at := map[*tir.Buffer]int{}
	var out []looptree.Touch
	note := func(list []*tir.BufferRegion, read, written bool) {
		for _, r := range list {
			bytes, whole := sizeOf(a, r)
			i, ok := at[r.Buffer]
			if !ok {
				i = len(out)
				at[r.Buffer] = i
				t := looptree.Touch{Buffer: r.Buffer.Name, Bytes: bytes, Whole: whole}
				if scope := r.Buffer.Scope(); scope != "global" {
					t.Scope = scope
				}
				out = append(out, t)
			}
			t := &out[i]
			t.Read, t.Written, t.Whole = t.Read || read, t.Written || written, t.Whole || whole
			if t.Bytes >= 0 && bytes < 0 || bytes > t.Bytes && t.Bytes >= 0 {
				t.Bytes = bytes
			}
		}
	}
	note(reads, true, false)
	note(writes, false, true)
	note(opaque, true, true)
	slices.SortStableFunc(out, func(x, y looptree.Touch) int {
		if x.Bytes < 0 || y.Bytes < 0 {
			return cmp.Compare(x.Bytes, y.Bytes) // those that depend on sizes first
		}
		return cmp.Compare(y.Bytes, x.Bytes)
	})
	return out
}

// sizeOf returns the bytes of a region, -1 where that depends on sizes, and whether it is the whole buffer.
func sizeOf(a *arith.Analyzer, r *tir.BufferRegion) (bytes int64, whole bool) {
	bytes, whole = int64(r.Buffer.DType.Bytes()), true
	for k, x := range r.Region {
		shape, fixed := tir.AsInt(r.Buffer.Shape[k])
		n, ok := tir.AsInt(a.Simplify(x.Extent))
		if !ok && fixed {
			if most := a.ConstIntBound(x.Extent).Max; most < 1<<31 {
				n, ok = most, true
			}
		}
		switch {
		case ok && fixed:
			n = min(n, shape)
		case fixed: // at most all of it
			n, ok = shape, true
		}
		if whole = whole && ok && fixed && n == shape; !ok || bytes < 0 || n > 0 && bytes > (1<<62)/n {
			bytes = -1
			continue
		}
		bytes *= max(n, 0)
	}
	return bytes, whole
}
