package scale

import "strings"

// The three forms that most passes run on: a chain that uses earlier values again, a mix of operators, and many users of one value.
var (
	chain = inFlow("chain", "x: "+matrix+", w: "+matrix, "",
		"a$i = R.add($p, w)", "b$i = R.nn.relu(a$i)", "c$i = R.multiply(b$i, $q)", "d$i = R.matmul(c$i, w)", "v$i = R.nn.relu(d$i)")
	mix = inFlow("mix", "x: "+matrix+", w: "+matrix, "",
		"a$i = R.permute_dims($p)", "b$i = R.matmul(w, a$i)", "c$i = R.concat((b$i, $p), axis=0)", "d$i = R.split(c$i, 2, axis=0)",
		"e$i = d$i[0]", "f$i = R.reshape(e$i, R.shape([4, 16]))", "g$i = R.nn.softmax(f$i)", "h$i = R.reshape(g$i, R.shape([8, 8]))",
		"j$i = R.sum(h$i, axis=1, keepdims=True)", "v$i = R.add(h$i, j$i)")
	fan  = wide("fan", "x: "+matrix+", w: "+matrix, "", "a$i = R.add(x, R.const(1.$i, \"float32\"))", "v$i = R.nn.relu(a$i)")
	trio = []program{chain, mix, fan}
)

// Programs for passes that look for something of their own.
var (
	symbolic = inFlow("symbolic", `x: R.Tensor(("m", "n"), "float32"), w: R.Tensor(("n", "n"), "float32")`, "",
		"a$i = R.matmul($p, w)", "b$i = R.reshape(a$i, R.shape([m * n]))", "c$i = R.exp(b$i)", "v$i = R.reshape(c$i, R.shape([m, n]))").
		with("    def main(", "            out", "        m = T.int64()\n        n = T.int64()\n")
	convs = inFlow("convolutions", "x: "+image+`, w: R.Tensor((4, 4, 3, 3), "float32"), s: `+channel, "",
		"a$i = R.nn.conv2d($p, w, padding=(1, 1))", "b$i = R.nn.batch_norm(a$i, s, s, s, s, axis=1, training=False)", "c$i = b$i[0]", "v$i = R.nn.relu(c$i)")
	matmuls   = wide("products of one value", "x: "+matrix+", w: "+matrix, "", "a$i = R.matmul(x, w)", "v$i = R.nn.relu(a$i)")
	quantized = inFlow("products of bytes", `x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 8), "int8")`, "", "a$i = R.matmul($p, w, out_dtype=\"int32\")", "v$i = R.astype(a$i, \"int8\")")
	known     = inFlow("products of constants", `x: R.Tensor((8, 2), "float32")`, "", "v$i = R.matmul($p, R.const([[1, 2], [3, 4]], \"float32\"))")
	fewBits   = inFlow("products of few bits", `x: R.Tensor((8, 4), "float32")`, "", "a$i = R.astype(R.const([[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4], [5, 6, 7, 8]], \"int8\"), \"float32\")",
		"b$i = R.multiply(a$i, R.const([[0.5, 0.25, 1, 2]], \"float32\"))", "v$i = R.matmul($p, b$i)")
	dequant = inFlow("products of dequantized bytes", `x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 8), "int8")`, "", "a$i = R.dequantize($p, R.const(0.5, \"float32\"), R.const(0, \"int32\"))",
		"b$i = R.dequantize(w, R.const(0.5, \"float32\"), R.const(0, \"int32\"))", "c$i = R.matmul(a$i, b$i)", "v$i = R.quantize(c$i, R.const(4.0, \"float32\"), R.const(0, \"int32\"), out_dtype=\"int8\")")
	weights  = inFlow("products", "x: "+matrix+", w: "+matrix+", u: "+matrix, "", "a$i = R.permute_dims(w)", "b$i = R.add(a$i, u)", "c$i = R.matmul($p, w)", "d$i = R.matmul(c$i, b$i)", "v$i = R.tanh(d$i)")
	chained  = inFlow("chained products", "x: "+matrix+", w: "+matrix, "", "v$i = R.matmul($p, w)")
	takes    = inFlow("takes", "x: "+matrix+`, w: `+matrix+`, s: R.Tensor((8,), "int64")`, "", "a$i = R.take(w, s, axis=1)", "v$i = R.matmul($p, a$i)")
	concats  = inFlow("concatenations", "x: "+matrix+", w: "+matrix, "", "a$i = R.permute_dims($p)", "b$i = R.permute_dims(w)", "c$i = R.concat((a$i, b$i), axis=0)", "d$i = R.split(c$i, 2, axis=0)", "v$i = d$i[0]")
	reshapes = inFlow("reshapes", "x: "+matrix, "", "a$i = R.reshape($p, R.shape([64]))", "b$i = R.reshape(a$i, R.shape([4, 16]))", "v$i = R.reshape(b$i, R.shape([8, 8]))")
	layouts  = inFlow("layouts", `x: R.Tensor((16,), "float32")`, "", "a$i = R.layout_transform($p, index_map=lambda i: (i // 4, i % 4))", "b$i = R.exp(a$i)", "v$i = R.layout_transform(b$i, index_map=lambda i, j: (i * 4 + j,))")
	lifted   = inFlow("weights", "x: "+matrix+", w: "+matrix, `"num_input": 1`, "a$i = R.add(w, R.const(1.$i, \"float32\"))", "b$i = R.permute_dims(a$i)", "v$i = R.matmul($p, b$i)")
	numbers  = inFlow("constants", "x: "+matrix, "", "a$i = R.const(1.$i, \"float32\")", "b$i = R.add(a$i, a$i)", "c$i = R.divide(b$i, R.const(8.0, \"float32\"))", "v$i = R.add($p, c$i)")
	once     = inFlow("kernels of constants", "x: "+matrix, "", "a$i = R.exp(R.const([1.$i], \"float32\"))", "v$i = R.add($p, a$i)")
	fixed    = inFlow("convolutions of constant weights", "x: "+image, "", "a$i = R.nn.conv2d($p, R.const("+fixedWeights+", \"float32\"))",
		"b$i = R.multiply(a$i, R.const([[[0.5]], [[1.5]], [[0.5]], [[1.5]]], \"float32\"))", "v$i = R.nn.relu(b$i)")
	windows = inFlow("convolutions 3x3", "x: "+image, "", "a$i = R.nn.conv2d($p, R.broadcast_to(R.const(0.5, \"float32\"), R.shape([4, 4, 3, 3])), padding=[1, 1])", "v$i = R.nn.relu(a$i)")
	sorts   = inFlow("sorts", "x: "+matrix, "", "a$i = R.sort($p, axis=1)", "b$i = R.cumsum(a$i, axis=1)", "v$i = R.nn.relu(b$i)")
	joins   = inFlow("concatenations", `x: R.Tensor((2, 16), "float32")`, "", "a$i = R.exp($p)", "b$i = R.nn.relu($p)", "c$i = R.concat((a$i, b$i), axis=0)", "v$i = R.max(R.reshape(c$i, (2, 2, 16)), axis=[0])")
	samples = inFlow("samples", `x: R.Tensor((3, 5), "float32"), u: R.Tensor((6, 1), "float32"), s: R.Tensor((6, 1), "int64")`, "",
		"a$i = R.multinomial_from_uniform($p, u, s, dtype=\"int64\")", "v$i = R.nn.relu($p)")
	layers   = inFlow("layers", "x: "+matrix+", w: "+matrix, "", "a$i = R.nn.layer_norm($p, R.zeros(R.shape([8]), \"float32\"), R.zeros(R.shape([8]), \"float32\"), axes=[-1])", "v$i = R.add(a$i, w)")
	gradient = inFlow("loss", "x: "+matrix+", w: "+matrix, "", "a$i = R.matmul($p, w)", "b$i = R.tanh(a$i)", "v$i = R.add(b$i, $q)").ending("out = R.mean($p)")
	training = inFlow("training", "x: "+image+", s: "+channel, "", "a$i = R.nn.batch_norm($p, s, s, s, s, axis=1, training=True)", "v$i = a$i[0]")
	unequal  = inFlow("equal bindings", "x: "+matrix+", w: "+matrix, "", "a$i = R.add($p, w)", "b$i = R.add($p, w)", "v$i = R.multiply(a$i, b$i)")
	dead     = inFlow("unused bindings", "x: "+matrix+", w: "+matrix, "", "a$i = R.add($p, w)", "b$i = R.exp(a$i)", "v$i = R.nn.relu($p)")
	lets     = inFlow("lets", "x: "+matrix+", w: "+matrix, "", "a$i = $p", "b$i = R.add(a$i, w)", "t$i = (b$i, a$i)", "v$i = t$i[0]").plain()
	matched  = inFlow("shapes", `x: R.Tensor("float32", ndim=2)`, "", "a$i = R.add($p, $p)", "m$i = T.int64()", "v$i = R.match_cast(a$i, R.Tensor((m$i, 8), \"float32\"))").plain()
	branches = inFlow("branches", "x: "+matrix+`, c: R.Tensor((), "bool")`, "", "if c:", "    a$i = R.exp($p)", "    v$i = R.add(a$i, x)", "else:", "    b$i = R.nn.relu($p)", "    v$i = R.add(b$i, x)").plain()
	closures = inFlow("local functions", "x: "+matrix+", w: "+matrix, "", "@R.function", "def f$i(p$i: "+matrix+") -> "+matrix+":", "    a$i = R.add(p$i, w)", "    return a$i", "v$i = f$i($p)").plain()
	devices  = inFlow("devices", "x: "+matrix+", w: "+matrix, "", "a$i = R.hint_on_device($p, R.cpu())", "b$i = R.add(a$i, w)", "c$i = R.hint_on_device(b$i, R.cuda())", "v$i = R.exp(c$i)").
			with("    @R.function\n", "", "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"cuda\")]})\n\n")
	casts  = inFlow("casts", "x: "+matrix, "", "a$i = R.astype($p, \"float16\")", "b$i = R.abs(a$i)", "c$i = R.negative(a$i)", "d$i = R.add(b$i, c$i)", "v$i = R.astype(d$i, \"float32\")")
	scales = inFlow("scales", "x: "+image+`, w: R.Tensor((4, 4, 3, 3), "float32"), s: R.Tensor((4, 1, 1), "float32")`, "", "a$i = R.multiply($p, s)", "b$i = R.nn.relu(a$i)", "c$i = R.nn.conv2d(b$i, w, padding=(1, 1))", "d$i = R.multiply(c$i, s)", "v$i = R.add(d$i, s)")
	scaled = inFlow("scale of additions", "x: "+image+`, w: R.Tensor((4, 4, 3, 3), "float32"), s: R.Tensor((4, 1, 1), "float32")`, "", "a$i = R.nn.relu($p)", "v$i = R.add(a$i, $q)").ending("y = R.nn.conv2d($p, w)", "out = R.multiply(y, R.const(2.0, \"float32\"))")
	padded = inFlow("paddings", "x: "+image+`, w: R.Tensor((4, 4, 3, 3), "float32")`, "", "a$i = R.nn.pad($p, pad_width=[0, 0, 0, 0, 1, 1, 1, 1])", "v$i = R.nn.conv2d(a$i, w)")
)

// fixedWeights are those of a convolution from 4 channels to 4.
const fixedWeights = "[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]], [[[4.0]], [[3.0]], [[2.0]], [[1.0]]], [[[0.5]], [[0.5]], [[0.5]], [[0.5]]], [[[1.0]], [[0.0]], [[1.0]], [[0.0]]]]"

// with puts more behind the line that begins so in the head; relative lines of it are as they stand.
func (p program) with(mark, _, more string) program {
	i := strings.Index(p.head, mark)
	if i < 0 {
		panic(p.name)
	}
	if strings.HasSuffix(mark, "\n") {
		p.head = p.head[:i] + more + p.head[i:]
		return p
	}
	line := i + strings.Index(p.head[i:], "\n") + 1
	p.head = p.head[:line] + more + p.head[line:]
	return p
}

// ending returns the program with other last lines of its block, which bind out.
func (p program) ending(lines ...string) program {
	p.end = indented(12, lines) + "            R.output(out)\n        return out\n"
	return p
}

// plain returns the program without its dataflow block.
func (p program) plain() program {
	p.head = strings.TrimSuffix(p.head, "        with R.dataflow():\n")
	p.group = strings.ReplaceAll("\n"+p.group, "\n    ", "\n")[1:]
	p.end = "        out = R.nn.relu($p)\n        return out\n"
	return p
}
