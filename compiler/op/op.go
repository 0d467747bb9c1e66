package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// InferFunc returns the struct info of a call of an operator, or an *Error.
type InferFunc func(call *relax.Call, ctx *InferContext) (relax.StructInfo, error)

// NormalizeFunc brings a call into the operator's normal form; it returns call itself where
// nothing is to be done.
type NormalizeFunc func(call *relax.Call, ctx *InferContext) (*relax.Call, error)

// Pattern says how a kernel that computes an operator fuses with its neighbours. The values
// are TVM's OpPatternKind.
type Pattern int

// The patterns, from easiest to fuse to not at all.
const (
	ElemWise        Pattern = 0 // each element from the elements at the same indices
	Broadcast       Pattern = 1 // the same with indices left out
	Injective       Pattern = 2 // each element from one element of each input
	CommReduce      Pattern = 3 // reductions
	OutEWiseFusable Pattern = 4 // element-wise operators may be fused behind it
	TuplePattern    Pattern = 7
	Opaque          Pattern = 8 // is not fused
)

// String returns TVM's name of the pattern.
func (p Pattern) String() string {
	switch p {
	case ElemWise:
		return "kElemWise"
	case Broadcast:
		return "kBroadcast"
	case Injective:
		return "kInjective"
	case CommReduce:
		return "kCommReduce"
	case OutEWiseFusable:
		return "kOutEWiseFusable"
	case TuplePattern:
		return "kTuple"
	}
	return "kOpaque"
}

// ArgKind says what an argument must be.
type ArgKind uint8

// The kinds of argument.
const (
	Tensor   ArgKind = iota
	Tensors          // a tuple of tensors
	Shape            // a shape
	Prim             // a scalar
	AnyValue         // any value
	Callee           // a function
	Tuple            // a tuple of any values
	String           // a string
	DType            // an element type
)

// String names the kind as it stands in error messages.
func (k ArgKind) String() string {
	return [...]string{
		"a tensor", "a tuple of tensors", "a shape", "a scalar", "a value", "a function",
		"a tuple", "a string", "an element type",
	}[k]
}

// Arg describes an argument. Optional arguments come last and may be left out; a Variadic
// one, always the last, stands for any number of arguments.
type Arg struct {
	Name     string
	Kind     ArgKind
	Doc      string
	Optional bool
	Variadic bool
}

// AttrType is the type of an attribute.
type AttrType uint8

// The types of attribute. The optional ones may also be nil (None).
const (
	IntAttr AttrType = iota
	FloatAttr
	BoolAttr
	StringAttr
	IntsAttr
	DTypeAttr
	OptIntAttr
	OptFloatAttr
	OptStringAttr
	OptIntsAttr
	FloatsAttr
	NodeAttr      // an IR node, such as an index map or a virtual device
	IntOrIntsAttr // a number or a list
	DictAttr      // values by name, or nil
)

// String names the type as it stands in error messages.
func (t AttrType) String() string {
	return [...]string{
		"an integer", "a number", "a bool", "a string", "a list of integers", "an element type",
		"an integer or None", "a number or None", "a string or None", "a list of integers or None",
		"a list of numbers", "a node", "an integer or a list of integers", "a dictionary",
	}[t]
}

// Attr describes an attribute. Default is its value where a call leaves it out; an attribute
// that is Required has none. Enum, if not empty, lists the strings it may be.
type Attr struct {
	Name     string
	Type     AttrType
	Default  ir.Value
	Required bool
	Doc      string
	Enum     []string
}

// Op describes an operator.
type Op struct {
	// Name is the full name, e.g. "relax.nn.conv2d".
	Name  string
	Args  []Arg
	Attrs []Attr
	// Infer returns the struct info of a call.
	Infer InferFunc
	// Normalize, if not nil, brings calls into normal form.
	Normalize NormalizeFunc
	// Legalize, if not nil, makes the kernel of a call, or says it with other operators. The operators of the tables have theirs in
	// compiler/transform.
	Legalize LegalizeFunc
	// Impure says that a call may do more than compute its result.
	Impure bool
	// Allocates says that a call returns fresh memory.
	Allocates bool
	// Pattern says how its kernel fuses; what is no kernel is Opaque.
	Pattern Pattern
	// Layout, if not nil, decides in which layouts calls take their arguments; see InferLayout.
	Layout InferLayoutFunc
	// Precision says in which precision calls are computed where float16 is wanted.
	Precision MixedPrecision
	Doc       string

	ref *ir.Op
	// desired is how many layouts a user may ask for at least, 0 for none; parts says that they may split axes.
	desired int
	parts   bool
	// defaults are the attributes that have one.
	defaults *ir.Attrs
	// complete, if not nil, writes out the short forms of attributes.
	complete func(*ir.Attrs) *ir.Attrs
}

// Ref returns the node that calls of o call. It is the same for all calls.
func (o *Op) Ref() *ir.Op { return o.ref }

// Attr returns the description of the attribute called name, nil if there is none.
func (o *Op) Attr(name string) *Attr {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return &o.Attrs[i]
		}
	}
	return nil
}

// TakesLayouts reports whether a user may ask for the layouts of its arguments; see DesiredLayouts.
func (o *Op) TakesLayouts() bool { return o.desired > 0 }

// DefaultText is the default of an attribute as a text would have it.
func (a *Attr) DefaultText() string {
	switch v := a.Default.(type) {
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case dtype.DType:
		if v.IsVoid() {
			return "None"
		}
		return strconv.Quote(v.String())
	}
	return formatValue(a.Default)
}

// minArgs and maxArgs bound the number of arguments; maxArgs is -1 for any number.
func (o *Op) minArgs() int {
	n := 0
	for _, a := range o.Args {
		if !a.Optional && !a.Variadic {
			n++
		}
	}
	return n
}

func (o *Op) maxArgs() int {
	if n := len(o.Args); n > 0 && o.Args[n-1].Variadic {
		return -1
	}
	return len(o.Args)
}
