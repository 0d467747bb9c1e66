package relaypass

import (
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// fastOperators are the operators that have a fast form.
var fastOperators = map[string]string{
	"exp": "relay.fast_exp", "erf": "relay.fast_erf", "tanh": "relay.fast_tanh", "nn.softmax": "relay.nn.fast_softmax",
}

// FastMath replaces functions that are expensive by operators that approximate them. After src/relay/transforms/fast_math.cc of TVM v0.18.
var FastMath = &pass.Pass{
	Name: "relay.FastMath", Level: 4, Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces exp, erf, tanh and nn.softmax by fast_exp, fast_erf, fast_tanh and nn.fast_softmax, which approximate them by polynomials, to about five digits in float32.",
	Run: rewriting("approximate a function", func(s *site) relax.Expr {
		c, ok := s.value.(*relax.Call)
		if !ok {
			return nil
		}
		fast := fastOperators[relayName(c)]
		if fast == "" {
			return nil
		}
		if t := s.tensor(c); t == nil || !t.DType.IsFloat() {
			return s.declined("it is no tensor of floats of known rank")
		}
		return callOf(fast, c.Attrs, c.Args...)
	}),
}
