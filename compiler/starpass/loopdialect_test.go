package starpass_test

import "testing"

// TestLoopDialect builds expressions with T outside of functions.
func TestLoopDialect(t *testing.T) {
	prints(t, `
from tvm.script import tir as T
import tvm
x, y = tir.Var("x", "float32"), tir.Var("i", "int32")
print(2 * T.vscale(), T.exp(x) + 1.0, T.if_then_else(y < 3, x, T.float32(0)), T.max(y, 4), T.Cast("int64", y), T.float16(1.5))
print(T.floordiv(7, 2), T.floordiv(y, 2), T.min_value("int8"), T.Broadcast(y, lanes=4), tvm.script.tir.sqrt(x).op.name, T.int32x4, "exp" in dir(T))
a = te.placeholder([4], "float32", "a")
print("T.exp(a[" in te.create_prim_func([a, te.compute([4], lambda i: T.exp(a[i]))]).script())
`, `2 * T.vscale() T.exp(x) + T.float32(1.0) T.if_then_else(i < 3, x, T.float32(0.0)) T.max(i, 4) T.Cast("int64", i) T.float16(1.5)
3 i // 2 T.int8(-128) T.Broadcast(i, 4) tir.sqrt <built-in function T.int32x4> True
True`)
	refuses(t, "T.exq(1.0)", "T has no .exq field or method; did you mean .EQ?")
	refuses(t, "T.exp()", "T.exp: ")
	refuses(t, "T.serial(4)", "T has no .serial")
	refuses(t, "T.exp({})", "T.exp: expected numbers, strings and expressions of the loop level, got")
	refuses(t, "T.exp(**{'x) + T.exp(y': 1})", "T.exp: ")
	refuses(t, "T.max(1 << 70, 1)", "more than 64 bits")
}

// TestBufferElements indexes buffers.
func TestBufferElements(t *testing.T) {
	prints(t, `
i = tir.Var("i", "int32")
A = tir.Buffer(tir.Var("A", "handle"), "float32", [16, 4], name="A")
print(A[i, 3], A[i // 4, i % 4] + 1.0, type(A[0, 0]))
`, `A[i, 3] A[i // 4, i % 4] + T.float32(1.0) BufferLoad`)
	const a = "A = tir.Buffer(tir.Var('A', 'handle'), 'float32', [16, 4], name='A')\n"
	refuses(t, a+"A[1]", "A has 2 axes, got 1 indices")
	refuses(t, a+"A[1, 2.5]", "index 1 of A: got a float32")
	refuses(t, a+"A[1, {}]", "index 1 of A: ")
}
