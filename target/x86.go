package target

import (
	"fmt"
	"slices"
	"strings"
)

var x86Kind = &Kind{
	Name:       "x86",
	Code:       true,
	Doc:        "machine code for x86-64 processors with AVX2 or AVX-512, run in process on Linux; functions that it does not take become WebAssembly",
	DeviceType: 1,
	Keys:       []string{"x86", "cpu"},
	PtrBits:    wasmKind.PtrBits, // both kinds of kernels run on one device
	Vectors:    "avx2",
	Math:       wasmKind.Math, // so that WebAssembly can be made of the same functions; fma and ldexp become their definitions there
	Featured:   map[string]string{"fma": "fma", "ldexp": "avx512f"},
	Attrs: []AttrDef{
		{widthAttr, Int, nil, "widest vector register in bits: 256, or 512 with avx512f"},
		{"num-vector-registers", Int, nil, "vector registers that schedules may fill: 16, or 32 with avx512f"},
		{"l1-cache-bytes", Int, nil, "data cache of the first level of a core"},
		{"l2-cache-bytes", Int, nil, "cache of the second level of a core"},
		{"num-cores", Int, nil, "threads that kernels are scheduled for: with more than one, outer loops are parallel"},
	},
	Features: []FeatureDef{
		{"avx2", false, "vectors of 256 bits; has fma, f16c and bmi2 with it"},
		{"fma", false, "products and sums with one rounding; comes with avx2"},
		{"f16c", false, "conversions of half precision; comes with avx2"},
		{"bmi2", false, "shifts without flags; comes with avx2"},
		{"avx512f", false, "vectors of 512 bits and masks; has avx2, avx512bw, avx512dq and avx512vl with it"},
		{"avx512bw", false, "integers of 8 and 16 bits in such vectors; comes with avx512f"},
		{"avx512dq", false, "integers of 64 bits in such vectors; comes with avx512f"},
		{"avx512vl", false, "its instructions on shorter vectors; comes with avx512f"},
		{"avx512vnni", false, "dot products of bytes; has avx512f with it"},
		{"amx-tile", false, "registers for matrices; has avx512vnni with it"},
		{"amx-int8", false, "products of matrices of bytes; has amx-tile with it"},
	},
	Scopes:      wasmKind.Scopes,
	fromMachine: true,
	implies: map[string][]string{
		"fma":        {"avx2"},
		"f16c":       {"avx2"},
		"bmi2":       {"avx2"},
		"avx2":       {"fma", "f16c", "bmi2"},
		"avx512bw":   {"avx512f"},
		"avx512dq":   {"avx512f"},
		"avx512vl":   {"avx512f"},
		"avx512f":    {"avx2", "avx512bw", "avx512dq", "avx512vl"},
		"avx512vnni": {"avx512f"},
		"amx-tile":   {"avx512vnni"},
		"amx-int8":   {"amx-tile"},
	},
	check: func(t Target) error {
		switch w := t.IntAttr(widthAttr, 256); {
		case w != 256 && w != 512:
			return fmt.Errorf("target x86: attribute %s: vectors have 256 or 512 bits, not %d", widthAttr, w)
		case w == 512 && len(t.mattr) > 0 && !t.anyOf("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni", "amx-tile", "amx-int8"):
			return fmt.Errorf("target x86: attribute %s: vectors of 512 bits need -mattr=+avx512f", widthAttr)
		}
		return nil
	},
}

const widthAttr = "max-simd-width"

// anyOf reports whether one of some features is named as being on.
func (t Target) anyOf(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(t.mattr, "+"+n) })
}

// Machine is what a processor has of what targets can say, for targets that leave it open.
type Machine struct {
	Features []string
	// L1 and L2 are the sizes in bytes of the data cache of the first level, and of the cache of the second, of a core; 0 where unknown.
	L1, L2 int64
	Cores  int64 // 0 where unknown
}

// The caches of targets that name their features and no caches: those that all processors with them have at least.
const (
	leastL1 = 32 << 10
	leastL2 = 256 << 10
)

// Explicit returns t with everything said that code for it depends on, so that compiling for the result gives the same code everywhere: the features, with those that come
// with others, and the attributes that follow from them. A target that names no feature that is to be on means the machine that this runs on, which ask describes; features
// that it switches off are left out. Targets of kinds that stand for no machine are explicit as they are.
func (t Target) Explicit(ask func() (Machine, error)) (Target, error) {
	if t.kind == nil || !t.kind.fromMachine {
		return t, nil
	}
	var on, off []string
	for _, f := range t.mattr {
		if f[0] == '+' {
			on = append(on, f[1:])
		} else {
			off = append(off, f[1:])
		}
	}
	m := Machine{Features: on, L1: leastL1, L2: leastL2}
	if on == nil {
		var err error
		if m, err = ask(); err != nil {
			return Target{}, fmt.Errorf("target %s stands for the processor of this machine: %w; features can be named, as in %s -mattr=+%s", t, err, t.kind.Name, t.kind.Vectors)
		}
		m.L1, m.L2 = max(m.L1, leastL1), max(m.L2, leastL2)
		m.Features = slices.DeleteFunc(slices.Clone(m.Features), func(f string) bool { return t.kind.needs(f, off) != "" })
	}
	all := t.kind.closure(m.Features)
	for _, f := range on {
		if bad := t.kind.needs(f, off); bad != "" {
			return Target{}, fmt.Errorf("target %s: feature %s needs %s, which is switched off", t, f, bad)
		}
	}
	if !slices.Contains(all, t.kind.Vectors) {
		return Target{}, fmt.Errorf("target %s: code needs the feature %s at least, and all that comes with it", t, t.kind.Vectors)
	}
	out := t
	out.mattr, out.attrs = nil, map[string]any{}
	for _, f := range all {
		out.mattr = append(out.mattr, "+"+f)
	}
	width, registers := int64(256), int64(16)
	if slices.Contains(all, "avx512f") {
		width, registers = 512, 32
	}
	for name, v := range map[string]int64{widthAttr: width, "num-vector-registers": registers, "l1-cache-bytes": m.L1, "l2-cache-bytes": m.L2} {
		out.attrs[name] = v
	}
	if m.Cores > 0 {
		out.attrs["num-cores"] = m.Cores
	}
	for name, v := range t.attrs {
		out.attrs[name] = v
	}
	if err := t.kind.check(out); err != nil {
		return Target{}, err
	}
	return out, nil
}

// closure returns features and all that come with them, sorted.
func (k *Kind) closure(features []string) []string {
	var out []string
	work := slices.Clone(features)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if !slices.Contains(out, f) {
			out = append(out, f)
			work = append(work, k.implies[f]...)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

// needs returns one of some features without which a feature cannot be, or "".
func (k *Kind) needs(feature string, off []string) string {
	for _, f := range k.closure([]string{feature}) {
		if slices.Contains(off, f) {
			return f
		}
	}
	return ""
}
