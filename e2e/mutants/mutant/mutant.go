//go:build unix

// Package mutant holds what mutated code calls: each function stands for a piece of an expression and returns what the original would,
// unless its mutant is the one that is on. Command mutants writes the calls into copies of the code that it judges; nothing else
// imports the package.
//
// One process runs with at most one mutant, named by the environment. Without one it can record which mutants were
// reached: a byte of a file for each, mapped into memory, so that nothing needs to be written when the process ends.
package mutant

import (
	"os"
	"strconv"
	"syscall"
)

// The variables of the environment: the number of the mutant that is on, and the file in which reached ones are marked.
const (
	EnvActive = "IRSCOPE_MUTANT"
	EnvTrace  = "IRSCOPE_MUTANT_TRACE"
)

var (
	active = number(os.Getenv(EnvActive))
	marks  = mapped(os.Getenv(EnvTrace))
)

func number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}

// mapped returns the content of the named file, shared with it, or nil without a name.
func mapped(name string) []byte {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return data
}

// On tells whether the mutant is on, and marks it as reached.
func On(id int) bool {
	if marks != nil {
		marks[id] = 1
	}
	return id == active
}

// Integer is any type of integers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Number is any type that can be added and subtracted in both directions.
type Number interface{ Integer | ~float32 | ~float64 }

// Add is a + b, or a - b.
func Add[T Number](id int, a, b T) T {
	if On(id) {
		return a - b
	}
	return a + b
}

// Sub is a - b, or a + b.
func Sub[T Number](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a - b
}

// Mul is a * b, or a + b.
func Mul[T Number](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a * b
}

// Div is a / b, or a * b.
func Div[T Number](id int, a, b T) T {
	if On(id) {
		return a * b
	}
	return a / b
}

// Rem is a % b, or a / b.
func Rem[T Integer](id int, a, b T) T {
	if On(id) {
		return a / b
	}
	return a % b
}

// And is a & b, or a | b.
func And[T Integer](id int, a, b T) T {
	if On(id) {
		return a | b
	}
	return a & b
}

// Or is a | b, or a & b.
func Or[T Integer](id int, a, b T) T {
	if On(id) {
		return a & b
	}
	return a | b
}

// Next is n, or n + 1.
func Next[T Number](id int, n T) T {
	if On(id) {
		return n + 1
	}
	return n
}

// Zero is v, or the zero value of its type.
func Zero[T any](id int, v T) T {
	if On(id) {
		var zero T
		return zero
	}
	return v
}

// Other is a, or b: an argument, or the one beside it.
func Other[T any](id int, a, b T) T {
	if On(id) {
		return b
	}
	return a
}
