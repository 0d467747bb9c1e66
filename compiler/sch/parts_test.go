package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
)

// TestParts: what a primitive need not look into is looked into where it matters: a pointer in a part of the scope, and a buffer declared over the
// memory of another.
func TestParts(t *testing.T) {
	const params = `A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")`
	const blocks = `
    B = T.alloc_buffer((16,), "float32")
    for i in range(16):
        with T.block("B"):
            v = T.axis.spatial(16, i)
            B[v] = A[v] * T.float32(2)
    for i in range(16):
        with T.block("C"):
            v = T.axis.spatial(16, i)
            C[v] = B[v] + T.float32(1)
`
	pointer := `
    for i in range(16):
        with T.block("D"):
            v = T.axis.spatial(16, i)
            T.reads()
            T.writes(D[v])
            D[v] = T.call_extern("float32", "f", B.data, v)
`
	view := `
    for i in range(16):
        with T.block("D"):
            v = T.axis.spatial(16, i)
            T.reads()
            T.writes(D[v])
            V = T.decl_buffer((4, 4), "float32", data=B.data)
            D[v] = T.float32(1)
`
	for _, x := range []struct {
		name, more, kind string
		args             []any
		want             string
	}{
		{"nothing else", "", "ComputeInline", nil, ""},
		{"a pointer in another part", pointer, "ComputeInline", nil, "The buffer to be inlined has opaque access"},
		{"a buffer over the memory", view, "SetScope", []any{int64(0), "local"}, "is accessed as buffer V too"},
		{"no buffer over the memory", pointer, "SetScope", []any{int64(0), "local"}, ""},
	} {
		s := newSchedule(t, parsed(t, params, strings.ReplaceAll(blocks+x.more, "\n    ", "\n")), 0)
		b := do(t, s, "GetBlock", "B", nil)[0]
		_, err := s.Do(sch.KindOf(x.kind), append([]any{b}, x.args...)...)
		switch {
		case x.want == "" && err != nil:
			t.Errorf("%s: %v", x.name, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%s: got %v, want %s", x.name, err, x.want)
		}
	}
}
