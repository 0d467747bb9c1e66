// Package hostmath has the elementary functions that kernels ask of the host: those of abi.Math, by name and by number, on the bits of their operands.
//
// Loaders import it; it knows no engine.
package hostmath

import (
	"hash/fnv"
	"math"
	"sync"

	"github.com/irscope/irscope/runtime/abi"
)

// Func computes a function on the bits of one or two operands: a float32 or an i32 stands in the lower half.
type Func func(x, y uint64) uint64

// Number is the number of a function in native code: a hash of its name, which does not change as functions are added.
func Number(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// ByNumber returns a function, nil if there is none of that number.
func ByNumber(n uint32) Func { return numbered()[n] }

var numbered = sync.OnceValue(func() map[uint32]Func {
	out := map[uint32]Func{}
	for _, name := range abi.MathNames() {
		out[Number(name)] = ByName(name)
	}
	return out
})

// ByName returns the function that serves an import of abi.Math, nil if there is none.
func ByName(name string) Func {
	sig, ok := abi.Math(name)
	if !ok {
		return nil
	}
	read, write, base := math.Float64frombits, math.Float64bits, name
	if sig.Results[0] == abi.F32 {
		base = name[:len(name)-1]
		read = func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }
		write = func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	}
	if f := unary(base); f != nil {
		return func(x, _ uint64) uint64 { return write(f(read(x))) }
	}
	if base == "ldexp" {
		return func(x, y uint64) uint64 { return write(math.Ldexp(read(x), int(int32(y)))) }
	}
	f := binary(name)
	if f == nil {
		f = binary(base)
	}
	if f == nil {
		return nil
	}
	return func(x, y uint64) uint64 { return write(f(read(x), read(y))) }
}

// unary and binary serve abi.Math with Go's math package. The float32 forms are
// computed in float64 and rounded once.
func unary(name string) func(float64) float64 {
	switch name {
	case "exp":
		return math.Exp
	case "exp2":
		return math.Exp2
	case "exp10":
		return func(x float64) float64 { return math.Pow(10, x) }
	case "log":
		return math.Log
	case "log2":
		return math.Log2
	case "log10":
		return math.Log10
	case "log1p":
		return math.Log1p
	case "tanh":
		return math.Tanh
	case "sinh":
		return math.Sinh
	case "cosh":
		return math.Cosh
	case "sin":
		return math.Sin
	case "cos":
		return math.Cos
	case "tan":
		return math.Tan
	case "asin":
		return math.Asin
	case "acos":
		return math.Acos
	case "atan":
		return math.Atan
	case "asinh":
		return math.Asinh
	case "acosh":
		return math.Acosh
	case "atanh":
		return math.Atanh
	case "erf":
		return math.Erf
	case "cbrt":
		return math.Cbrt
	case "round":
		return math.Round
	}
	return nil
}

func binary(name string) func(x, y float64) float64 {
	switch name {
	case "pow":
		return math.Pow
	case "atan2":
		return math.Atan2
	case "hypot":
		return math.Hypot
	case "fmod":
		return math.Mod
	case "copysign":
		return math.Copysign
	case "nextafter":
		return math.Nextafter
	case "nextafterf":
		return func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }
	}
	return nil
}
