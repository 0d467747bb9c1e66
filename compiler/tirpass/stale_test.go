package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestConditionsGoStale lowers functions that test what they read from memory, overwrite it, and
// test it again: the first test says nothing about the second.
func TestConditionsGoStale(t *testing.T) {
	for name, body := range map[string]string{
		"if": `
    if A[0] < 4:
        A[0] = 100
        if A[0] < 4:
            B[0] = 1
        else:
            B[0] = 2`,
		"else": `
    if A[0] > 4:
        B[0] = 3
    else:
        A[0] = 100
        if A[0] > 4:
            B[0] = 1
        else:
            B[0] = 2`,
		"assert": `
    with T.Assert(A[0] < 4, "it is small"):
        A[0] = 100
        B[0] = T.if_then_else(A[0] < 4, 1, 2)`,
		"half": `
    if A[1] == 1 and A[0] < 4:
        A[0] = 100
        B[0] = T.if_then_else(A[0] < 4, 1, 2)`,
		"half of a half": `
    for i in range(2):
        if i < 1 and (i < 3 and A[0] < 4):
            A[0] = 100
            B[0] = T.if_then_else(A[0] < 4, 1, 2)
        if (A[1] < 4 and i < 3) and i > 0:
            A[1] = 100
            B[1] = T.if_then_else(A[1] < 4, 1, 2)`,
		"loop": `
    for i in range(A[3]):
        A[3] = -1
        if i < A[3]:
            B[i] = 1
        else:
            B[i] = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			mods, found := parse.File("f.py", "@T.prim_func\ndef kernel(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")):"+body+"\n", parse.Options{})
			if len(found) > 0 {
				t.Fatal(found)
			}
			f := mods[0].Module.Lookup("kernel").(*tir.PrimFunc)
			args := []any{tensor.MustOf([]int64{4}, []int32{0, 1, 2, 3}), tensor.MustNew(dtype.Int32T, 4)}
			want := mustRun(t, f, args)
			c := passtest.NewContext()
			for _, p := range lowering(t) {
				g := apply(t, c, p, f)
				sameMeaning(t, p, f, g, args, want)
				f = g
			}
		})
	}
}
