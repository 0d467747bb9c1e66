package relaypass_test

import (
	"fmt"
	"math/rand/v2"
)

// moreProgram writes a program for the passes that fold and combine.
func moreProgram(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if r.IntN(2) == 0 {
		return scaleProgram(r, pick)
	}
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

// scaleProgram has scales before and behind convolutions and products.
func scaleProgram(r *rand.Rand, pick func(...string) string) string {
	scale := func() string {
		return pick("%s", "2f", "-0.5f", "0f", "full(0.5f, shape=[2, 1, 1], dtype=\"float32\")", "reshape(full(3f, shape=[2], dtype=\"float32\"), newshape=[1, 2, 1, 1])")
	}
	channels, body, value := "conv", "", "%x"
	if r.IntN(3) == 0 {
		channels = "dense"
	}
	for i := range 2 + r.IntN(6) {
		e := ""
		switch r.IntN(6) {
		case 0, 1:
			e = fmt.Sprintf("multiply(%s, %s)", value, scale())
			if channels == "dense" {
				e = fmt.Sprintf("multiply(%s, %s)", value, pick("%v", "2f", "-2f", "reshape(%v, newshape=[1, 2])"))
			}
		case 2:
			e = fmt.Sprintf("nn.relu(%s)", value)
		case 3:
			e = fmt.Sprintf("%s(%s, %s)", pick("add", "subtract"), value, pick("%s", "1f", "%x", value))
			if channels == "dense" {
				e = fmt.Sprintf("%s(%s, %s)", pick("add", "subtract"), value, pick("%v", "1f", "%x", value))
			}
		case 4:
			e = fmt.Sprintf("nn.conv2d(%s, %s, padding=[1, 1]%s)", value, "%w", "")
			if r.IntN(2) == 0 {
				e = fmt.Sprintf("nn.conv2d(%s, %%d, padding=[1, 1], groups=2)", value)
			}
			if channels == "dense" {
				e = fmt.Sprintf("nn.dense(%s, %%m)", value)
			}
		case 5:
			e = fmt.Sprintf("nn.bias_add(%s, %%v)", value)
		}
		name := fmt.Sprintf("%%%d", i)
		keyword := ""
		if r.IntN(8) == 0 {
			name, keyword = fmt.Sprintf("%%l%d", i), "let "
		}
		body += fmt.Sprintf("%s%s = %s;\n", keyword, name, e)
		value = name
	}
	if channels == "dense" {
		return fmt.Sprintf("def @main(%%x: Tensor[(3, 2), float32], %%m: Tensor[(2, 2), float32], %%v: Tensor[(2), float32]) {\n%sadd(%s, %%v)\n}", body, value)
	}
	return fmt.Sprintf("def @main(%%x: Tensor[(1, 2, %s), float32], %%w: Tensor[(2, 2, 3, 3), float32], %%d: Tensor[(2, 1, 3, 3), float32], %%s: Tensor[(2, 1, 1), float32], %%v: Tensor[(2), float32]) {\n%sadd(%s, %%s)\n}", pick("4, 4", "1, 3", "0, 2"), body, value)
}
