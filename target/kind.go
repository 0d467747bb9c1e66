package target

import (
	"fmt"
	"slices"
	"strings"
)

// AttrType is the type of the value of an attribute.
type AttrType string

// The types of attributes, as errors call them.
const (
	Int     AttrType = "an integer"
	Bool    AttrType = "a boolean"
	String  AttrType = "a string"
	Strings AttrType = "a list of words"
)

// AttrDef declares an attribute of a kind. Default is nil or a value of the type: int64,
// bool, string or []string.
type AttrDef struct {
	Name    string
	Type    AttrType
	Default any
	Doc     string
}

// FeatureDef declares a feature that -mattr switches on and off.
type FeatureDef struct {
	Name string
	On   bool // default
	Doc  string
}

// Scope is a memory scope that buffers of a target may live in. MaxBytes 0 is unlimited.
type Scope struct {
	Name     string
	MaxBytes int64
	Doc      string
}

// Kind is a kind of target: a language or a machine that passes lower functions for. Kinds are never changed once made.
type Kind struct {
	Name       string
	Doc        string
	Code       bool     // whether there is a code generator: functions for other kinds go through passes and end there
	DeviceType int      // DLPack device type
	Keys       []string // default keys, which schedules and dispatch rules look at
	Attrs      []AttrDef
	Features   []FeatureDef
	// AnyFeature has -mattr take words that Features does not list, as those of LLVM, all of them off.
	AnyFeature bool
	Scopes     []Scope
	// PtrBits is the width of the pointers in what its kernels read.
	PtrBits int
	// Vectors is the feature without which the target has no vectors, empty where they need none.
	Vectors string

	// Small says that the code generator computes with floats of at most eight bits and integers of fewer, which tir.LowerSmallDatatypes then leaves.
	Small bool

	// Math lists the mathematical intrinsics, without "tir.", that the code generator has
	// instructions for. tir.LowerMath leaves these and puts definitions in place of others.
	Math []string
	// Featured maps mathematical intrinsics that the generator has instructions for with a feature to that.
	Featured map[string]string

	// fromMachine says that a target which names no feature stands for the machine that the program runs on: see Explicit. implies lists the
	// features that come with a feature.
	fromMachine bool
	implies     map[string][]string

	// check refuses values that no machine of the kind has; nil takes all.
	check func(Target) error
}

// HasMath reports whether the code generator has instructions for a mathematical intrinsic, whatever the features.
func (k *Kind) HasMath(name string) bool { return slices.Contains(k.Math, name) }

// HasMath reports whether the code generator has instructions for a mathematical intrinsic: fma adds a product of float32 or float64 to a sum and rounds once, ldexp multiplies by a power of two
// whose exponent is a number.
func (t Target) HasMath(name string) bool {
	return t.kind != nil && (t.kind.HasMath(name) || t.Feature(t.kind.Featured[name]))
}

// Table is a set of kinds by name.
type Table []*Kind

// Kinds is the table of the kinds that the project has, first those that code is generated for.
func Kinds() Table {
	return Table{wasmKind, x86Kind, interpKind, llvmKind, cKind, cudaKind, rocmKind, openclKind, metalKind, vulkanKind, webgpuKind}
}

// CodeKinds is the table of the kinds that code is generated for.
func CodeKinds() Table {
	return slices.DeleteFunc(Kinds(), func(k *Kind) bool { return !k.Code })
}

// HasKey reports whether key is among the default keys.
func (k *Kind) HasKey(key string) bool { return slices.Contains(k.Keys, key) }

// DefaultKind is the name of the kind that code is generated for where nobody names a target.
const DefaultKind = "wasm"

// Lookup returns the kind of that name, or an error that lists the kinds.
func (t Table) Lookup(name string) (*Kind, error) {
	for _, k := range t {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, UnknownKindError{name, t.Names()}
}

// UnknownKindError says that a name is that of no kind.
type UnknownKindError struct {
	Name  string
	Known []string // the names of all kinds
}

// Error lists the kinds.
func (e UnknownKindError) Error() string {
	return fmt.Sprintf("unknown target kind %q: known kinds are %s", e.Name, strings.Join(e.Known, ", "))
}

// Names lists the kinds in alphabetical order.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i, k := range t {
		names[i] = k.Name
	}
	slices.Sort(names)
	return names
}

var wasmKind = &Kind{
	Name:       "wasm",
	Code:       true,
	Doc:        "WebAssembly 2.0 with 128-bit SIMD, run in process",
	DeviceType: 1,
	Keys:       []string{"wasm", "cpu"},
	PtrBits:    32,
	Vectors:    "simd128",
	Math:       []string{"sqrt", "floor", "ceil", "trunc", "nearbyint", "fabs", "copysign", "isnan", "isinf"},
	Attrs: []AttrDef{
		{"max-simd-width", Int, int64(128), "widest vector register in bits; 0 schedules scalar code"},
		{"num-vector-registers", Int, int64(16), "vector registers that schedules may fill"},
		{"num-cores", Int, int64(1), "threads that kernels are scheduled for: with more than one, the outer loops are parallel, though here their turns follow each other"},
	},
	Features: []FeatureDef{
		{"simd128", true, "128-bit vector instructions"},
	},
	Scopes: []Scope{
		{"global", 0, "linear memory"},
		{"local", 64 << 10, "registers or the kernel's stack area"},
	},
}

var interpKind = &Kind{
	Name:       "interp",
	Code:       true,
	Doc:        "the interpreter of PrimFuncs, run in process: slow, and it checks every access",
	DeviceType: 1,
	Keys:       []string{"interp"},
	PtrBits:    64,
	Small:      true,
	Attrs: []AttrDef{
		{"barriers", String, "auto", "what keeps threads in order: written (the barriers of the program, and what they leave open is a race), implied (statements run one after the other), or auto (implied where no pass has written barriers)"},
	},
	check: func(t Target) error {
		if b, _ := t.Attr("barriers").(string); b != "auto" && b != "written" && b != "implied" {
			return fmt.Errorf("target interp: attribute barriers: expected auto, written or implied, got %q", b)
		}
		return nil
	},
	Scopes: []Scope{
		{"global", 0, "device memory"},
		{"local", 0, "memory of the interpreter"},
	},
}

// commonAttrs are understood by every kind.
var commonAttrs = []AttrDef{
	{"keys", Strings, nil, "keys that schedules and dispatch rules look at"},
	{"mattr", Strings, nil, "features to switch on (+name) and off (-name)"},
	{"host", String, nil, "target of the host code"},
	{"device", String, nil, "family of machines, a further key"},
	{"libs", Strings, nil, "libraries whose kernels the target has"},
	{"model", String, nil, "name of the machine, for tuning records"},
	{"tag", String, nil, "name that the target goes by"},
}

func (k *Kind) attr(name string) (AttrDef, error) {
	for _, list := range [][]AttrDef{commonAttrs, k.Attrs} {
		for _, a := range list {
			if a.Name == name {
				return a, nil
			}
		}
	}
	return AttrDef{}, fmt.Errorf("target %s has no attribute %q: known attributes are %s", k.Name, name, strings.Join(k.attrNames(), ", "))
}

func (k *Kind) attrNames() []string {
	var names []string
	for _, list := range [][]AttrDef{commonAttrs, k.Attrs} {
		for _, a := range list {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	return names
}

// feature returns a feature of the kind, or an error that lists the features.
func (k *Kind) feature(name string) (FeatureDef, error) {
	var known []string
	for _, f := range k.Features {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	switch {
	case k.AnyFeature && name != "":
		return FeatureDef{Name: name}, nil
	case known == nil:
		return FeatureDef{}, fmt.Errorf("target %s has no feature %q: it has none that -mattr switches", k.Name, name)
	}
	return FeatureDef{}, fmt.Errorf("target %s has no feature %q: known features are %s", k.Name, name, strings.Join(known, ", "))
}
