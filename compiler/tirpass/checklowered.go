package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// CheckLowered reports what in f, the function called name, no code generator takes, and
// the pass that lowers it: a lowering pass that was disabled is named by what it left. It
// is nil for a function that is ready.
func CheckLowered(name string, f *tir.PrimFunc) error {
	left := func(what, pass string) error {
		return fmt.Errorf("function %s is not lowered: %s is left, which tir.%s lowers; was it disabled?", name, what, pass)
	}
	c := &leftovers{f: f, stack: stackBytes(f), device: f.Attrs.Has(attrLaunchParams)}
	c.scan(f.Body)
	switch {
	case c.what != "":
		return left(c.what, c.pass)
	case !f.Attrs.Has(ir.AttrTarget):
		return fmt.Errorf("function %s is not lowered: it has no target, which tir.BindTarget notes; was it disabled?", name)
	case ir.GlobalSymbol(f) != "" && f.Attrs.Int(ir.AttrCallingConv, 0) == 0:
		return left("a signature without the packed convention", "MakePackedAPI")
	}
	return nil
}

// leftovers finds what should have been lowered; of several, what the earliest pass left.
type leftovers struct {
	f          *tir.PrimFunc
	what, pass string
	rank       int
	stack      int64 // bytes of an allocation that stays
	device     bool  // a kernel of a GPU, which has memory of its own kinds
}

// The passes in the order in which they run.
var lowerings = []string{
	"CanonicalizeLoop", "LowerInitBlock", "ConvertBlocksToOpaque", "LowerMatchBuffer", "LowerOpaqueBlock",
	"FlattenBuffer", "VectorizeLoop", "RewriteUnsafeSelect", "SplitHostDevice", "LowerSmallDatatypes", "LowerTVMBuiltin",
}

func (c *leftovers) found(pass, format string, args ...any) {
	for rank, p := range lowerings {
		if p == pass && (c.what == "" || rank < c.rank) {
			c.what, c.pass, c.rank = fmt.Sprintf(format, args...), pass, rank
		}
	}
}

func (c *leftovers) scan(n ir.Node) {
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			c.block(n)
		case *tir.BufferRealize:
			c.found("LowerOpaqueBlock", "the realization of buffer %s", n.Buffer.Name)
		case *tir.BufferLoad:
			c.access(n.Buffer, n.Indices)
		case *tir.BufferStore:
			c.access(n.Buffer, n.Indices)
		case *tir.Cast:
			if isSmall(n.Type) && !keepsSmall(c.f, target.Target{}) {
				c.found("LowerSmallDatatypes", "a value of type %s", n.Type)
			}
		case *tir.For:
			switch {
			case n.Step != nil && !tir.IsConst(n.Step, 1):
				c.found("CanonicalizeLoop", "loop %s with a step of its own", n.LoopVar.Name)
			case n.Kind == tir.Vectorized:
				c.found("VectorizeLoop", "vectorized loop %s", n.LoopVar.Name)
			}
		case *tir.Select:
			if n.Cond.DType().Lanes <= 1 && (loadsUnguarded(n.True) && !isCompared(n.Cond, n.True) || loadsUnguarded(n.False) && !isCompared(n.Cond, n.False)) {
				c.found("RewriteUnsafeSelect", "a Select that loads whether its condition holds or not")
			}
		case *tir.AttrStmt:
			if n.Key == ir.AttrTarget {
				c.found("SplitHostDevice", "a region for another target")
			}
		case *tir.Allocate:
			if !c.device && !onStack(n, c.stack) {
				c.found("LowerTVMBuiltin", "allocation %s, which is too large for the stack or of unknown size,", n.Var.Name)
			}
		case *tir.Call:
			for _, op := range []*ir.Op{tir.OpCallPacked, tir.OpCallCPacked, tir.OpStackMakeShape, tir.OpStackMakeArray} {
				if _, ok := tir.IsCallTo(n, op); ok {
					c.found("LowerTVMBuiltin", "a call of %s", op.Name)
				}
			}
		}
		return true
	})
}

// block names the first pass that has not seen b.
func (c *leftovers) block(b *tir.Block) {
	name := b.Name
	if name == "" {
		name = "(without a name)"
	}
	switch {
	case b.Init != nil:
		c.found("LowerInitBlock", "the init of block %s", name)
	case len(b.IterVars) > 0:
		c.found("ConvertBlocksToOpaque", "block %s with iteration variables", name)
	case len(b.MatchBuffers) > 0:
		c.found("LowerMatchBuffer", "match_buffer %s of block %s", b.MatchBuffers[0].Buffer.Name, name)
	default:
		c.found("LowerOpaqueBlock", "block %s", name)
	}
}

func (c *leftovers) access(b *tir.Buffer, indices []tir.Expr) {
	if len(indices) != 1 {
		c.found("FlattenBuffer", "an access to buffer %s with %d indices", b.Name, len(indices))
	}
	if isSmall(b.DType) && !keepsSmall(c.f, target.Target{}) {
		c.found("LowerSmallDatatypes", "buffer %s of %s", b.Name, b.DType)
	}
}

// isCompared reports whether a condition compares e, and so computes it anyway.
func isCompared(cond, e tir.Expr) bool {
	c, ok := cond.(*tir.Binary)
	return ok && c.Op.IsCompare() && (tir.Equal(c.A, e) || tir.Equal(c.B, e))
}

// loadsUnguarded reports whether e reads memory that no if_then_else inside of it guards.
func loadsUnguarded(e tir.Expr) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			found = true
		case *tir.Call:
			if _, ok := tir.IsCallTo(n, tir.OpIfThenElse); ok {
				found = found || loadsUnguarded(n.Args[0])
				return false
			}
			if _, ok := tir.IsCallTo(n, tir.OpAddressOf); ok {
				return false
			}
		}
		return !found
	})
	return found
}
