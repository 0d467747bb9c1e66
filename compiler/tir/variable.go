package tir

// VarName returns the variable's name.
func (v *Var) VarName() string { return v.Name }

// VarName returns the buffer's name.
func (b *Buffer) VarName() string { return b.Name }

// IsView marks buffers as views of the data that they point at.
func (*Buffer) IsView() {}
