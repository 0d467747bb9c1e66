package target

// allMath are the mathematical intrinsics that the libraries of compilers have, without "tir.".
var allMath = []string{
	"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh", "erf", "exp", "exp10", "exp2", "fabs",
	"floor", "fma", "hypot", "isinf", "isnan", "ldexp", "log", "log10", "log1p", "log2", "nearbyint", "nextafter", "pow", "round",
	"rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
}

// hostScopes are the scopes of memory of a CPU.
var hostScopes = []Scope{
	{"global", 0, "memory"},
	{"local", 0, "registers or the stack"},
}

var llvmKind = &Kind{
	Name:       "llvm",
	Doc:        "LLVM, for CPUs",
	DeviceType: 1,
	Keys:       []string{"cpu"},
	PtrBits:    64,
	Math:       allMath,
	AnyFeature: true,
	Scopes:     hostScopes,
	Attrs: []AttrDef{
		{"mcpu", String, nil, "processor, as LLVM calls it"},
		{"mtriple", String, nil, "triple of the machine: architecture, vendor, system"},
		{"mfloat-abi", String, nil, "how floating-point arguments are passed: hard or soft"},
		{"mabi", String, nil, "application binary interface"},
		{"num-cores", Int, nil, "cores of the machine"},
		{"fast-math", Bool, nil, "all of the options below that begin with fast-math"},
		{"fast-math-nnan", Bool, nil, "assume that no value is a NaN"},
		{"fast-math-ninf", Bool, nil, "assume that no value is infinite"},
		{"fast-math-nsz", Bool, nil, "take both zeros for one"},
		{"fast-math-arcp", Bool, nil, "multiply by a reciprocal in place of a division"},
		{"fast-math-contract", Bool, nil, "fuse a product and a sum"},
		{"fast-math-reassoc", Bool, nil, "regroup sums and products"},
		{"opt-level", Int, nil, "optimization level of LLVM"},
		{"cl-opt", Strings, nil, "options of LLVM's command line"},
		{"jit", String, nil, "LLVM's engine for code in memory: mcjit or orcjit"},
		{"vector-width", Int, nil, "widest vector register in bits"},
	},
}

var cKind = &Kind{
	Name:       "c",
	Doc:        "C source, for CPUs",
	DeviceType: 1,
	Keys:       []string{"cpu"},
	PtrBits:    64,
	Math:       allMath,
	Scopes:     hostScopes,
	Attrs: []AttrDef{
		{"mcpu", String, nil, "processor"},
		{"march", String, nil, "architecture"},
		{"workspace-byte-alignment", Int, nil, "alignment of temporary memory in bytes"},
		{"constants-byte-alignment", Int, nil, "alignment of constants in bytes"},
	},
}
