package relaypass_test

import (
	"fmt"
	"math/rand/v2"
)

// moreProgram writes a program for the passes that fold and combine.
func moreProgram(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return constantProgram(r, pick)
}

// constantProgram has constants in lets, tuples, branches and functions.
func constantProgram(r *rand.Rand, pick func(...string) string) string {
	dt := pick("float32", "int32")
	number := func() string {
		if dt == "int32" {
			return pick("0", "1", "-7", "2147483647")
		}
		return pick("0f", "1f", "-3f", "0.5f", "3e38f")
	}
	var body string
	values := []string{"%x", number(), number()}
	value := func() string { return values[r.IntN(len(values))] }
	for i := range 3 + r.IntN(5) {
		name := fmt.Sprintf("%%v%d", i)
		e := fmt.Sprintf("%s(%s, %s)", pick("add", "subtract", "multiply", "maximum"), value(), value())
		switch r.IntN(7) {
		case 0:
			e = fmt.Sprintf("(%s, %s).%d", value(), value(), r.IntN(2))
		case 1:
			e = fmt.Sprintf("if (%s) { let %%t%d = %s; add(add(%%t%d, %s), %%x) } else { add(%s, %%x) }", pick("True", "False", "%p", "less(1, 2)"), i, e, i, value(), value())
		case 2:
			e = fmt.Sprintf("sum(full(%s, shape=[%s], dtype=%q))", number(), pick("0", "3", "2, 2"), dt)
		case 3:
			e = fmt.Sprintf("cast(%s(%%x, dtype=\"int32\"), dtype=%q)", pick("ndarray_size"), dt)
		case 4:
			e = fmt.Sprintf("max(stack((%s, %s)), axis=[0])", number(), number())
		}
		body += fmt.Sprintf("let %s = %s;\n", name, e)
		values = append(values, name)
	}
	return fmt.Sprintf("def @main(%%x: Tensor[(%s), %s], %%p: bool) {\n%sadd(%s, %%x)\n}", pick("0", "1", "3"), dt, body, value())
}
