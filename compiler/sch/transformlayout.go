package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// TransformLayout gives a buffer that a block accesses another layout: each element moves to the indices that the map makes of its own (TVM's
// transform_layout). Where the new shape has places to which nothing moves, pad says what they hold, as a map with one result; it may be nil if there
// are none. A block that runs over the whole buffer writes the padding itself; else a block behind the last one that writes fills it in; and what a
// buffer of the function holds there is assumed. assumeInjective skips the proof that no two elements get the same place.
func (s *State) TransformLayout(b *Block, index int, side string, m, pad *tir.IndexMap, assumeInjective bool) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	r, err := s.nthRegion(at.Block(), index, side)
	if err != nil {
		return nil, err
	}
	an := shapeAnalyzer(at.f)
	old := r.Buffer
	if len(m.Initial) != len(old.Shape) {
		return nil, fmt.Errorf("the index map has %d indices, but buffer %s has %d dimensions", len(m.Initial), old.Name, len(old.Shape))
	}
	m = TypedMap(m, old.Shape)
	now := *old
	root, err := s.ownerSite(at, old, &now)
	if err != nil {
		return nil, err
	}
	if err := s.checkPad(old, pad, m); err != nil {
		return nil, err
	}
	if err := s.checkPlainAccess(root.Block(), old); err != nil {
		return nil, err
	}
	t := &layoutRewrite{old: old, now: &now, index: m, pad: pad, empty: tir.Bool(false), an: arith.NewAnalyzer(), maps: arith.NewAnalyzer()}
	if !assumeInjective {
		if t.back, t.empty, err = inverse(m, old.Shape, an); err != nil {
			return nil, err
		}
		if m.Inverse == nil && !leadsBack(m, t.back, old.Shape) {
			return nil, s.fail("NotInjectiveError", "The index map "+mapText(m)+" may lead two elements of buffer "+old.Name+" to one place")
		}
	}
	if now.Shape, err = mapShape(m, old.Shape, an); err != nil {
		return nil, err
	}
	if hasPadding := !tir.IsConst(t.empty, 0); hasPadding && pad == nil {
		return nil, s.fail("TransformationIntroducesPaddingError", fmt.Sprintf(
			"The transformation %s applied on buffer %s of shape %s would result in shape %s.  However, this would introduce padding wherever %s is true.",
			mapText(m), old.Name, spelled(old.Shape), spelled(now.Shape), script.Node(t.empty, script.Options{})))
	} else if hasPadding {
		t.plan(root, isParameter(at.f, old))
	}
	if err := s.checkShapesDefined(at.f, root.f); err != nil {
		return nil, err
	}
	out, became := t.rewrite(root.Block())
	return s.replace(root, out, became), nil
}

func isParameter(f *tir.PrimFunc, b *tir.Buffer) bool { return slices.Contains(f.Buffers, b) }

// checkPad returns an error if a value of padding is not one element of the buffer, from its index alone.
func (s *State) checkPad(old *tir.Buffer, pad, m *tir.IndexMap) error {
	if pad == nil {
		return nil
	}
	if len(pad.Final) != 1 {
		return s.fail("TransformationPaddingIndexMapError", fmt.Sprintf("Pad value is specified as %s which has %d outputs, but should only have one output", mapText(pad), len(pad.Final)))
	}
	if len(pad.Initial) != len(m.Final) {
		return fmt.Errorf("the pad value takes %d indices, but the index map makes %d", len(pad.Initial), len(m.Final))
	}
	if d := pad.Final[0].DType(); d != old.DType {
		return s.fail("TransformationPaddingTypeError", fmt.Sprintf("Buffer %s has elements of type %s, but the transformation fills padding with %s, which is of type %s", old.Name, old.DType, mapText(pad), d))
	}
	var err error
	ir.Walk(pad.Final[0], func(n ir.Node) bool {
		l, ok := n.(*tir.BufferLoad)
		if !ok || err != nil {
			return err == nil
		}
		if l.Buffer != old {
			err = s.fail("TransformationPaddingExpressionError", fmt.Sprintf("Pad value may only contain BufferLoad from the transformed buffer %s, but pad_value %s contains expression %s",
				old.Name, mapText(pad), script.Node(l, script.Options{})))
		} else {
			err = fmt.Errorf("pad_value %s reads buffer %s: values that repeat those of the buffer cannot be written yet while it is computed; give a value of the indices", mapText(pad), old.Name)
		}
		return false
	})
	return err
}

// checkPlainAccess returns an error if a buffer is accessed other than by loads and stores, or has strides: TVM would let such accesses see the old
// layout.
func (s *State) checkPlainAccess(scope *tir.Block, b *tir.Buffer) error {
	if len(b.Strides) > 0 {
		return s.fail("StridedBufferError", "The input buffer "+b.Name+" has strides, which a transformation of its layout cannot keep")
	}
	var err error
	visit(scope, func(x tir.Stmt) bool {
		if k, ok := x.(*tir.Block); ok && err == nil {
			for _, v := range k.MatchBuffers {
				if v.Source.Buffer == b {
					err = s.fail("OpaqueAccessError", "The block {0} makes a view of buffer "+b.Name+", which would see the old layout", k)
				}
			}
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	ir.Walk(scope, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && v == b.Data {
			err = s.fail("OpaqueAccessError", "The buffer "+b.Name+" is accessed through its pointer, which would see the old layout")
		}
		return err == nil
	})
	return err
}

// checkShapesDefined returns an error if no buffer of the function gives a value to a variable any more that one gave it before.
func (s *State) checkShapesDefined(was, now *tir.PrimFunc) error {
	defined := map[*tir.Var]bool{}
	for _, v := range now.Params {
		defined[v] = true
	}
	for _, b := range now.Buffers {
		if b != nil {
			for _, n := range b.Shape {
				if v, ok := n.(*tir.Var); ok {
					defined[v] = true
				}
			}
		}
	}
	for _, b := range was.Buffers {
		if b == nil {
			continue
		}
		for _, n := range b.Shape {
			if v, ok := n.(*tir.Var); ok && !defined[v] {
				return s.fail("UndefinedShapeError", "After the transformation of buffer "+b.Name+" no argument of the function would say what "+v.Name+" is")
			}
		}
	}
	return nil
}

// layoutRewrite is a transformation of the layout of one buffer.
type layoutRewrite struct {
	old, now    *tir.Buffer
	index, back *tir.IndexMap
	pad         *tir.IndexMap
	empty       tir.Expr // where nothing moves, in the variables of back
	an, maps    *arith.Analyzer

	before  tir.Stmt              // at the beginning of the scope
	replace map[tir.Stmt]tir.Stmt // loops
	behind  map[tir.Stmt]tir.Stmt // what to put behind a statement
	became  reuse
}

// rewrite returns the scope with all accesses to the buffer in the new layout.
func (t *layoutRewrite) rewrite(scope *tir.Block) (*tir.Block, reuse) {
	if t.became == nil {
		t.became = reuse{}
	}
	a := newAccessSimplifier(t.an)
	byData := map[*tir.Var]*tir.Buffer{t.now.Data: t.now}
	at := func(list []tir.Expr) []tir.Expr { return a.indices(mapIndices(t.index, list, t.maps)) }
	a.load = func(l *tir.BufferLoad) tir.Expr {
		if l.Buffer != t.old {
			return l
		}
		return &tir.BufferLoad{Base: l.Base, Buffer: t.now, Indices: at(l.Indices), Predicate: l.Predicate}
	}
	a.store = func(x *tir.BufferStore) tir.Stmt {
		if x.Buffer != t.old {
			return x
		}
		return x.WithBuffer(t.now).WithIndices(at(x.Indices))
	}
	changed := reuse{}
	a.block = func(old, now *tir.Block) *tir.Block {
		if regionOf(now.Reads, t.old) != nil || regionOf(now.Writes, t.old) != nil {
			reads, writes, _ := region.OfBlock(now, byData)
			now = now.WithReads(t.regions(now.Reads, reads)).WithWrites(t.regions(now.Writes, writes))
		}
		for i, b := range now.AllocBuffers {
			if b == t.old {
				list := slices.Clone(now.AllocBuffers)
				list[i] = t.now
				now = now.WithAllocBuffers(list)
			}
		}
		if now != old {
			changed[old] = now
		}
		return now
	}
	a.touches = t.accessedIn
	a.stmt = func(x tir.Stmt) tir.Stmt {
		if by := t.replace[x]; by != nil {
			return by
		}
		return x
	}
	m := a.m.Stmt
	a.m.Stmt = func(x tir.Stmt) tir.Stmt {
		out := m(x)
		if extra := t.behind[x]; extra != nil {
			return tir.Seq(out, extra)
		}
		return out
	}
	out := a.m.Stmt(scope).(*tir.Block)
	became := t.became.then(changed)
	if t.before != nil {
		out = out.WithBody(tir.Seq(t.before, out.Body))
		became[scope] = out
	}
	return out, became
}

// accessedIn reports whether a statement accesses the buffer.
func (t *layoutRewrite) accessedIn(x tir.Stmt) bool {
	found := false
	ir.Walk(x, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			found = found || n.Buffer == t.old
		case *tir.BufferStore:
			found = found || n.Buffer == t.old
		case *tir.BufferRegion:
			found = found || n.Buffer == t.old
		}
		return !found
	})
	return found
}

// regions replaces the regions of the buffer by those of the new one that were found.
func (t *layoutRewrite) regions(list, found []*tir.BufferRegion) []*tir.BufferRegion {
	out := slices.Clone(list)
	for i, r := range list {
		if r.Buffer == t.old {
			if out[i] = regionOf(found, t.now); out[i] == nil {
				out[i] = tir.FullRegion(t.now)
			}
		}
	}
	return out
}
