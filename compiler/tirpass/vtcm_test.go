package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// beside is a kernel with two buffers beside each other and one in the first, all of n bytes, for a target.
func beside(n int, target string) string {
	attr := ""
	if target != "" {
		attr = "    T.func_attr({\"target\": " + target + "})\n"
	}
	return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d,), "uint8"), B: T.Buffer((%[1]d,), "uint8")):
%[2]s    for k in range(2):
        V_data = T.allocate([%[1]d], "uint8", "global.vtcm")
        V = T.Buffer((%[1]d,), "uint8", data=V_data, scope="global.vtcm")
        W_data = T.allocate([%[1]d], "uint8", "global.vtcm")
        W = T.Buffer((%[1]d,), "uint8", data=W_data, scope="global.vtcm")
        for i in range(%[1]d):
            V[i] = A[i]
        for i in range(%[1]d):
            W[i] = V[%[1]d - 1 - i]
        for i in range(%[1]d):
            B[i] = W[i]
    U_data = T.allocate([%[1]d], "uint8", "global.vtcm")
    U = T.Buffer((%[1]d,), "uint8", data=U_data, scope="global.vtcm")
    U[0] = B[0]
    A[0] = U[0]
`, n, attr)
}

// TestVerifyVTCMLimit holds functions to what their target has, or else the default one, or else the option.
func TestVerifyVTCMLimit(t *testing.T) {
	const hexagon = `T.target({"kind": "hexagon", "vtcm-capacity": %d})`
	capacity := func(n int64) []pass.ContextOption {
		return []pass.ContextOption{pass.Configure(map[string]any{"tir.vtcm_capacity": n})}
	}
	for _, x := range []struct {
		name, target, byDefault string
		opts                    []pass.ContextOption
		limit                   int // that the error names, 0 for none
	}{
		{name: "as much as there is", target: fmt.Sprintf(hexagon, 128)},
		{name: "one byte more", target: fmt.Sprintf(hexagon, 127), limit: 127},
		{name: "the target counts before the option", target: fmt.Sprintf(hexagon, 128), opts: capacity(5)},
		{name: "a target that does not say", target: `T.target("llvm")`, opts: capacity(100), limit: 100},
		{name: "a target that does not say, and no option", target: `T.target("llvm")`},
		{name: "no target", opts: capacity(100)},
		{name: "the default target", byDefault: "hexagon -vtcm-capacity=90", limit: 90},
		{name: "its own target, not the default one", target: fmt.Sprintf(hexagon, 200), byDefault: "hexagon -vtcm-capacity=90"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := moduleOf(parseFunc(t, beside(64, x.target)))
			out, err := passtest.NewContext(x.opts...).Run(with(t, tirpass.VerifyVTCMLimit, "default_target", x.byDefault), m)
			want := fmt.Sprintf("The global.vtcm memory allocation limit has been exceeded (allocated: 128, limit: %d)", x.limit)
			switch {
			case x.limit == 0 && (err != nil || out != m):
				t.Errorf("got %v, want the module", err)
			case x.limit > 0 && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// TestRandomVtcm has the runtime allocate memory of any size, none too.
func TestRandomVtcm(t *testing.T) {
	keepsMeaning(t, 20, tirpass.LowerVtcmAlloc, nil, func(r *rand.Rand) string { return beside(1+r.IntN(20), "") })
}
