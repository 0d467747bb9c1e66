package transform

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// copyKernel is what a kernel does with the memory of its arguments.
type copyKernel struct {
	writes []bool // by argument: it may write there
	// Of a kernel that only copies: the argument that it writes, -1 for other kernels; and for each other argument, where its first
	// byte comes to lie there.
	out    int
	offset []int64
}

// copyKernelOf looks at what f does.
func copyKernelOf(f *tir.PrimFunc) *copyKernel {
	k := &copyKernel{writes: make([]bool, len(f.Params)), out: -1}
	param := map[*tir.Var]int{} // by pointer
	for i, p := range f.Params {
		param[p] = i
		if b := f.BufferOf(p); b != nil {
			param[b.Data] = i
		}
	}
	var stores []*tir.BufferStore
	plain := true // but for stores, it has no effects
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Buffer:
			return false // names its pointer, and does not use it
		case *tir.MatchBufferRegion: // part of a buffer by another name
			if i, ok := param[n.Source.Buffer.Data]; ok {
				param[n.Buffer.Data] = i
			}
			plain = false
		case *tir.BufferStore:
			stores = append(stores, n)
			if i, ok := param[n.Buffer.Data]; ok {
				k.writes[i] = true
			}
		case *tir.Call:
			plain = plain && n.Op == tir.OpIfThenElse
			if n.Op == tir.OpAddressOf {
				if l, ok := n.Args[0].(*tir.BufferLoad); ok {
					if i, ok := param[l.Buffer.Data]; ok {
						k.writes[i] = true
					}
				}
			}
		case *tir.Var: // a pointer that may go anywhere
			if i, ok := param[n]; ok {
				k.writes[i] = true
			}
		}
		return true
	})
	if plain {
		k.copies(f, stores)
	}
	return k
}

// copies finds out whether all that stores do is to copy inputs to parts of one output.
func (k *copyKernel) copies(f *tir.PrimFunc, stores []*tir.BufferStore) {
	out, count := -1, 0
	for i, w := range k.writes {
		if w {
			out, count = i, count+1
		}
	}
	if count != 1 {
		return
	}
	bytes := make([]int64, len(f.Params))
	byData := map[*tir.Var]int{}
	for i, p := range f.Params {
		b := f.BufferOf(p)
		if b == nil || b.DType != f.BufferOf(f.Params[out]).DType || b.DType.Bits%8 != 0 || !compact(b) {
			return
		}
		n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(product(b.Shape)))
		if !ok {
			return
		}
		bytes[i] = n * int64(b.DType.Bytes())
		byData[b.Data] = i
	}
	offset := make([]int64, len(f.Params))
	found := make([]bool, len(f.Params))
	an := arith.NewAnalyzer()
	for _, s := range stores {
		if i, isParam := byData[s.Buffer.Data]; !isParam || i != out || s.Buffer.DType != f.Buffers[out].DType || !compact(s.Buffer) || s.Predicate != nil {
			return
		}
		to := flatIndex(s.Buffer, s.Indices)
		ok := eachLeaf(s.Value, func(e tir.Expr) bool {
			l, ok := e.(*tir.BufferLoad)
			if !ok || l.Predicate != nil || l.Buffer.DType != s.Buffer.DType || !compact(l.Buffer) {
				return false
			}
			from, isParam := byData[l.Buffer.Data]
			if !isParam || from == out {
				return false
			}
			far, ok := tir.AsInt(an.Simplify(tir.Sub(to, flatIndex(l.Buffer, l.Indices))))
			far *= int64(l.Buffer.DType.Bytes())
			if !ok || found[from] && offset[from] != far {
				return false
			}
			offset[from], found[from] = far, true
			return true
		})
		if !ok {
			return
		}
	}
	var inputs []int
	for i := range found {
		if i != out {
			inputs = append(inputs, i)
		}
		if i != out && !found[i] {
			return
		}
	}
	slices.SortFunc(inputs, func(i, j int) int { return cmp.Compare(offset[i], offset[j]) })
	end := int64(0) // of the part before
	for _, i := range inputs {
		if offset[i] < end || bytes[i] > bytes[out] || offset[i] > bytes[out]-bytes[i] {
			return
		}
		end = offset[i] + bytes[i]
	}
	k.out, k.offset = out, offset
}

// compact reports whether the elements of b lie in memory one after the other, the first where its pointer points to.
func compact(b *tir.Buffer) bool {
	return len(b.Strides) == 0 && b.DType.Lanes == 1 && (b.ElemOffset == nil || tir.IsConst(b.ElemOffset, 0)) && !slices.ContainsFunc(b.Shape, tir.Symbolic)
}

// eachLeaf calls f for what e may be, depending on conditions, until f returns false.
func eachLeaf(e tir.Expr, f func(tir.Expr) bool) bool {
	switch x := e.(type) {
	case *tir.Select:
		return eachLeaf(x.True, f) && eachLeaf(x.False, f)
	case *tir.Call:
		if x.Op == tir.OpIfThenElse && len(x.Args) == 3 {
			return eachLeaf(x.Args[1], f) && eachLeaf(x.Args[2], f)
		}
	}
	return f(e)
}
