package roundtrip_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

func module(t *testing.T) *ir.Module {
	t.Helper()
	m, diags := parse.Module("test", `
@I.ir_module
class Module:
    @T.prim_func
    def scale(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * T.float32(2)

    @T.prim_func
    def other(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((4,), "float32"))
        z = cls.twice(y)
        return z

    @R.function
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(cls.other, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y
`, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	return m
}

// TestCheck reads modules back that have what passes do not make.
func TestCheck(t *testing.T) {
	m := module(t).WithAttrs(ir.NewAttrs("range", &tir.Range{Min: tir.Int(2), Extent: tir.Int(3)}, "nested", ir.NewAttrs("list", []int64{1, 2})))
	if err := roundtrip.Check(m); err != nil {
		t.Error(err)
	}
}

// spoil returns a pass that replaces other by a loop whose variable is used outside of it,
// which no text can say, or where it is harmless by an empty function.
func spoil(name string, harmless bool) *pass.Pass {
	return &pass.Pass{Name: name, Kind: pass.Module, Doc: "Replaces other.", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		f := *ir.MustLookup[*tir.PrimFunc](m, "other")
		f.Body = &tir.Evaluate{Value: tir.Int32(0)}
		if !harmless {
			i := tir.NewVar("i", tir.Int32(0).DType())
			f.Body = &tir.SeqStmt{Seq: []tir.Stmt{
				&tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(4), Body: &tir.Evaluate{Value: i}}, &tir.Evaluate{Value: i},
			}}
		}
		return m.With("other", &f), nil
	}}
}

// TestInstrument runs a harmless pass and one whose result does not read back, and expects an
// error that names the second.
func TestInstrument(t *testing.T) {
	c, err := pass.NewContext(t.Context(), pass.Instruments(roundtrip.Instrument()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(spoil("Harmless", true), module(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(spoil("Spoil", false), m)
	var e *roundtrip.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, expected an error of the instrument", err)
	}
	if !strings.Contains(e.Error(), "round trip after") || !strings.Contains(e.When, "Spoil") || !strings.Contains(e.Error(), `other: undefined name "i"`) {
		t.Errorf("the error does not say where: %v", e)
	}
}
