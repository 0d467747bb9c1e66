package relaypass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
)

func TestEliminateCommonSubexprPairs(t *testing.T) {
	const x = "%x: Tensor[(2, 3), float32], %p: bool"
	runPairs(t, relaypass.EliminateCommonSubexpr, []pair{
		{name: "calls", params: x, before: "add(add(nn.relu(%x), 1f), add(nn.relu(%x), 1f))", after: "%0 = add(nn.relu(%x), 1f); add(%0, %0)"},
		{name: "fields", params: x, before: "%0 = split(%x, indices_or_sections=3, axis=1); add(%0.0, %0.0)", after: "%0 = split(%x, indices_or_sections=3, axis=1); %1 = %0.0; add(%1, %1)"},
		{name: "tuples", params: x, before: "add(concatenate((nn.relu(%x), %x)), concatenate((nn.relu(%x), %x)))", after: "%0 = concatenate((nn.relu(%x), %x)); add(%0, %0)"},
		{name: "other attributes", params: x, before: "(sum(%x, axis=[0]), sum(%x, axis=[1]))"},
		{name: "calls without arguments", params: x, before: "(zeros(shape=[2], dtype=\"float32\"), zeros(shape=[2], dtype=\"float32\"))"},
		{name: "calls of a function", params: x, before: "let %f = fn (%y: Tensor[(2, 3), float32]) { exp(%y) }; add(%f(%x), %f(%x))"},
		{name: "two branches", params: x, before: "if (%p) { exp(%x) } else { add(exp(%x), 1f) }"},
	})
	runPairs(t, withArgs(t, relaypass.EliminateCommonSubexpr, "fskip", []ir.Value{"add"}), []pair{
		{name: "what is skipped", params: x, before: "add(add(nn.relu(%x), 1f), add(nn.relu(%x), 1f))", after: "%0 = nn.relu(%x); add(add(%0, 1f), add(%0, 1f))"},
	})
}

func TestEliminateCommonSubexprErrors(t *testing.T) {
	m := read(t, "def @main(%x: float32) { %x }")
	_, err := passtest.NewContext().Run(withArgs(t, relaypass.EliminateCommonSubexpr, "fskip", []ir.Value{"nn.no"}), m)
	if err == nil || !strings.Contains(err.Error(), `fskip: no operator is called "nn.no"`) {
		t.Error(err)
	}
}

func TestInlineOncePairs(t *testing.T) {
	const x = "%x: Tensor[(2, 3), float32], %p: bool"
	once := []any{"inline_once", true}
	runPairs(t, withArgs(t, relaypass.DeadCodeElimination, once...), []pair{
		{name: "a let", params: x, before: "let %a = exp(%x); let %b = 2f; multiply(%a, %b)", after: "multiply(exp(%x), 2f)"},
		{name: "two uses", params: x, before: "let %a = exp(%x); add(%a, %a)"},
		{name: "a use by a node that is used twice", params: x, before: "let %a = exp(%x); %0 = nn.relu(%a); add(%0, %0)"},
		{name: "a use that is dead", params: x, before: "let %a = exp(%x); let %b = abs(%a); nn.relu(%a)", after: "nn.relu(exp(%x))"},
		{name: "into a branch", params: x, before: "let %a = exp(%x); if (%p) { abs(%a) } else { %x }", after: "if (%p) { abs(exp(%x)) } else { %x }"},
		{name: "a let of a branch", params: x, before: "let %a = if (%p) { let %b = exp(%x); abs(%b) } else { %x }; nn.relu(%a)", after: "nn.relu(if (%p) { abs(exp(%x)) } else { %x })"},
		{
			name: "not into a function", params: x, before: "let %a = exp(%x); let %f = fn (%y: Tensor[(2, 3), float32]) { let %z = add(%y, %y); add(%a, %z) }; (%f(%x), %f(%x))",
			after: "let %a = exp(%x); let %f = fn (%y: Tensor[(2, 3), float32]) { add(%a, add(%y, %y)) }; (%f(%x), %f(%x))",
		},
		{name: "a function", params: x, before: "let %f = fn (%y: Tensor[(2, 3), float32]) { exp(%y) }; %f(%x)", after: "%0 = fn (%y: Tensor[(2, 3), float32]) { exp(%y) }; %0(%x)"},
		{name: "behind an effect", params: x, before: "let %a = exp(%x); let %k = memory.kill(%x); nn.relu(%a)", after: "let %k = memory.kill(%x); nn.relu(exp(%x))"},
		{name: "an effect", params: x, before: "let %k = memory.kill(%x); %x"},
	})
	runPairs(t, withArgs(t, relaypass.DeadCodeElimination, "ignore_impurity", true), []pair{{name: "an effect", params: x, before: "let %k = memory.kill(%x); %x", after: "%x"}})
}
