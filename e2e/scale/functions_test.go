package scale

// Programs of many functions, and kernels of many statements.
var (
	// calls is a function that calls many others, each of which ends in a call of one for all.
	calls = program{
		name: "calls", first: "x", per: 3,
		head: "@I.ir_module\nclass Module:\n    @R.function(private=True)\n    def last(x: " + matrix + ", w: " + matrix + ", u: " + matrix + ") -> " + matrix + ":\n        out = R.add(x, w)\n        return out\n\n",
		group: "    @R.function(private=True)\n    def f$i(x: " + matrix + ", w: " + matrix + ", u: " + matrix + ") -> " + matrix + ":\n" +
			"        a = R.add(x, w)\n        out = Module.last(a, w, u)\n        return out\n\n",
		end:   "    @R.function\n    def main(x: " + matrix + ", w: " + matrix + ") -> " + matrix + ":\n$1        return x\n",
		items: []string{"        y$i = Module.f$i(x, w, w)\n"},
	}
	// deep is a function that calls another, that a third, and so on.
	deep = program{
		name: "a chain of calls", first: "last", value: "f%d", per: 2,
		head: "@I.ir_module\nclass Module:\n    @R.function(private=True)\n    def last(x: " + matrix + ", w: " + matrix + ") -> " + matrix + ":\n        out = R.add(x, w)\n        return out\n\n",
		group: "    @R.function(private=True)\n    def f$i(x: " + matrix + ", w: " + matrix + ") -> " + matrix + ":\n" +
			"        R.func_attr({\"Inline\": 1})\n        a = R.exp(x)\n        out = Module.$p(a, w)\n        return out\n\n",
		end: "    @R.function\n    def main(x: " + matrix + ", w: " + matrix + ") -> " + matrix + ":\n        out = Module.$p(x, w)\n        return out\n",
	}
	// pairs are calls of a function that takes and returns a tuple, of which one field is used.
	pairs = program{
		name: "tuples", first: "x", per: 3,
		head: "@I.ir_module\nclass Module:\n    @R.function(private=True)\n    def pair(t: R.Tuple(" + matrix + ", " + matrix + ")) -> R.Tuple(" + matrix + ", " + matrix + "):\n" +
			"        a = t[0]\n        b = t[1]\n        c = R.add(a, b)\n        out = (c, a)\n        return out\n\n    @R.function\n    def main(x: " + matrix + ") -> " + matrix + ":\n",
		group: "        t$i = ($p, x)\n        a$i = Module.pair(t$i)\n        v$i = a$i[0]\n",
		end:   "        return $p\n",
	}
	// inputs is a function of many parameters and results.
	inputs = program{
		name: "parameters", per: 2,
		head:  "@I.ir_module\nclass Module:\n    @R.function\n    def main($1):\n        R.func_attr({\"num_input\": 0})\n",
		group: "        a$i = R.permute_dims(w$i)\n        v$i = R.exp(a$i)\n", items: []string{"w$i: " + matrix + ", ", "v$i, "},
		end: "        out = ($2)\n        return out\n",
	}
	// fields is a function of the fields of one parameter.
	fields = program{
		name: "fields", per: 3,
		head:  "@I.ir_module\nclass Module:\n    @R.function\n    def transform_params(params: R.Tuple($1)):\n",
		group: "        w$i = params[$i]\n        a$i = R.permute_dims(w$i)\n        v$i = R.exp(a$i)\n", items: []string{matrix + ", ", "v$i, "},
		end: "        out = ($2)\n        return out\n",
	}
	// kernel is a kernel of many stages, each of which has its own buffer.
	kernel = program{
		name: "kernel", first: "A", per: 2,
		head: "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8, 8), \"float32\")):\n        T.func_attr({\"global_symbol\": \"main\", \"tir.noalias\": True})\n",
		group: "        v$i = T.alloc_buffer((8, 8))\n        for i, j in T.grid(8, 8):\n            with T.block(\"v$i\"):\n                vi, vj = T.axis.remap(\"SS\", [i, j])\n" +
			"                v$i[vi, vj] = $p[vi, vj] * T.float32(2) + A[vi, vj]\n",
		end: "        for i, j in T.grid(8, 8):\n            with T.block(\"B\"):\n                vi, vj = T.axis.remap(\"SS\", [i, j])\n                B[vi, vj] = $p[vi, vj]\n",
	}
	// threaded is a kernel of many statements of threads on shared memory.
	threaded = program{
		name: "threads", first: "0", value: "%d", per: 2,
		head: "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n        tx = T.launch_thread(\"threadIdx.x\", 32)\n" +
			"        S = T.decl_buffer((64,), \"float32\", scope=\"shared\")\n        D = T.decl_buffer((64,), \"float32\", scope=\"shared.dyn\")\n        E = T.decl_buffer((64,), \"float32\", scope=\"shared.dyn\")\n",
		group: "        S[tx] = A[tx + 7] + D[tx]\n        D[tx + 1] = S[tx + 1] + E[tx]\n        E[tx] = A[tx]\n",
	}
	// assumed is a kernel of many assumptions, and values that follow from them.
	assumed = program{
		name: "assumptions", first: "0", value: "%d", per: 2,
		head: "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((64,), \"uint8\"), B: T.Buffer((64,), \"uint8\")):\n        T.func_attr({\"global_symbol\": \"main\", \"op_pattern\": 0})\n",
		group: "        for i$i in range(8):\n            T.evaluate(T.assume(i$i < 7 or A[i$i] == T.uint8(0)))\n        for j$i in range(8):\n" +
			"            B[j$i] = T.if_then_else(7 <= j$i, T.uint8(0), A[j$i] * T.uint8(3))\n",
	}
	// products is a kernel of many sums of products, for a target that fuses them.
	products = program{
		name: "sums of products", first: "0", value: "%d", per: 1,
		head:  "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n        T.func_attr({\"global_symbol\": \"main\", \"target\": T.target(\"x86 -mattr=+avx2,+fma\")})\n",
		group: "        for i$i in range(8):\n            B[i$i * 8 + 3] = A[i$i * 8 + 3] * B[i$i] - A[i$i] * B[i$i // 2]\n",
	}
	// stores is a kernel of many statements on two buffers.
	stores = program{
		name: "stores", first: "0", value: "%d", per: 2,
		head:  "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n        T.func_attr({\"global_symbol\": \"main\", \"tir.noalias\": True})\n",
		group: "        for i$i in range(8):\n            if i$i < 7:\n                B[i$i * 8 + 3] = A[i$i * 8 + 3] + T.exp(A[i$i // 2])\n",
	}
)
