package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CanonicalizeOps replaces bias_add by an addition.
var CanonicalizeOps = &pass.Pass{
	Name: "relay.CanonicalizeOps", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces nn.bias_add by expand_dims and add, so that other passes have one operator less to know.",
	Run: rewriting("canonicalize bias_add", func(s *site) relax.Expr {
		c := s.call(s.value, "relay.nn.bias_add")
		if c == nil {
			return nil
		}
		t := s.tensor(c.Args[0])
		if t == nil {
			return s.declined("the rank of the data is not known")
		}
		axis := int(c.Attrs.Int("axis", 1))
		if axis < 0 {
			axis += t.NDim
		}
		if axis < 0 || axis >= t.NDim {
			return s.declined("the data has no such axis")
		}
		return op.Add(c.Args[0], alongAxis(c.Args[1], axis, t.NDim))
	}),
}
