package compiler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// packed calls a function of the Go program between two operators.
const packed = `
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y: R.Tensor((3,), "float32") = R.call_packed("my.reverse", x, sinfo_args=R.Tensor((3,), "float32"))
        z = R.add(y, y)
        return z
`

// openPacked compiles packed, with another text in place of its arguments, for machines with funcs.
func openPacked(ctx context.Context, eng *runtime.Engine, args string, funcs ...runtime.Func) (*vm.Machine, error) {
	src, _, err := frontend.One(ctx, "packed.py", []byte(strings.Replace(packed, `", x,`, `", `+args+`,`, 1)), frontend.Options{})
	if err != nil {
		return nil, err
	}
	res, err := compiler.Compile(ctx, compiler.Request{Module: src.Module})
	if err != nil {
		return nil, err
	}
	prog, err := res.Artifact.Open(ctx, eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{Funcs: funcs})
	if err != nil {
		return nil, err
	}
	return prog.Machine, nil
}

// reverse returns a new tensor with the elements of its argument in reverse order.
func reverse(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	x, ok := args[0].AsTensor()
	if !ok {
		return runtime.Null(), fmt.Errorf("argument 0 is a %v, expected a tensor", args[0].Kind())
	}
	y, err := s.Device().NewTensor(x.DType(), x.Shape())
	if err != nil {
		return runtime.Null(), err
	}
	from, to, n := x.Bytes(s), y.Bytes(s), x.DType().Bytes()
	for i := 0; i < len(from); i += n {
		copy(to[len(to)-i-n:], from[i:i+n])
	}
	return runtime.TensorValue(y), nil
}

// A Go program registers functions that call_packed finds by name.
func Example_callPacked() {
	ctx := context.Background()
	eng := compiler.NewEngine()
	defer eng.Close()
	m, err := openPacked(ctx, eng, "x", runtime.NewFuncN("my.reverse", 1, reverse))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := m.Run(ctx, "main", tensor.MustOf([]int64{3}, []float32{1, 2, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Floats())
	// Output: [6 4 2]
}

// TestCallPackedErrors calls a function that is not registered, and one in ways that it does not take.
func TestCallPackedErrors(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	_, err := openPacked(t.Context(), eng, "x", runtime.NewFunc("my.revert", reverse))
	if want := "no kernel, builtin or registered function is called my.reverse"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an unknown name: %v, want %s", err, want)
	}
	for _, c := range []struct{ args, want string }{
		{"x, x", "call of my.reverse: packed function my.reverse takes 1 arguments, got 2"},
		{"R.prim_value(3)", "call of my.reverse: argument 0 is a int, expected a tensor"},
	} {
		called := false
		m, err := openPacked(t.Context(), eng, c.args, runtime.NewFuncN("my.reverse", 1, func(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
			called = true
			return reverse(s, args)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(t.Context(), "main", tensor.MustOf([]int64{3}, []float32{1, 2, 3})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
		if called != strings.HasPrefix(c.args, "R") {
			t.Errorf("%s: called is %v", c.args, called)
		}
	}
}
