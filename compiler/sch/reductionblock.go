package sch

// IsReductionBlock reports whether a block is a reduction block in another one around it, which is its scope root (TVM's IsReductionBlock).
func (s *State) IsReductionBlock(b, scope *Block) (bool, error) {
	at, err := s.block(b)
	if err != nil {
		return false, err
	}
	root, err := s.block(scope)
	if err != nil {
		return false, err
	}
	return s.notReduction(at, root.stmt()) == 0, nil
}
