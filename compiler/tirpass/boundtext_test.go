package tirpass_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

var position = regexp.MustCompile(`^text\.py:\d+:\d+: `)

// boundChecks lists the checks in f from the outermost: what is within what, the condition and the message.
func boundChecks(f *tir.PrimFunc) []string {
	text := func(n ir.Node) string {
		return strings.TrimSpace(script.Node(n, script.Options{IntDType: dtype.Int32T}))
	}
	var out []string
	within := ""
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AttrStmt:
			switch n.Key {
			case tir.KeyBoundIndex:
				within = n.Node.(*tir.Var).Name + ": " + text(n.Value)
			case tir.KeyBoundExtent:
				within += " within " + text(n.Value)
			}
		case *tir.AssertStmt:
			if within != "" {
				out = append(out, within+" | "+text(n.Cond)+" | "+position.ReplaceAllString(n.Message.(*tir.StringImm).Value, ""))
			}
			within = ""
		}
		return true
	})
	return out
}

// TestBoundChecks lists the checks that accesses get, in their order.
func TestBoundChecks(t *testing.T) {
	const (
		load  = "load from A: the index is outside of dimension 0, whose extent is 4"
		store = "store to A: the index is outside of dimension 0, whose extent is 4"
	)
	for _, c := range []struct {
		name, body string
		want       []string
		unchecked  string // of the warning
	}{
		{"each end of a loop", `
    for i in range(-1, 4):
        A[i] = 0
    for i in range(5):
        A[i] = A[i - 1]`, []string{
			"A: i | 0 <= i and i < 4 | " + store, "A: i - 1 | 0 <= i - 1 and i - 1 < 4 | " + load, "A: i | 0 <= i and i < 4 | " + store,
		}, ""},
		{"constants", `
    A[3] = A[-1] + A[3]
    A[4] = A[0]`, []string{
			"A: -1 | T.bool(False) | load from A: index -1 is outside of dimension 0, whose extent is 4",
			"A: 4 | T.bool(False) | store to A: index 4 is outside of dimension 0, whose extent is 4",
		}, ""},
		{"an index that is read first", `
    A[A[n]] = 0`, []string{"A: n | 0 <= n and n < 4 | " + load, "A: A[n] | 0 <= A[n] and A[n] < 4 | " + store}, ""},
		{"two dimensions", `
    M[n, n + 1] = 0`, []string{
			"M: n | 0 <= n and n < 2 | store to M: the index is outside of dimension 0, whose extent is 2",
			"M: n + 1 | 0 <= n + 1 and n + 1 < 3 | store to M: the index is outside of dimension 1, whose extent is 3",
		}, ""},
		{"an extent that is not a constant", `
    S = T.decl_buffer((n, 2), "int32")
    S[k, 0] = 1`, []string{"S: k within n | 0 <= k and k < n | store to S: the index is outside of dimension 0"}, ""},
		{"an extent that the loop keeps to", `
    S = T.decl_buffer((n, 2), "int32")
    for i in range(n):
        S[i, 0] = 1`, nil, ""},
		{"an index of another type", `
    w: T.int64 = T.Cast("int64", n) * T.int64(2)
    A[w] = 0
    u: T.uint32 = T.Cast("uint32", n)
    A[u] = 0`, []string{
			`A: w | T.int64(0) <= w and w < T.int64(4) | ` + store,
			`A: T.Cast("int64", u) | T.int64(0) <= T.Cast("int64", u) and T.Cast("int64", u) < T.int64(4) | ` + store,
		}, ""},
		{"a loop of another type", `
    for i in range(T.int64(4)):
        A[i] = 0
    for i in range(T.int64(5)):
        A[i] = 0`, []string{"A: i | T.int64(0) <= i and i < T.int64(4) | " + store}, ""},
		{"a quotient of any number is exact", `
    w: T.int64 = T.Cast("int64", n) * T.int64(3)
    if T.int64(0) <= w // T.int64(4) and w // T.int64(4) < T.int64(4):
        A[w // T.int64(4)] = 0`, nil, ""},
		{"a quotient of what may be out of range", `
    for w in range(T.Cast("int64", n) * T.Cast("int64", k)):
        if w * T.int64(8) // T.int64(16) < T.int64(4):
            A[w * T.int64(8) // T.int64(16)] = 0`, []string{
			"A: w * T.int64(8) // T.int64(16) | T.int64(0) <= w * T.int64(8) // T.int64(16) and w * T.int64(8) // T.int64(16) < T.int64(4) | " + store,
		}, ""},
		{"a vector of vectors", `
    A[T.Broadcast(T.Ramp(n, 1, 2), 2)] = T.Broadcast(0, 4)`, []string{
			"A: n | 0 <= n and n < 4 | " + store, "A: n + 1 | 0 <= n + 1 and n + 1 < 4 | " + store,
		}, ""},
		{"an index that a mask reads", `
    A[B.vload([T.Ramp(0, 1, 2)], predicate=T.Broadcast(k, 2) > T.Ramp(0, 1, 2))] = T.Broadcast(0, 2)`, nil, "2 accesses"},
		{"a mask that cannot be negated apart", `
    A.vstore([T.Ramp(n, 1, 2)], T.Broadcast(0, 2), predicate=not T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(T.bool(True), 2), T.Broadcast(T.bool(False), 2)))`, nil, "2 accesses"},
		{"a sum, a cast and an index in memory that cannot be taken apart", `
    A[T.Ramp(0, 1, 2) + T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(n, 2), T.Broadcast(k, 2))] = T.Broadcast(0, 2)
    A[T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(n, 2), T.Broadcast(k, 2)) + T.Ramp(0, 1, 2)] = T.Broadcast(0, 2)
    A[T.Cast("int64x2", T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(n, 2), T.Broadcast(k, 2)))] = T.Broadcast(0, 2)`, nil, "6 accesses"},
		{"a long vector in the second dimension", `
    M[n, T.Ramp(0, 1, 3)] = T.Broadcast(0, 3)
    M[0, T.Ramp(k, 1, 3)] = T.Broadcast(0, 3)`, []string{
			"M: n | 0 <= n and n < 2 | store to M: the index is outside of dimension 0, whose extent is 2",
			"M: k | 0 <= k and k < 3 | store to M: the index is outside of dimension 1, whose extent is 3",
			"M: k + 2 | 0 <= k + 2 and k + 2 < 3 | store to M: the index is outside of dimension 1, whose extent is 3",
		}, ""},
		{"an index of a natural, and an extent of one", `
    u: T.uint32 = T.Cast("uint32", n)
    S = T.decl_buffer((T.Cast("uint32", k),), "int32", data=p)
    S[u] = 0`, []string{
			`p: T.Cast("int64", u) within T.Cast("int64", T.Cast("uint32", k)) | T.int64(0) <= T.Cast("int64", u) and T.Cast("int64", u) < T.Cast("int64", T.Cast("uint32", k)) | store to S: the index is outside of dimension 0`,
		}, "1 access"},
		{"an index that is a cast of a number with a fraction", `
    x: T.float32 = T.Cast("float32", n)
    if 0 <= T.Cast("int32", x) and T.Cast("int32", x) < 4:
        A[T.Cast("int32", x)] = 0`, []string{
			`A: T.Cast("int32", x) | 0 <= T.Cast("int32", x) and T.Cast("int32", x) < 4 | ` + store,
		}, ""},
		{"an index in a buffer of vectors", `
    W = T.decl_buffer((2,), "int32x2", data=A.data)
    B[W[0]] = T.Broadcast(0, 2)`, nil, "2 accesses"},
		{"a sum that a condition keeps within bounds", `
    if 0 <= n + 3 and n + 3 < 4:
        A[n + 3] = 0`, nil, ""},
		{"an offset that is 0", `
    V = T.decl_buffer((4,), "int32", data=A.data, elem_offset=k - k)
    V[3] = 1`, nil, ""},
		{"nothing in bits", `
    V = T.decl_buffer((4,), "void", data=p)
    T.evaluate(T.address_of(V[9]))`, nil, ""},
		{"an offset of 0", `
    V = T.decl_buffer((4,), "int32", data=A.data, elem_offset=k)
    V[0] = 1`, []string{
			`A: T.Cast("int64", k) | T.int64(0) <= T.Cast("int64", k) and T.Cast("int64", k) < T.int64(4) | store to V: the element lies outside of the memory of A`,
		}, ""},
		{"choices", `
    A[0] = T.if_then_else(n > 0, A[n], A[n + 4])
    A[1] = T.Select(k > 0, A[k], 0)`, []string{
			"A: n | T.if_then_else(n > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n + 4 | T.if_then_else(not n > 0, 0 <= n + 4 and n + 4 < 4, T.bool(True)) | " + load,
			"A: k | T.if_then_else(k > 0, 0 <= k and k < 4, T.bool(True)) | " + load,
		}, ""},
		{"choices that keep the index within bounds", `
    A[0] = T.if_then_else(0 <= n and n < 4, A[n], 0)`, nil, ""},
		{"a condition on memory proves nothing", `
    A[0] = T.if_then_else(0 <= A[1] and A[1] < 4, A[A[1]], 0)`, []string{
			"A: A[1] | T.if_then_else(0 <= A[1] and A[1] < 4, 0 <= A[1] and A[1] < 4, T.bool(True)) | " + load,
		}, ""},
		{"and, or", `
    if n > 0 and A[n] == 1 or A[k] == 2:
        A[0] = 1`, []string{
			"A: n | T.if_then_else(n > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: k | T.if_then_else(not (n > 0 and A[n] == 1), 0 <= k and k < 4, T.bool(True)) | " + load,
		}, ""},
		{"lets", `
    x = T.int32()
    A[0] = T.Let(A[x], where={x: A[n]})`, []string{
			"A: n | 0 <= n and n < 4 | " + load,
			"A: T.Let(x, where={x: A[n]}) | T.Let(0 <= x and x < 4, where={x: A[n]}) | " + load,
		}, ""},
		{"the same check twice", `
    A[n] = A[n] + A[n + 1]`, []string{
			"A: n | 0 <= n and n < 4 | " + load, "A: n + 1 | 0 <= n + 1 and n + 1 < 4 | " + load,
		}, ""},
		{"the same index of two buffers", `
    A[n] = B[n]`, []string{
			"B: n | 0 <= n and n < 4 | load from B: the index is outside of dimension 0, whose extent is 4", "A: n | 0 <= n and n < 4 | " + store,
		}, ""},
		{"statements of each kind", `
    for i in range(A[n], A[n + 1]):
        T.evaluate(A[n + 2])
    with T.LetStmt(A[n + 3]) as x:
        T.evaluate(x)
    with T.Assert(A[n + 4] == 1, "text"):
        T.evaluate(A[0])
    with T.attr(0, "key", A[n + 5]):
        T.evaluate(A[0])
    if A[n + 6] == 1:
        T.evaluate(A[0])
    d = T.allocate([A[n + 7]], "int32", "global")
    T.evaluate(A[0])`, []string{
			"A: n | 0 <= n and n < 4 | " + load, "A: n + 1 | 0 <= n + 1 and n + 1 < 4 | " + load, "A: n + 2 | 0 <= n + 2 and n + 2 < 4 | " + load,
			"A: n + 3 | 0 <= n + 3 and n + 3 < 4 | " + load, "A: n + 4 | 0 <= n + 4 and n + 4 < 4 | " + load, "A: n + 5 | 0 <= n + 5 and n + 5 < 4 | " + load,
			"A: n + 6 | 0 <= n + 6 and n + 6 < 4 | " + load, "A: n + 7 | 0 <= n + 7 and n + 7 < 4 | " + load,
		}, ""},
		{"blocks", `
    for i in range(4):
        with T.block("b"):
            v = T.axis.spatial(4, A[i + 1])
            T.where(A[i + 2] == 1)
            T.reads()
            T.writes()
            A[v] = 1
    for i in range(4):
        with T.block("c"):
            T.where(i < 2)
            T.reads()
            T.writes()
            A[i + 2] = 1
            A[i + 3] = 1`, []string{
			"A: i + 1 | 0 <= i + 1 and i + 1 < 4 | " + load, "A: i + 2 | 0 <= i + 2 and i + 2 < 4 | " + load,
			"A: v | 0 <= v and v < 4 | " + store, "A: i + 3 | 0 <= i + 3 and i + 3 < 4 | " + store,
		}, ""},
		{"a while loop", `
    while A[n] < 3:
        A[k] = A[0] + 1
    while A[0] < 3:
        A[k] = A[0] + 1
    while A[0] < 4:
        A[0] = A[0] + 1`, []string{"A: n | 0 <= n and n < 4 | " + load, "A: k | 0 <= k and k < 4 | " + store, "A: k | 0 <= k and k < 4 | " + store}, ""},
		{"the address only", `
    T.evaluate(T.address_of(A[A[n]]))`, []string{"A: n | 0 <= n and n < 4 | " + load}, ""},
		{"vectors of two", `
    A[T.Ramp(n, 2, 2)] = T.Broadcast(0, 2)`, []string{
			"A: n | 0 <= n and n < 4 | " + store, "A: n + 2 | 0 <= n + 2 and n + 2 < 4 | " + store,
		}, ""},
		{"both ends of a longer vector", `
    A[T.Ramp(n, 3, 5)] = T.Broadcast(0, 5)`, []string{
			"A: n | 0 <= n and n < 4 | " + store, "A: n + 12 | 0 <= n + 12 and n + 12 < 4 | " + store,
		}, ""},
		{"a vector whose stride is not a constant", `
    A[T.Ramp(n, k, 3)] = T.Broadcast(0, 3)`, []string{
			"A: n | 0 <= n and n < 4 | " + store, "A: n + k | 0 <= n + k and n + k < 4 | " + store, "A: n + k * 2 | 0 <= n + k * 2 and n + k * 2 < 4 | " + store,
		}, ""},
		{"a vector that is not a ramp", `
    A[T.Ramp(n, 1, 3) * T.Broadcast(k, 3)] = T.Broadcast(0, 3)`, []string{
			"A: n * k | 0 <= n * k and n * k < 4 | " + store, "A: (n + 1) * k | 0 <= (n + 1) * k and (n + 1) * k < 4 | " + store,
			"A: (n + 2) * k | 0 <= (n + 2) * k and (n + 2) * k < 4 | " + store,
		}, ""},
		{"an index in a vector of indices", `
    A[B[T.Ramp(0, 1, 3)]] = T.Broadcast(0, 3)`, []string{
			"A: B[0] | 0 <= B[0] and B[0] < 4 | " + store, "A: B[1] | 0 <= B[1] and B[1] < 4 | " + store, "A: B[2] | 0 <= B[2] and B[2] < 4 | " + store,
		}, ""},
		{"a mask", `
    A.vstore([T.Ramp(n, 1, 3)], T.Broadcast(0, 3), predicate=T.Broadcast(k, 3) > T.Ramp(0, 1, 3))`, []string{
			"A: n | T.if_then_else(k > 0, 0 <= n and n < 4, T.bool(True)) | " + store,
			"A: n + 1 | T.if_then_else(k > 1, 0 <= n + 1 and n + 1 < 4, T.bool(True)) | " + store,
			"A: n + 2 | T.if_then_else(k > 2, 0 <= n + 2 and n + 2 < 4, T.bool(True)) | " + store,
		}, ""},
		{"a mask of a load", `
    B[T.Ramp(0, 1, 2)] = A.vload([T.Ramp(n, 1, 2)], predicate=not (T.Broadcast(k, 2) > T.Ramp(0, 1, 2)))`, []string{
			"A: n | T.if_then_else(not k > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n + 1 | T.if_then_else(not k > 1, 0 <= n + 1 and n + 1 < 4, T.bool(True)) | " + load,
		}, ""},
		{"a mask that is read", `
    A.vstore([T.Ramp(0, 1, 2)], T.Broadcast(0, 2), predicate=B[T.Ramp(n, 1, 2)] > T.Broadcast(1, 2))`, []string{
			"B: n | 0 <= n and n < 4 | load from B: the index is outside of dimension 0, whose extent is 4",
			"B: n + 1 | 0 <= n + 1 and n + 1 < 4 | load from B: the index is outside of dimension 0, whose extent is 4",
		}, ""},
		{"a mask of a scalar that is true", `
    A.vstore([T.Ramp(n, 1, 3)], T.Broadcast(0, 3), predicate=T.bool(True))`, []string{
			"A: n | 0 <= n and n < 4 | " + store, "A: n + 2 | 0 <= n + 2 and n + 2 < 4 | " + store,
		}, ""},
		{"a mask that cannot be taken apart", `
    A.vstore([T.Ramp(n, 1, 2)], T.Broadcast(0, 2), predicate=T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(T.bool(True), 2), T.Broadcast(T.bool(False), 2)))`, nil, "2 accesses"},
		{"an index that cannot be taken apart", `
    A[T.Select(T.Broadcast(k, 2) > T.Ramp(0, 1, 2), T.Broadcast(n, 2), T.Broadcast(k, 2))] = T.Broadcast(0, 2)`, nil, "2 accesses"},
		{"a vector under a condition of each lane", `
    B[T.Ramp(0, 1, 2)] = T.Select(T.Ramp(n, 1, 2) > T.Broadcast(0, 2), A[T.Ramp(n, 1, 2)], T.Broadcast(0, 2))`, []string{
			"A: n | T.if_then_else(n > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n + 1 | T.if_then_else(n + 1 > 0, 0 <= n + 1 and n + 1 < 4, T.bool(True)) | " + load,
		}, ""},
		{"a long vector under a condition of each lane", `
    B[T.Ramp(0, 1, 3)] = T.Select(T.Ramp(n, 1, 3) > T.Broadcast(0, 3), A[T.Ramp(n, 1, 3)], T.Broadcast(0, 3))`, []string{
			"A: n | T.if_then_else(n > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n + 1 | T.if_then_else(n + 1 > 0, 0 <= n + 1 and n + 1 < 4, T.bool(True)) | " + load,
			"A: n + 2 | T.if_then_else(n + 2 > 0, 0 <= n + 2 and n + 2 < 4, T.bool(True)) | " + load,
		}, ""},
		{"a long vector under a scalar condition", `
    B[T.Ramp(0, 1, 3)] = T.Select(n > 0, A[T.Ramp(n, 1, 3)], T.Broadcast(0, 3))`, []string{
			"A: n | T.if_then_else(n > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n + 2 | T.if_then_else(n > 0, 0 <= n + 2 and n + 2 < 4, T.bool(True)) | " + load,
		}, ""},
		{"a scalar index under a condition of each lane", `
    B[T.Ramp(0, 1, 2)] = T.Select(T.Ramp(k, 1, 2) > T.Broadcast(0, 2), T.Broadcast(A[n], 2), T.Broadcast(0, 2))`, []string{
			"A: n | T.if_then_else(k > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
			"A: n | T.if_then_else(k + 1 > 0, 0 <= n and n < 4, T.bool(True)) | " + load,
		}, ""},
		{"a condition of each lane that cannot be taken apart", `
    B[T.Ramp(0, 1, 2)] = T.Select(T.Select(T.Ramp(k, 1, 2) > T.Broadcast(0, 2), T.Broadcast(T.bool(True), 2), T.Broadcast(T.bool(False), 2)), A[T.Ramp(n, 1, 2)], T.Broadcast(0, 2))`, nil, "2 accesses"},
		{"a cast of each lane", `
    A[T.Cast("int64x2", T.Ramp(n, 1, 2))] = T.Broadcast(0, 2)`, []string{
			`A: T.Cast("int64", n) | T.int64(0) <= T.Cast("int64", n) and T.Cast("int64", n) < T.int64(4) | ` + store,
			`A: T.Cast("int64", n + 1) | T.int64(0) <= T.Cast("int64", n + 1) and T.Cast("int64", n + 1) < T.int64(4) | ` + store,
		}, ""},
		{"a view that is as large", `
    V = T.decl_buffer((2, 2), "int32", data=A.data)
    V[n, 0] = 1`, []string{"A: n | 0 <= n and n < 2 | store to V: the index is outside of dimension 0, whose extent is 2"}, ""},
		{"a view that is larger", `
    V = T.decl_buffer((2, 3), "int32", data=A.data)
    V[1, 2] = 1`, []string{"A: T.int64(5) | T.bool(False) | store to V: the element lies outside of the memory of A"}, ""},
		{"a view of smaller elements", `
    V = T.decl_buffer((8,), "int16", data=A.data)
    V[7] = T.int16(1)
    W = T.decl_buffer((9,), "int16", data=A.data)
    W[8] = T.int16(1)
    W[7] = T.int16(1)`, []string{"A: T.int64(8) | T.bool(False) | store to W: the element lies outside of the memory of A"}, ""},
		{"a view of larger elements", `
    V = T.decl_buffer((2,), "int64", data=A.data)
    V[1] = T.int64(1)
    W = T.decl_buffer((3,), "int64", data=A.data)
    W[2] = T.int64(1)`, []string{"A: T.int64(2) | T.bool(False) | store to W: the element lies outside of the memory of A"}, ""},
		{"a view with an offset", `
    V = T.decl_buffer((2,), "int32", data=A.data, elem_offset=3)
    V[0] = 1
    V[1] = 1`, []string{"A: T.int64(4) | T.bool(False) | store to V: the element lies outside of the memory of A"}, ""},
		{"a view with strides", `
    V = T.decl_buffer((2, 2), "int32", data=A.data, strides=(3, 1))
    V[1, 0] = 1
    V[1, 1] = 1`, []string{"A: T.int64(4) | T.bool(False) | store to V: the element lies outside of the memory of A"}, ""},
		{"strides of an own buffer", `
    V = T.alloc_buffer((2, 2), "int32", strides=(3, 1))
    V[1, 1] = 1`, nil, ""},
		{"strides of an own buffer that is too small for them", `
    V = T.alloc_buffer((2, 2), "int32", strides=(1, 3))
    V[1, 1] = 1`, []string{"V: T.int64(4) | T.bool(False) | store to V: the element lies outside of the memory of V"}, ""},
		{"memory that is allocated", `
    d = T.allocate([2, 3], "int32", "global")
    D = T.decl_buffer((6,), "int32", data=d)
    E = T.decl_buffer((7,), "int32", data=d)
    D[5] = 1
    E[6] = 1`, []string{"d: T.int64(6) | T.bool(False) | store to E: the element lies outside of the memory of d"}, ""},
		{"memory of a constant", `
    d = T.allocate_const([1, 2, 3], "int32", [3])
    E = T.decl_buffer((4,), "int32", data=d)
    A[0] = E[2] + E[3]`, []string{"d: T.int64(3) | T.bool(False) | load from E: the element lies outside of the memory of d"}, ""},
		{"memory behind a pointer", `
    V = T.decl_buffer((2,), "int32", data=p)
    V[0] = 1
    V[2] = 1`, []string{"p: 2 | T.bool(False) | store to V: index 2 is outside of dimension 0, whose extent is 2"}, "2 accesses"},
		{"a view that a block matches", `
    for i in range(3):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(M[0:2, i:i + 2], (2, 2), "int32", strides=("s0", "s1"), offset_factor=1)
            V[1, 1] = 1`, []string{"M: i + 1 | 0 <= i + 1 and i + 1 < 3 | store to M: the index is outside of dimension 1, whose extent is 3"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), M: T.Buffer((2, 3), "int32"), n: T.int32, k: T.int32, p: T.handle("int32")):`+c.body)
			wellFormed(t, "input", f)
			ctx := passtest.NewContext(config("tir.instrument_bound_checkers", true)...)
			out, err := ctx.Run(tirpass.InstrumentBoundCheckers, moduleOf(f))
			if err != nil {
				t.Fatal(err)
			}
			g := funcOf(out)
			wellFormed(t, c.name, g)
			spansKept(t, passtest.NewContext(config("tir.instrument_bound_checkers", true)...), tirpass.InstrumentBoundCheckers, f)
			if got := boundChecks(g); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			found := ""
			for _, d := range ctx.Diagnostics() {
				found += d.Message
			}
			if c.unchecked == "" && found != "" || !strings.HasPrefix(found, c.unchecked) {
				t.Errorf("the pass says %q", found)
			}
			if len(c.want) == 0 && out.Lookup("kernel") != any(f) {
				t.Error("the function is copied")
			}
		})
	}
}

// TestChecksAreComparedWithTheLastOnes repeats a check after 32 others, and one after 31.
func TestChecksAreComparedWithTheLastOnes(t *testing.T) {
	a, x := tir.NewBuffer("A", dtype.Int32T, shape(4), ""), index("x")
	var sum tir.Expr = n(0)
	for i := range int64(33) {
		sum = tir.NewBinary(tir.OpAdd, sum, load(a, add(x, n(i+1))))
	}
	sum = tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpAdd, sum, load(a, add(x, n(2)))), load(a, add(x, n(1))))
	out, err := passtest.NewContext(config("tir.instrument_bound_checkers", true)...).Run(tirpass.InstrumentBoundCheckers, moduleOf(fn(store(a, sum, n(0)), a, x)))
	if err != nil {
		t.Fatal(err)
	}
	if got := boundChecks(funcOf(out)); len(got) != 34 || !strings.HasPrefix(got[33], "A: x + 1 ") {
		t.Errorf("%d checks:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// TestBoundsOfOffsetZero checks the index alone of a buffer that says that it starts at 0.
func TestBoundsOfOffsetZero(t *testing.T) {
	a, x := tir.NewBuffer("A", dtype.Int32T, shape(4), ""), index("x")
	a.ElemOffset = n(0)
	out, err := passtest.NewContext(config("tir.instrument_bound_checkers", true)...).Run(tirpass.InstrumentBoundCheckers, moduleOf(fn(store(a, n(1), x), a, x)))
	if err != nil {
		t.Fatal(err)
	}
	if got := boundChecks(funcOf(out)); len(got) != 1 {
		t.Errorf("%d checks, want 1: %v", len(got), got)
	}
}

// TestBoundMessagesSayWhere checks that a check names the place in the text, and nothing where there is none.
func TestBoundMessagesSayWhere(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((4,), "int32")):
    A[0] = 1
    A[5] = 1`)
	a := tir.NewBuffer("A", dtype.Int32T, shape(4), "")
	bare := fn(store(a, n(1), n(5)), a)
	for _, c := range []struct {
		f    *tir.PrimFunc
		want string
	}{
		{f, "text.py:4:5: store to A: index 5 is outside of dimension 0, whose extent is 4"},
		{bare, "store to A: index 5 is outside of dimension 0, whose extent is 4"},
	} {
		out, err := passtest.NewContext(config("tir.instrument_bound_checkers", true)...).Run(tirpass.InstrumentBoundCheckers, moduleOf(c.f))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tirtest.Run(funcOf(out), tirtest.Arguments(c.f, 1), nil)
		if err == nil || !strings.Contains(err.Error(), "assertion failed: "+c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
