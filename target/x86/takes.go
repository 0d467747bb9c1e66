package x86

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intrinsics are those that call translates, besides the mathematical ones.
var intrinsics = []string{
	tir.OpRet.Name, tir.OpLikely.Name, tir.OpAssume.Name, tir.OpStorageSync.Name, tir.OpProfile.Name, tir.OpProfileEnd.Name, tir.OpUndef.Name,
	tir.OpTypeAnnot.Name, tir.OpIfThenElse.Name, tir.OpReinterpret.Name, tir.OpAddressOf.Name, "tir.handle_add_byte_offset", tir.OpIsNullPtr.Name,
	tir.OpBreakLoop.Name, tir.OpContinueLoop.Name, tir.OpLargeUIntImm.Name, tir.OpVectorLow.Name, tir.OpVectorHigh.Name, tir.OpVectorCombine.Name, tir.OpDp4a.Name,
	tir.OpStructGet.Name, tir.OpStructSet.Name, tir.OpThrowLastError.Name, tir.OpAllocWorkspace.Name, tir.OpFreeWorkspace.Name,
}

// Refuses says why Build leaves f to another generator, "" where it does not. It looks at what f is made of without making code, so of a function that is no valid code for
// any target it may not know.
func Refuses(f *tir.PrimFunc) string {
	if reason := takes(f); reason != nil {
		return reason.Reason()
	}
	return ""
}

// takes says why native kernels have no place for a function, nil where they do.
func takes(f *tir.PrimFunc) (reason *lower.Error) {
	no := func(what, format string, args ...any) bool {
		reason = &lower.Error{Node: what, Msg: fmt.Sprintf(format, args...)}
		return false
	}
	if ir.GlobalSymbol(f) == "" || !lower.IsPacked(f) {
		no("signature", "it has no packed signature: other functions call it, and native kernels call none")
		return reason
	}
	typed := func(d dtype.DType, n ir.Node) bool {
		if !hasArithmetic(d) {
			return no(lower.KindName(n), "arithmetic on %s is not supported", d)
		}
		return true
	}
	ir.Walk(f.Body, func(n ir.Node) bool {
		if reason != nil {
			return false
		}
		switch n := n.(type) {
		case *tir.Call:
			o, ok := n.Op.(*ir.Op)
			if !ok {
				return no(lower.KindName(n), "native kernels call no other functions")
			}
			if short, ok := strings.CutPrefix(o.Name, "tir."); (!ok || !lower.IsMath(short)) && !slices.Contains(intrinsics, o.Name) {
				return no(lower.KindName(n), "native kernels do not have this intrinsic")
			}
			if c := n.Args; o.Name == tir.OpIfThenElse.Name && len(c) == 3 && c[0].DType().Lanes > 1 && (!lower.Simple(c[1], 64) || !lower.Simple(c[2], 64)) {
				return no(lower.KindName(n), "a condition of %s with values that read memory or may fail: compute them lane by lane", c[0].DType())
			}
		case *tir.For:
			if n.Kind == tir.ThreadBinding {
				return no("For "+n.LoopVar.Name, "the target has no threads to bind a loop to")
			}
		case *tir.AttrStmt:
			if n.Key == "thread_extent" || n.Key == "virtual_thread" {
				return no("AttrStmt "+n.Key, "the target has no threads to bind a loop to")
			}
		case *tir.BufferLoad:
			return typed(n.Buffer.DType, n)
		case *tir.BufferStore:
			return typed(n.Buffer.DType, n)
		case *tir.Cast:
			return typed(n.Type, n)
		}
		return true
	})
	return reason
}

// hasArithmetic reports whether values of type d can be computed with.
func hasArithmetic(d dtype.DType) bool {
	switch {
	case d.IsHandle(), d.IsBool():
		return true
	case d.IsFloat():
		return slices.Contains([]dtype.DType{dtype.Float16T, dtype.BFloat16T, dtype.Float32T, dtype.Float64T}, d.Elem())
	}
	return d.IsInteger() && slices.Contains([]uint8{8, 16, 32, 64}, d.Bits)
}
