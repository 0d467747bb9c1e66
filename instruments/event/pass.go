package event

// Role says what turning a pass off does to the module.
type Role string

// The roles of a pass.
const (
	// RoleOptional passes improve a module; without them it still compiles.
	RoleOptional Role = "optional"
	// RoleLowering passes must run for code to be generated.
	RoleLowering Role = "lowering"
	// RoleUnknown is that of passes of other compilers.
	RoleUnknown Role = ""
)

// PassKind says what a pass works on.
type PassKind string

// The kinds of passes.
const (
	PassModule        PassKind = "module"
	PassFunction      PassKind = "function"
	PassPrimFunc      PassKind = "prim_func"
	PassDataflowBlock PassKind = "dataflow_block"
	// PassSequential is a pass that runs others and is itself no work.
	PassSequential PassKind = "sequential"
	// What passes of other compilers work on besides: strongly connected components of calls, loops, and functions of machine code.
	PassSCC     PassKind = "scc"
	PassLoop    PassKind = "loop"
	PassMachine PassKind = "machine"
)
