package ir

// Function is a function of a module: *relax.Function, *relax.ExternFunc or *tir.PrimFunc.
type Function interface {
	Node
	// FuncAttrs returns the attributes, which may be nil.
	FuncAttrs() *Attrs
	// WithFuncAttrs returns the function with other attributes.
	WithFuncAttrs(*Attrs) Function
}

// Names of function attributes that several layers know.
const (
	AttrGlobalSymbol = "global_symbol"
	AttrTarget       = "target"
	// AttrCallingConv is on PrimFuncs that take their arguments in a calling convention,
	// such as the packed one: their parameters do not tell what they are called with.
	AttrCallingConv = "calling_conv"
	// AttrRunOnce is on pure Relax functions without parameters that run when a program is loaded; calls get what they returned then.
	AttrRunOnce = "run_once"
)

// Names of module attributes: lists of the names that inputs and outputs have in the model, in the order of the parameters and
// results of the function main.
const (
	AttrInputNames  = "input_names"
	AttrOutputNames = "output_names"
)

// GlobalSymbol returns the symbol under which f is visible outside its module; "" is private.
func GlobalSymbol(f Function) string { return f.FuncAttrs().Str(AttrGlobalSymbol, "") }

// Callee is what a call calls by name: *Op or *GlobalVar.
type Callee interface {
	Node
	CalleeName() string
}

// GlobalVar names a function of the module. Modules look functions up by name, so two
// GlobalVars of one name are the same function.
type GlobalVar struct {
	Base
	Name string
}

// NewGlobalVar returns the variable of that name.
func NewGlobalVar(name string) *GlobalVar { return &GlobalVar{Name: name} }

// EachChild has nothing to visit.
func (*GlobalVar) EachChild(func(Node)) {}

// CalleeName returns the function's name.
func (g *GlobalVar) CalleeName() string { return g.Name }

// IsRelaxExpr marks GlobalVar as an expression of the graph level.
func (*GlobalVar) IsRelaxExpr() {}

// Op names an operator or intrinsic, e.g. "relax.nn.conv2d" or "tir.exp". What it means is
// in the operator tables of compiler/op and compiler/tir. Compare operators by Name.
type Op struct {
	Base
	Name string
	def  any
}

// NewOp returns the operator of that name.
func NewOp(name string) *Op { return &Op{Name: name} }

// DefinedOp returns an operator that is in no table: what it means is in def. Two of the same name are equal.
func DefinedOp(name string, def any) *Op { return &Op{Name: name, def: def} }

// Def returns what the operator means if it is in no table, else nil.
func (o *Op) Def() any { return o.def }

// EachChild has nothing to visit.
func (*Op) EachChild(func(Node)) {}

// CalleeName returns the operator's name.
func (o *Op) CalleeName() string { return o.Name }

// IsRelaxExpr marks Op as an expression of the graph level.
func (*Op) IsRelaxExpr() {}
