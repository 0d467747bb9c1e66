package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// NormalizeSeq returns s in normal form; s itself if it was.
func (b *BlockBuilder) NormalizeSeq(s *SeqExpr) (*SeqExpr, error) {
	depth := len(b.frames)
	b.BeginSeq()
	out, err := b.replay(s)
	if err != nil {
		b.frames = b.frames[:depth]
		return nil, err
	}
	seq, err := b.EndSeq(out)
	if err != nil {
		b.frames = b.frames[:depth]
		return nil, err
	}
	return seq.OrSame(s), nil
}

// OrSame returns old if it consists of the same parts as s, and takes over those of its blocks
// that do.
func (s *SeqExpr) OrSame(old *SeqExpr) *SeqExpr {
	if s == old {
		return old
	}
	blocks := make([]*BindingBlock, 0, len(s.Blocks))
	kept := len(s.Blocks) == len(old.Blocks) && s.Body == old.Body
	for i, blk := range s.Blocks {
		if i < len(old.Blocks) {
			if o := old.Blocks[i]; o.Dataflow == blk.Dataflow && sameBindings(o.Bindings, blk.Bindings) {
				blk = o
			}
			kept = kept && blk == old.Blocks[i]
		}
		blocks = append(blocks, blk)
	}
	if kept {
		return old
	}
	return &SeqExpr{Base: old.Base, Blocks: blocks, Body: s.Body}
}

func sameBindings(a, b []Binding) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// replay emits the bindings of s into the current sequence, normalized, and returns its body.
func (b *BlockBuilder) replay(s *SeqExpr) (Expr, error) {
	outer := b.top().dataflow
	for _, blk := range s.Blocks {
		if !outer {
			b.closeBlock()
			b.top().dataflow = blk.Dataflow
		}
		for _, bind := range blk.Bindings {
			if err := b.Renormalize(bind); err != nil {
				return nil, err
			}
		}
		if !outer {
			b.closeBlock()
		}
	}
	return s.Body, nil
}

// Renormalize emits a binding after normalizing its value. The variable stays the same
// where its struct info does not change.
func (b *BlockBuilder) Renormalize(bind Binding) error {
	switch bind := bind.(type) {
	case *MatchCast:
		value, err := b.normalizeArg(bind.Value)
		if err != nil {
			return b.wrap(err, bind.Var.Name)
		}
		if value != bind.Value {
			bind = bind.WithValue(value)
		}
		b.EmitNormalized(bind)
		return nil
	case *VarBinding:
		value, err := b.Normalize(bind.Value)
		if err != nil {
			return b.wrap(err, bind.Var.Name)
		}
		if value != bind.Value {
			bind = bind.WithValue(value)
		}
		b.EmitNormalized(bind)
		return nil
	}
	panic(unknownNode("Renormalize", bind))
}

// normalizeSeq inlines a sequence that stands where a value does.
func (b *BlockBuilder) normalizeSeq(s *SeqExpr) (Expr, error) {
	body, err := b.replay(s)
	if err != nil {
		return nil, err
	}
	return b.Normalize(body)
}

// NormalizeFunction returns f with its body in normal form and the struct info of its
// result; f itself if it was.
func (b *BlockBuilder) NormalizeFunction(f *Function) (*Function, error) {
	b.settle()
	if len(b.frames) == 0 {
		b.names = newNameTable()
	}
	for _, p := range f.Params {
		if p.SInfo == nil {
			return nil, fmt.Errorf("parameter %s has no struct info", p.Name)
		}
	}
	b.parameters(f.Params)
	defer func(n int) { b.within = b.within[:n] }(len(b.within))
	b.within = append(b.within, f.Params...)
	body, err := b.NormalizeSeq(f.Body)
	if err != nil {
		return nil, err
	}
	out, err := b.finish(f, body)
	if err != nil {
		return nil, err
	}
	if body == f.Body && out.Ret == f.Ret {
		return f, nil
	}
	return out, nil
}

// definedBy accepts the symbolic variables that the parameters of f define.
func definedBy(f *Function) func(*tir.Var) bool {
	defined := map[*tir.Var]bool{}
	for _, v := range DefinedSymbolicVars(f) {
		defined[v] = true
	}
	return func(v *tir.Var) bool { return defined[v] }
}

// paramOf accepts the parameters of f.
func paramOf(f *Function) func(*Var) bool {
	params := map[*Var]bool{}
	for _, p := range f.Params {
		params[p] = true
	}
	return func(v *Var) bool { return params[v] }
}

func describeExpr(e Expr) string {
	if c, ok := e.(*Call); ok {
		return "a call of " + calleeName(c.Op)
	}
	return fmt.Sprintf("%T", e)
}
