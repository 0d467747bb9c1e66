package transform

import (
	"encoding/binary"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// groupKey spells what the function of a group is, so that it need not be made and compared where the same was made before: which kernels are
// called with which values, and the struct info of all values. Its text is empty for groups that it does not spell: with scalars, arguments
// beside tensors and extents, attributes, or extents that symbols does not write.
type groupKey struct {
	text   []byte
	static bool         // whether there are no symbolic extents in it
	args   []relax.Expr // what the group uses from outside, in the order of first use

	values []relax.Expr       // by number
	index  map[relax.Expr]int // of values, where there are many
}

// manyValues is how many values a group has where a table finds them faster.
const manyValues = 24

// spell writes the key of a group, and reports whether it has one.
func (k *groupKey) spell(s *symbols, members []*fuseNode) bool {
	k.text, k.args, k.values, k.index = k.text[:0], k.args[:0], k.values[:0], nil
	before := s.written
	for _, n := range members {
		if !k.member(s, n) {
			k.text, k.static = k.text[:0], false
			return false
		}
	}
	k.static = s.written == before
	return true
}

func (k *groupKey) member(s *symbols, n *fuseNode) (ok bool) {
	kernel, tensors := n.call.Args[0].(*ir.GlobalVar), n.call.Args[1:]
	callee, isOp := n.call.Op.(*ir.Op)
	if !isOp || len(tensors) == 0 || len(tensors) > 2 || n.call.Attrs.Len() > 0 || len(n.call.SInfoArgs) != 1 {
		return false
	}
	k.text = appendText(appendText(k.text, callee.Name), kernel.Name)
	tuple, ok := tensors[0].(*relax.Tuple)
	if !ok {
		return false
	}
	k.text = binary.AppendUvarint(k.text, uint64(len(tuple.Fields)))
	for _, a := range tuple.Fields {
		switch a := a.(type) {
		case *relax.Var:
		case *relax.Constant:
			if _, scalar := scalarConst(a); scalar || a.Sharding != nil {
				return false // a scalar becomes part of the kernel
			}
		default:
			return false
		}
		i, known := k.number(a)
		k.text = binary.AppendUvarint(k.text, uint64(i))
		if !known {
			k.args = append(k.args, a)
			if k.text, ok = s.appendInfo(k.text, relax.SInfoOf(a)); !ok {
				return false
			}
		}
	}
	if len(tensors) == 2 { // parameters that are scalars
		values, isShape := tensors[1].(*relax.ShapeExpr)
		if !isShape {
			return false
		}
		if k.text, ok = s.appendExtents(append(k.text, 's'), values.Values); !ok {
			return false
		}
	}
	if k.text, ok = s.appendInfo(k.text, n.call.SInfoArgs[0]); !ok {
		return false
	}
	if k.text, ok = s.appendInfo(k.text, n.binding.Var.SInfo); !ok {
		return false
	}
	k.number(n.binding.Var)
	return true
}

// number returns the number of a value, and whether it had one before.
func (k *groupKey) number(e relax.Expr) (i int, known bool) {
	if k.index == nil {
		i = slices.Index(k.values, e)
		known = i >= 0
	} else {
		i, known = k.index[e]
	}
	if known {
		return i, true
	}
	k.values = append(k.values, e)
	if k.index != nil {
		k.index[e] = len(k.values) - 1
	} else if len(k.values) == manyValues {
		k.index = make(map[relax.Expr]int, 2*manyValues)
		for i, x := range k.values {
			k.index[x] = i
		}
	}
	return len(k.values) - 1, false
}

func appendText(key []byte, s string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(s))), s...)
}
