package relax

import "github.com/irscope/irscope/compiler/ir"

// TailCall returns the binding of the value that a sequence yields, if that is a call of one of the functions that accepted names, or a conditional one of whose branches yields such a
// call, and only kills are behind it; nil if not. Where the function returns that value, the callee may take its place.
func TailCall(s *SeqExpr, accepted func(*ir.GlobalVar) bool) Binding {
	result, ok := s.Body.(*Var)
	if !ok {
		return nil
	}
	for k := len(s.Blocks) - 1; k >= 0; k-- {
		list := s.Blocks[k].Bindings
		for i := len(list) - 1; i >= 0; i-- {
			b := list[i]
			if b.Bound() != result {
				if _, op := KilledBy(b.BoundValue()); op != "" {
					continue
				}
				return nil
			}
			if _, cast := b.(*MatchCast); cast {
				return nil
			}
			switch value := b.BoundValue().(type) {
			case *Var:
				result = value // another name of it
				continue
			case *Call:
				if gv, ok := value.Op.(*ir.GlobalVar); ok && accepted(gv) {
					return b
				}
			case *If:
				if TailCall(value.Then, accepted) != nil || TailCall(value.Else, accepted) != nil {
					return b
				}
			}
			return nil
		}
	}
	return nil
}
