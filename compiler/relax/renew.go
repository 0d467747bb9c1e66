package relax

// Renew makes m replace variables: each definition by what renew makes of it, itself to keep
// it, and each use by what its definition became. Other expressions go through MapExpr; a
// caller that wants more wraps Expr afterwards.
func (m *Mapper) Renew(renew func(*Var) *Var) {
	renewed := map[*Var]*Var{}
	m.Var = func(v *Var) *Var {
		to := renew(v)
		if to != v {
			renewed[v] = to
		}
		return to
	}
	m.Expr = func(e Expr) Expr {
		if v, ok := e.(*Var); ok {
			if to := renewed[v]; to != nil {
				return to
			}
			return e
		}
		return m.MapExpr(e)
	}
}

// RenewSInfo is Renew for variables whose struct info m.SInfo changes.
func (m *Mapper) RenewSInfo() {
	m.Renew(func(v *Var) *Var {
		if v.SInfo == nil {
			return v
		}
		info := m.SInfo(v.SInfo)
		return v.WithSInfo(info)
	})
}
