package transform

import (
	"encoding/binary"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// groupKey spells what the function of a group is, so that it need not be made and compared where the same was made before: which kernels are
// called with which values, and the struct info of all values. It is "" for groups that it does not spell: with constants, arguments
// beside tensors and extents, attributes, or extents that symbols does not write.
func groupKey(s *symbols, members []*fuseNode) string {
	var key []byte
	number := map[*relax.Var]int{}
	for _, n := range members {
		kernel, tensors := n.call.Args[0].(*ir.GlobalVar), n.call.Args[1:]
		callee, isOp := n.call.Op.(*ir.Op)
		if !isOp || len(tensors) == 0 || len(tensors) > 2 || n.call.Attrs.Len() > 0 || len(n.call.SInfoArgs) != 1 {
			return ""
		}
		key = appendText(appendText(key, callee.Name), kernel.Name)
		tuple, ok := tensors[0].(*relax.Tuple)
		if !ok {
			return ""
		}
		key = binary.AppendUvarint(key, uint64(len(tuple.Fields)))
		for _, a := range tuple.Fields {
			v, ok := a.(*relax.Var)
			if !ok {
				return ""
			}
			i, known := number[v]
			if !known {
				i = len(number)
				number[v] = i
			}
			key = binary.AppendUvarint(key, uint64(i))
			if !known {
				if key, ok = s.appendInfo(key, v.SInfo); !ok {
					return ""
				}
			}
		}
		if len(tensors) == 2 { // parameters that are scalars
			values, isShape := tensors[1].(*relax.ShapeExpr)
			if !isShape {
				return ""
			}
			if key, ok = s.appendExtents(append(key, 's'), values.Values); !ok {
				return ""
			}
		}
		if key, ok = s.appendInfo(key, n.call.SInfoArgs[0]); !ok {
			return ""
		}
		if key, ok = s.appendInfo(key, n.binding.Var.SInfo); !ok {
			return ""
		}
		number[n.binding.Var] = len(number)
	}
	return string(key)
}

func appendText(key []byte, s string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(s))), s...)
}
