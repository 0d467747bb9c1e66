package asm

import (
	"slices"
	"strings"
)

// Features are the extensions of a processor that code may use, each with the ones before it that it needs.
type Features struct {
	// AVX2 stands for AVX2, FMA, F16C, BMI1, BMI2, LZCNT and POPCNT.
	AVX2 bool
	// AVX512 stands for the subsets F, BW, DQ and VL.
	AVX512 bool
	// VNNI are the dot products of bytes.
	VNNI bool
	// AMX stands for tiles and the dot products of bytes in them.
	AMX bool
}

// String lists features as targets do: "+avx2,+fma,+f16c,+bmi2".
func (f Features) String() string {
	names := f.Names()
	if names == nil {
		return "no features"
	}
	return "+" + strings.Join(names, ",+")
}

// Names lists features by their names in targets.
func (f Features) Names() (out []string) {
	if f.AVX2 {
		out = append(out, "avx2", "fma", "f16c", "bmi2")
	}
	if f.AVX512 {
		out = append(out, "avx512f", "avx512bw", "avx512dq", "avx512vl")
	}
	if f.VNNI {
		out = append(out, "avx512vnni")
	}
	if f.AMX {
		out = append(out, "amx-tile", "amx-int8")
	}
	return out
}

// Has reports whether f has all that want has.
func (f Features) Has(want Features) bool {
	return (f.AVX2 || !want.AVX2) && (f.AVX512 || !want.AVX512) && (f.VNNI || !want.VNNI) && (f.AMX || !want.AMX)
}

// Lacks returns what want has and f does not.
func (f Features) Lacks(want Features) Features {
	return Features{want.AVX2 && !f.AVX2, want.AVX512 && !f.AVX512, want.VNNI && !f.VNNI, want.AMX && !f.AMX}
}

func (f Features) or(g Features) Features {
	return Features{f.AVX2 || g.AVX2, f.AVX512 || g.AVX512, f.VNNI || g.VNNI, f.AMX || g.AMX}
}

// needs returns the features that an instruction of a form needs.
func (f *form) needs(i *Inst) Features {
	switch {
	case f.legacy && f.prefix == 0:
		return Features{}
	case f.op.onTiles():
		return Features{AVX2: true, AVX512: true, AMX: true}
	case f.op == VPDPBUSD, f.op == VPDPWSSD:
		return Features{AVX2: true, AVX512: true, VNNI: true}
	case !f.legacy && (!f.vex || f.needsEVEX(i) || slices.ContainsFunc(f.operands, func(o operand) bool { return o.class == 'k' })):
		return Features{AVX2: true, AVX512: true}
	}
	return Features{AVX2: true}
}
