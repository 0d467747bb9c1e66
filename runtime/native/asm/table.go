package asm

// Op is an instruction of the table.
type Op uint16

// The instructions, by their names in the manual. What has several forms under one name has several constants.
const (
	// Arithmetic of floats: packed and scalar.
	VADDPS Op = iota + 1
	VADDPD
	VADDSS
	VADDSD
	VMULPS
	VMULPD
	VMULSS
	VMULSD
	VSUBPS
	VSUBPD
	VSUBSS
	VSUBSD
	VMINPS
	VMINPD
	VMINSS
	VMINSD
	VDIVPS
	VDIVPD
	VDIVSS
	VDIVSD
	VMAXPS
	VMAXPD
	VMAXSS
	VMAXSD
	VSQRTPS
	VSQRTPD
	VSQRTSS
	VSQRTSD
	// d = ±a*b±d and its permutations; one rounding.
	VFMADD132PS
	VFMADD132PD
	VFMADD132SS
	VFMADD132SD
	VFMADD213PS
	VFMADD213PD
	VFMADD213SS
	VFMADD213SD
	VFMADD231PS
	VFMADD231PD
	VFMADD231SS
	VFMADD231SD
	VFMSUB132PS
	VFMSUB132PD
	VFMSUB132SS
	VFMSUB132SD
	VFMSUB213PS
	VFMSUB213PD
	VFMSUB213SS
	VFMSUB213SD
	VFMSUB231PS
	VFMSUB231PD
	VFMSUB231SS
	VFMSUB231SD
	VFNMADD132PS
	VFNMADD132PD
	VFNMADD132SS
	VFNMADD132SD
	VFNMADD213PS
	VFNMADD213PD
	VFNMADD213SS
	VFNMADD213SD
	VFNMADD231PS
	VFNMADD231PD
	VFNMADD231SS
	VFNMADD231SD
	// Bits.
	VANDPS
	VANDPD
	VANDNPS
	VANDNPD
	VORPS
	VORPD
	VXORPS
	VXORPD
	VPAND
	VPANDD
	VPANDQ
	VPANDN
	VPANDND
	VPANDNQ
	VPOR
	VPORD
	VPORQ
	VPXOR
	VPXORD
	VPXORQ
	VPTERNLOGD
	VPTERNLOGQ
	// Arithmetic of integers.
	VPADDB
	VPADDW
	VPADDD
	VPADDQ
	VPSUBB
	VPSUBW
	VPSUBD
	VPSUBQ
	VPMULLW
	VPMULHW
	VPMULLD
	VPMULLQ
	VPMULUDQ
	VPMULDQ
	VPMADDWD
	VPMADDUBSW
	VPDPBUSD
	VPDPWSSD
	VPMINSB
	VPMINSW
	VPMINUB
	VPMINUW
	VPMAXSB
	VPMAXSW
	VPMAXUB
	VPMAXUW
	VPMINSD
	VPMINSQ
	VPMINUD
	VPMINUQ
	VPMAXSD
	VPMAXSQ
	VPMAXUD
	VPMAXUQ
	VPABSB
	VPABSW
	VPABSD
	VPABSQ
	VPSADBW
	// Shifts: by an immediate, and by the lanes of a vector.
	VPSLLW
	VPSRLW
	VPSRAW
	VPSLLD
	VPSRLD
	VPSRAD
	VPSLLQ
	VPSRLQ
	VPSRAQ
	VPSLLDQ
	VPSRLDQ
	VPSLLVD
	VPSLLVQ
	VPSRLVD
	VPSRLVQ
	VPSRAVD
	VPSRAVQ
	VPSLLVW
	VPSRLVW
	VPSRAVW
	// Comparisons: to lanes of ones (AVX), to masks (AVX-512).
	VCMPPS
	VCMPPSK
	VCMPPD
	VCMPPDK
	VCMPSS
	VCMPSD
	VPCMPEQB
	VPCMPEQW
	VPCMPEQD
	VPCMPEQQ
	VPCMPGTB
	VPCMPGTW
	VPCMPGTD
	VPCMPGTQ
	VPCMPD
	VPCMPUD
	VPCMPQ
	VPCMPUQ
	VPCMPB
	VPCMPUB
	VPCMPW
	VPCMPUW
	VPTESTMD
	VPTESTMQ
	VPTESTMB
	VPTESTMW
	VUCOMISS
	VUCOMISD
	// Choices between two vectors.
	VBLENDVPS
	VBLENDVPD
	VPBLENDVB
	VBLENDMPS
	VBLENDMPD
	VPBLENDMD
	VPBLENDMQ
	VPBLENDMB
	VPBLENDMW
	// Moves. A name that ends in S stores.
	VMOVUPS
	VMOVUPSS
	VMOVUPD
	VMOVUPDS
	VMOVAPS
	VMOVAPSS
	VMOVAPD
	VMOVAPDS
	VMOVSS
	VMOVSSS
	VMOVSD
	VMOVSDS
	VMOVDQU
	VMOVDQUS
	VMOVDQU8
	VMOVDQU8S
	VMOVDQU16
	VMOVDQU16S
	VMOVDQU32
	VMOVDQU32S
	VMOVDQU64
	VMOVDQU64S
	VMOVD
	VMOVDS
	VMOVQ
	VMOVQS
	VMASKMOVPS
	VMASKMOVPSS
	VMASKMOVPD
	VMASKMOVPDS
	VMOVMSKPS
	VMOVMSKPD
	VPMOVMSKB
	// One element to all lanes: of a vector or memory, of a general register.
	VBROADCASTSS
	VBROADCASTSD
	VBROADCASTF128
	VBROADCASTF32X4
	VPBROADCASTB
	VPBROADCASTW
	VPBROADCASTD
	VPBROADCASTQ
	VPBROADCASTBG
	VPBROADCASTWG
	VPBROADCASTDG
	VPBROADCASTQG
	// Conversions.
	VCVTDQ2PS
	VCVTPS2DQ
	VCVTTPS2DQ
	VCVTUDQ2PS
	VCVTTPS2UDQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTDQ2PD
	VCVTTPD2DQ
	VCVTPD2DQ
	VCVTUDQ2PD
	VCVTTPD2UDQ
	VCVTQQ2PD
	VCVTTPD2QQ
	VCVTUQQ2PD
	VCVTTPD2UQQ
	VCVTQQ2PS
	VCVTUQQ2PS
	VCVTTPS2QQ
	VCVTTPS2UQQ
	VCVTPH2PS
	VCVTPS2PH
	VCVTSI2SSD
	VCVTSI2SSQ
	VCVTSI2SDD
	VCVTSI2SDQ
	VCVTTSS2SID
	VCVTTSS2SIQ
	VCVTTSD2SID
	VCVTTSD2SIQ
	VCVTSS2SD
	VCVTSD2SS
	VPMOVSXBW
	VPMOVM2B
	VPMOVM2W
	VPMOVM2D
	VPMOVM2Q
	VPMOVZXBW
	VPMOVSXBD
	VPMOVZXBD
	VPMOVSXBQ
	VPMOVZXBQ
	VPMOVSXWD
	VPMOVZXWD
	VPMOVSXWQ
	VPMOVZXWQ
	VPMOVSXDQ
	VPMOVZXDQ
	VPMOVWB
	VPMOVDB
	VPMOVQB
	VPMOVDW
	VPMOVQW
	VPMOVQD
	VPACKSSWB
	VPACKUSWB
	VPACKSSDW
	VPACKUSDW
	// Rounding to integers.
	VROUNDPS
	VROUNDPD
	VROUNDSS
	VROUNDSD
	VRNDSCALEPS
	VRNDSCALEPD
	// Products with powers of two.
	VSCALEFPS
	VSCALEFPD
	VSCALEFSS
	VSCALEFSD
	// Minima and maxima of numbers.
	VRANGEPS
	VRANGEPD
	// Exchanges of lanes.
	VSHUFPS
	VSHUFPD
	VUNPCKLPS
	VUNPCKHPS
	VUNPCKLPD
	VUNPCKHPD
	VPUNPCKLBW
	VPUNPCKLWD
	VPUNPCKLDQ
	VPUNPCKLQDQ
	VPUNPCKHBW
	VPUNPCKHWD
	VPUNPCKHDQ
	VPUNPCKHQDQ
	VPERMILPS
	VPSHUFD
	VPSHUFB
	VPALIGNR
	VPERMPS
	VPERMD
	VPERMPD
	VPERMQ
	VPERMPDV
	VPERMQV
	VPERMW
	VPERMT2PS
	VPERMT2PD
	VPERMT2D
	VPERMT2Q
	VPERMI2PS
	VPERMI2D
	VPERM2F128
	VINSERTF128
	VEXTRACTF128
	VINSERTI128
	VEXTRACTI128
	VINSERTF32X4
	VEXTRACTF32X4
	VINSERTF64X4
	VEXTRACTF64X4
	VSHUFF32X4
	VSHUFF64X2
	VALIGND
	VMOVSHDUP
	VMOVHLPS
	VPEXTRB
	VPEXTRW
	VPEXTRD
	VPEXTRQ
	VPINSRB
	VPINSRW
	VPINSRD
	VPINSRQ
	// Masks: to and from general registers, and bits of them. The length bit of their prefix is set where two masks are read.
	KMOVB
	KMOVW
	KMOVD
	KMOVQ
	KMOVBG
	KMOVBS
	KMOVWG
	KMOVWS
	KMOVDG
	KMOVDS
	KMOVQG
	KMOVQS
	KANDB
	KANDW
	KANDD
	KANDQ
	KANDNB
	KANDNW
	KANDND
	KANDNQ
	KORB
	KORW
	KORD
	KORQ
	KXNORB
	KXNORW
	KXNORD
	KXNORQ
	KXORB
	KXORW
	KXORD
	KXORQ
	KNOTB
	KNOTW
	KNOTD
	KNOTQ
	KORTESTB
	KORTESTW
	KORTESTD
	KORTESTQ
	KSHIFTRB
	KSHIFTRW
	KSHIFTRD
	KSHIFTRQ
	// General registers: moves.
	MOV
	MOVS
	MOVSB
	MOVSW
	MOVI
	MOVMI
	MOVI32
	MOVABS
	MOVZXB
	MOVZXW
	MOVSXB
	MOVSXW
	MOVSXD
	LEA
	CMOV
	SET
	// General registers: arithmetic. A name that ends in I takes an immediate, in S stores, in C shifts by cl.
	ADD
	ADDS
	ADDI8
	ADDI
	OR
	ORS
	ORI8
	ORI
	AND
	ANDS
	ANDI8
	ANDI
	SUB
	SUBS
	SUBI8
	SUBI
	XOR
	XORS
	XORI8
	XORI
	CMP
	CMPI8
	CMPI
	TEST
	IMUL
	IMULI8
	IMULI
	NOT
	NEG
	MUL
	DIV
	IDIV
	SHLI
	SHLC
	SHRI
	SHRC
	SARI
	SARC
	CDQ
	CQO
	POPCNT
	TZCNT
	LZCNT
	SHLXD
	SHLXQ
	SHRXD
	SHRXQ
	SARXD
	SARXQ
	// Tiles of AMX: their shapes, moves, and sums of products of bytes, with signs (S) or without (U) in the first and the second factor.
	LDTILECFG
	TILERELEASE
	TILEZERO
	TILELOADD
	TILESTORED
	TDPBSSD
	TDPBSUD
	TDPBUSD
	TDPBUUD
	// Control, caches, ends.
	JCC
	JMP
	RET
	INT3
	PREFETCHT0
	PREFETCHT1
	PREFETCHT2
	VZEROUPPER
	NOP
	NOPL

	lastOp
)

// row describes an instruction: its name, its encoding and its operands in the order in which they are written.
//
// The encoding is that of the manual: the kinds of prefix that it may have (l legacy, v VEX, e EVEX, u: EVEX without masks), the mandatory prefix, the map of opcodes, the bit W
// (i1: ignored by VEX, 1 in EVEX), the opcode (/n: n stands in the field reg of ModRM), and the widths: x, y, z of vectors, bytes of general registers.
//
// An operand is the field that names it (R reg, V vvvv, M rm, O the opcode's low bits, S the high half of the immediate, I an immediate of 8 bits, J of 32, Q of 64,
// T the distance of a jump, C a condition, L register cl) and its class (v a vector of the width, x and y narrower ones, h, q, e a half, a quarter, an eighth of the width, g a general
// register of the width, b, w, d, l of 1, 2, 4, 8 bytes, k a mask, t a tile, - none). After a slash stands what the operand may be in memory: full or half, quarter, eighth of the
// width, f32, f64 or h32 where one element may be spread, sN for N bytes, g for as many as the register has, rows for those of a tile, at Base and each
// Index behind the one before, any for an address.
type row struct{ name, encoding, operands string }

var rows = [...]row{
	// Arithmetic of floats: packed and scalar.
	VADDPS:  {"vaddps", "ve np 0f w0 58 xyz", "Rv Vv Mv/f32"},
	VADDPD:  {"vaddpd", "ve 66 0f i1 58 xyz", "Rv Vv Mv/f64"},
	VADDSS:  {"vaddss", "ve f3 0f w0 58 x", "Rx Vx Mx/s4"},
	VADDSD:  {"vaddsd", "ve f2 0f i1 58 x", "Rx Vx Mx/s8"},
	VMULPS:  {"vmulps", "ve np 0f w0 59 xyz", "Rv Vv Mv/f32"},
	VMULPD:  {"vmulpd", "ve 66 0f i1 59 xyz", "Rv Vv Mv/f64"},
	VMULSS:  {"vmulss", "ve f3 0f w0 59 x", "Rx Vx Mx/s4"},
	VMULSD:  {"vmulsd", "ve f2 0f i1 59 x", "Rx Vx Mx/s8"},
	VSUBPS:  {"vsubps", "ve np 0f w0 5c xyz", "Rv Vv Mv/f32"},
	VSUBPD:  {"vsubpd", "ve 66 0f i1 5c xyz", "Rv Vv Mv/f64"},
	VSUBSS:  {"vsubss", "ve f3 0f w0 5c x", "Rx Vx Mx/s4"},
	VSUBSD:  {"vsubsd", "ve f2 0f i1 5c x", "Rx Vx Mx/s8"},
	VMINPS:  {"vminps", "ve np 0f w0 5d xyz", "Rv Vv Mv/f32"},
	VMINPD:  {"vminpd", "ve 66 0f i1 5d xyz", "Rv Vv Mv/f64"},
	VMINSS:  {"vminss", "ve f3 0f w0 5d x", "Rx Vx Mx/s4"},
	VMINSD:  {"vminsd", "ve f2 0f i1 5d x", "Rx Vx Mx/s8"},
	VDIVPS:  {"vdivps", "ve np 0f w0 5e xyz", "Rv Vv Mv/f32"},
	VDIVPD:  {"vdivpd", "ve 66 0f i1 5e xyz", "Rv Vv Mv/f64"},
	VDIVSS:  {"vdivss", "ve f3 0f w0 5e x", "Rx Vx Mx/s4"},
	VDIVSD:  {"vdivsd", "ve f2 0f i1 5e x", "Rx Vx Mx/s8"},
	VMAXPS:  {"vmaxps", "ve np 0f w0 5f xyz", "Rv Vv Mv/f32"},
	VMAXPD:  {"vmaxpd", "ve 66 0f i1 5f xyz", "Rv Vv Mv/f64"},
	VMAXSS:  {"vmaxss", "ve f3 0f w0 5f x", "Rx Vx Mx/s4"},
	VMAXSD:  {"vmaxsd", "ve f2 0f i1 5f x", "Rx Vx Mx/s8"},
	VSQRTPS: {"vsqrtps", "ve np 0f w0 51 xyz", "Rv Mv/f32"},
	VSQRTPD: {"vsqrtpd", "ve 66 0f i1 51 xyz", "Rv Mv/f64"},
	VSQRTSS: {"vsqrtss", "ve f3 0f w0 51 x", "Rx Vx Mx/s4"},
	VSQRTSD: {"vsqrtsd", "ve f2 0f i1 51 x", "Rx Vx Mx/s8"},
	// d = ±a*b±d and its permutations; one rounding.
	VFMADD132PS:  {"vfmadd132ps", "ve 66 0f38 w0 98 xyz", "Rv Vv Mv/f32"},
	VFMADD132PD:  {"vfmadd132pd", "ve 66 0f38 w1 98 xyz", "Rv Vv Mv/f64"},
	VFMADD132SS:  {"vfmadd132ss", "ve 66 0f38 w0 99 x", "Rx Vx Mx/s4"},
	VFMADD132SD:  {"vfmadd132sd", "ve 66 0f38 w1 99 x", "Rx Vx Mx/s8"},
	VFMADD213PS:  {"vfmadd213ps", "ve 66 0f38 w0 a8 xyz", "Rv Vv Mv/f32"},
	VFMADD213PD:  {"vfmadd213pd", "ve 66 0f38 w1 a8 xyz", "Rv Vv Mv/f64"},
	VFMADD213SS:  {"vfmadd213ss", "ve 66 0f38 w0 a9 x", "Rx Vx Mx/s4"},
	VFMADD213SD:  {"vfmadd213sd", "ve 66 0f38 w1 a9 x", "Rx Vx Mx/s8"},
	VFMADD231PS:  {"vfmadd231ps", "ve 66 0f38 w0 b8 xyz", "Rv Vv Mv/f32"},
	VFMADD231PD:  {"vfmadd231pd", "ve 66 0f38 w1 b8 xyz", "Rv Vv Mv/f64"},
	VFMADD231SS:  {"vfmadd231ss", "ve 66 0f38 w0 b9 x", "Rx Vx Mx/s4"},
	VFMADD231SD:  {"vfmadd231sd", "ve 66 0f38 w1 b9 x", "Rx Vx Mx/s8"},
	VFMSUB132PS:  {"vfmsub132ps", "ve 66 0f38 w0 9a xyz", "Rv Vv Mv/f32"},
	VFMSUB132PD:  {"vfmsub132pd", "ve 66 0f38 w1 9a xyz", "Rv Vv Mv/f64"},
	VFMSUB132SS:  {"vfmsub132ss", "ve 66 0f38 w0 9b x", "Rx Vx Mx/s4"},
	VFMSUB132SD:  {"vfmsub132sd", "ve 66 0f38 w1 9b x", "Rx Vx Mx/s8"},
	VFMSUB213PS:  {"vfmsub213ps", "ve 66 0f38 w0 aa xyz", "Rv Vv Mv/f32"},
	VFMSUB213PD:  {"vfmsub213pd", "ve 66 0f38 w1 aa xyz", "Rv Vv Mv/f64"},
	VFMSUB213SS:  {"vfmsub213ss", "ve 66 0f38 w0 ab x", "Rx Vx Mx/s4"},
	VFMSUB213SD:  {"vfmsub213sd", "ve 66 0f38 w1 ab x", "Rx Vx Mx/s8"},
	VFMSUB231PS:  {"vfmsub231ps", "ve 66 0f38 w0 ba xyz", "Rv Vv Mv/f32"},
	VFMSUB231PD:  {"vfmsub231pd", "ve 66 0f38 w1 ba xyz", "Rv Vv Mv/f64"},
	VFMSUB231SS:  {"vfmsub231ss", "ve 66 0f38 w0 bb x", "Rx Vx Mx/s4"},
	VFMSUB231SD:  {"vfmsub231sd", "ve 66 0f38 w1 bb x", "Rx Vx Mx/s8"},
	VFNMADD132PS: {"vfnmadd132ps", "ve 66 0f38 w0 9c xyz", "Rv Vv Mv/f32"},
	VFNMADD132PD: {"vfnmadd132pd", "ve 66 0f38 w1 9c xyz", "Rv Vv Mv/f64"},
	VFNMADD132SS: {"vfnmadd132ss", "ve 66 0f38 w0 9d x", "Rx Vx Mx/s4"},
	VFNMADD132SD: {"vfnmadd132sd", "ve 66 0f38 w1 9d x", "Rx Vx Mx/s8"},
	VFNMADD213PS: {"vfnmadd213ps", "ve 66 0f38 w0 ac xyz", "Rv Vv Mv/f32"},
	VFNMADD213PD: {"vfnmadd213pd", "ve 66 0f38 w1 ac xyz", "Rv Vv Mv/f64"},
	VFNMADD213SS: {"vfnmadd213ss", "ve 66 0f38 w0 ad x", "Rx Vx Mx/s4"},
	VFNMADD213SD: {"vfnmadd213sd", "ve 66 0f38 w1 ad x", "Rx Vx Mx/s8"},
	VFNMADD231PS: {"vfnmadd231ps", "ve 66 0f38 w0 bc xyz", "Rv Vv Mv/f32"},
	VFNMADD231PD: {"vfnmadd231pd", "ve 66 0f38 w1 bc xyz", "Rv Vv Mv/f64"},
	VFNMADD231SS: {"vfnmadd231ss", "ve 66 0f38 w0 bd x", "Rx Vx Mx/s4"},
	VFNMADD231SD: {"vfnmadd231sd", "ve 66 0f38 w1 bd x", "Rx Vx Mx/s8"},
	// Bits.
	VANDPS:     {"vandps", "ve np 0f w0 54 xyz", "Rv Vv Mv/f32"},
	VANDPD:     {"vandpd", "ve 66 0f i1 54 xyz", "Rv Vv Mv/f64"},
	VANDNPS:    {"vandnps", "ve np 0f w0 55 xyz", "Rv Vv Mv/f32"},
	VANDNPD:    {"vandnpd", "ve 66 0f i1 55 xyz", "Rv Vv Mv/f64"},
	VORPS:      {"vorps", "ve np 0f w0 56 xyz", "Rv Vv Mv/f32"},
	VORPD:      {"vorpd", "ve 66 0f i1 56 xyz", "Rv Vv Mv/f64"},
	VXORPS:     {"vxorps", "ve np 0f w0 57 xyz", "Rv Vv Mv/f32"},
	VXORPD:     {"vxorpd", "ve 66 0f i1 57 xyz", "Rv Vv Mv/f64"},
	VPAND:      {"vpand", "v 66 0f w0 db xy", "Rv Vv Mv/full"},
	VPANDD:     {"vpandd", "e 66 0f w0 db xyz", "Rv Vv Mv/f32"},
	VPANDQ:     {"vpandq", "e 66 0f w1 db xyz", "Rv Vv Mv/f64"},
	VPANDN:     {"vpandn", "v 66 0f w0 df xy", "Rv Vv Mv/full"},
	VPANDND:    {"vpandnd", "e 66 0f w0 df xyz", "Rv Vv Mv/f32"},
	VPANDNQ:    {"vpandnq", "e 66 0f w1 df xyz", "Rv Vv Mv/f64"},
	VPOR:       {"vpor", "v 66 0f w0 eb xy", "Rv Vv Mv/full"},
	VPORD:      {"vpord", "e 66 0f w0 eb xyz", "Rv Vv Mv/f32"},
	VPORQ:      {"vporq", "e 66 0f w1 eb xyz", "Rv Vv Mv/f64"},
	VPXOR:      {"vpxor", "v 66 0f w0 ef xy", "Rv Vv Mv/full"},
	VPXORD:     {"vpxord", "e 66 0f w0 ef xyz", "Rv Vv Mv/f32"},
	VPXORQ:     {"vpxorq", "e 66 0f w1 ef xyz", "Rv Vv Mv/f64"},
	VPTERNLOGD: {"vpternlogd", "e 66 0f3a w0 25 xyz", "Rv Vv Mv/f32 I"},
	VPTERNLOGQ: {"vpternlogq", "e 66 0f3a w1 25 xyz", "Rv Vv Mv/f64 I"},
	// Arithmetic of integers.
	VPADDB:     {"vpaddb", "ve 66 0f w0 fc xyz", "Rv Vv Mv/full"},
	VPADDW:     {"vpaddw", "ve 66 0f w0 fd xyz", "Rv Vv Mv/full"},
	VPADDD:     {"vpaddd", "ve 66 0f w0 fe xyz", "Rv Vv Mv/f32"},
	VPADDQ:     {"vpaddq", "ve 66 0f i1 d4 xyz", "Rv Vv Mv/f64"},
	VPSUBB:     {"vpsubb", "ve 66 0f w0 f8 xyz", "Rv Vv Mv/full"},
	VPSUBW:     {"vpsubw", "ve 66 0f w0 f9 xyz", "Rv Vv Mv/full"},
	VPSUBD:     {"vpsubd", "ve 66 0f w0 fa xyz", "Rv Vv Mv/f32"},
	VPSUBQ:     {"vpsubq", "ve 66 0f i1 fb xyz", "Rv Vv Mv/f64"},
	VPMULLW:    {"vpmullw", "ve 66 0f w0 d5 xyz", "Rv Vv Mv/full"},
	VPMULHW:    {"vpmulhw", "ve 66 0f w0 e5 xyz", "Rv Vv Mv/full"},
	VPMULLD:    {"vpmulld", "ve 66 0f38 w0 40 xyz", "Rv Vv Mv/f32"},
	VPMULLQ:    {"vpmullq", "e 66 0f38 w1 40 xyz", "Rv Vv Mv/f64"},
	VPMULUDQ:   {"vpmuludq", "ve 66 0f i1 f4 xyz", "Rv Vv Mv/f64"},
	VPMULDQ:    {"vpmuldq", "ve 66 0f38 i1 28 xyz", "Rv Vv Mv/f64"},
	VPMADDWD:   {"vpmaddwd", "ve 66 0f w0 f5 xyz", "Rv Vv Mv/full"},
	VPMADDUBSW: {"vpmaddubsw", "ve 66 0f38 w0 04 xyz", "Rv Vv Mv/full"},
	VPDPBUSD:   {"vpdpbusd", "e 66 0f38 w0 50 xyz", "Rv Vv Mv/f32"},
	VPDPWSSD:   {"vpdpwssd", "e 66 0f38 w0 52 xyz", "Rv Vv Mv/f32"},
	VPMINSB:    {"vpminsb", "ve 66 0f38 w0 38 xyz", "Rv Vv Mv/full"},
	VPMINSW:    {"vpminsw", "ve 66 0f w0 ea xyz", "Rv Vv Mv/full"},
	VPMINUB:    {"vpminub", "ve 66 0f w0 da xyz", "Rv Vv Mv/full"},
	VPMINUW:    {"vpminuw", "ve 66 0f38 w0 3a xyz", "Rv Vv Mv/full"},
	VPMAXSB:    {"vpmaxsb", "ve 66 0f38 w0 3c xyz", "Rv Vv Mv/full"},
	VPMAXSW:    {"vpmaxsw", "ve 66 0f w0 ee xyz", "Rv Vv Mv/full"},
	VPMAXUB:    {"vpmaxub", "ve 66 0f w0 de xyz", "Rv Vv Mv/full"},
	VPMAXUW:    {"vpmaxuw", "ve 66 0f38 w0 3e xyz", "Rv Vv Mv/full"},
	VPMINSD:    {"vpminsd", "ve 66 0f38 w0 39 xyz", "Rv Vv Mv/f32"},
	VPMINSQ:    {"vpminsq", "e 66 0f38 w1 39 xyz", "Rv Vv Mv/f64"},
	VPMINUD:    {"vpminud", "ve 66 0f38 w0 3b xyz", "Rv Vv Mv/f32"},
	VPMINUQ:    {"vpminuq", "e 66 0f38 w1 3b xyz", "Rv Vv Mv/f64"},
	VPMAXSD:    {"vpmaxsd", "ve 66 0f38 w0 3d xyz", "Rv Vv Mv/f32"},
	VPMAXSQ:    {"vpmaxsq", "e 66 0f38 w1 3d xyz", "Rv Vv Mv/f64"},
	VPMAXUD:    {"vpmaxud", "ve 66 0f38 w0 3f xyz", "Rv Vv Mv/f32"},
	VPMAXUQ:    {"vpmaxuq", "e 66 0f38 w1 3f xyz", "Rv Vv Mv/f64"},
	VPABSB:     {"vpabsb", "ve 66 0f38 w0 1c xyz", "Rv Mv/full"},
	VPABSW:     {"vpabsw", "ve 66 0f38 w0 1d xyz", "Rv Mv/full"},
	VPABSD:     {"vpabsd", "ve 66 0f38 w0 1e xyz", "Rv Mv/f32"},
	VPABSQ:     {"vpabsq", "e 66 0f38 w1 1f xyz", "Rv Mv/f64"},
	VPSADBW:    {"vpsadbw", "veu 66 0f w0 f6 xyz", "Rv Vv Mv/full"},
	// Shifts: by an immediate, and by the lanes of a vector.
	VPSLLW:  {"vpsllw", "ve 66 0f w0 71/6 xyz", "Vv Mv I"},
	VPSRLW:  {"vpsrlw", "ve 66 0f w0 71/2 xyz", "Vv Mv I"},
	VPSRAW:  {"vpsraw", "ve 66 0f w0 71/4 xyz", "Vv Mv I"},
	VPSLLD:  {"vpslld", "ve 66 0f w0 72/6 xyz", "Vv Mv I"},
	VPSRLD:  {"vpsrld", "ve 66 0f w0 72/2 xyz", "Vv Mv I"},
	VPSRAD:  {"vpsrad", "ve 66 0f w0 72/4 xyz", "Vv Mv I"},
	VPSLLQ:  {"vpsllq", "ve 66 0f i1 73/6 xyz", "Vv Mv I"},
	VPSRLQ:  {"vpsrlq", "ve 66 0f i1 73/2 xyz", "Vv Mv I"},
	VPSRAQ:  {"vpsraq", "e 66 0f w1 72/4 xyz", "Vv Mv I"},
	VPSLLDQ: {"vpslldq", "v 66 0f w0 73/7 xy", "Vv Mv I"},
	VPSRLDQ: {"vpsrldq", "v 66 0f w0 73/3 xy", "Vv Mv I"},
	VPSLLVD: {"vpsllvd", "ve 66 0f38 w0 47 xyz", "Rv Vv Mv/f32"},
	VPSLLVQ: {"vpsllvq", "ve 66 0f38 w1 47 xyz", "Rv Vv Mv/f64"},
	VPSRLVD: {"vpsrlvd", "ve 66 0f38 w0 45 xyz", "Rv Vv Mv/f32"},
	VPSRLVQ: {"vpsrlvq", "ve 66 0f38 w1 45 xyz", "Rv Vv Mv/f64"},
	VPSRAVD: {"vpsravd", "ve 66 0f38 w0 46 xyz", "Rv Vv Mv/f32"},
	VPSRAVQ: {"vpsravq", "e 66 0f38 w1 46 xyz", "Rv Vv Mv/f64"},
	VPSLLVW: {"vpsllvw", "e 66 0f38 w1 12 xyz", "Rv Vv Mv/full"},
	VPSRLVW: {"vpsrlvw", "e 66 0f38 w1 10 xyz", "Rv Vv Mv/full"},
	VPSRAVW: {"vpsravw", "e 66 0f38 w1 11 xyz", "Rv Vv Mv/full"},
	// Comparisons: to lanes of ones (AVX), to masks (AVX-512).
	VCMPPS:   {"vcmpps", "v np 0f w0 c2 xy", "Rv Vv Mv/full I"},
	VCMPPSK:  {"vcmpps", "e np 0f w0 c2 xyz", "Rk Vv Mv/f32 I"},
	VCMPPD:   {"vcmppd", "v 66 0f w0 c2 xy", "Rv Vv Mv/full I"},
	VCMPPDK:  {"vcmppd", "e 66 0f w1 c2 xyz", "Rk Vv Mv/f64 I"},
	VCMPSS:   {"vcmpss", "v f3 0f w0 c2 x", "Rx Vx Mx/s4 I"},
	VCMPSD:   {"vcmpsd", "v f2 0f w0 c2 x", "Rx Vx Mx/s8 I"},
	VPCMPEQB: {"vpcmpeqb", "v 66 0f w0 74 xy", "Rv Vv Mv/full"},
	VPCMPEQW: {"vpcmpeqw", "v 66 0f w0 75 xy", "Rv Vv Mv/full"},
	VPCMPEQD: {"vpcmpeqd", "v 66 0f w0 76 xy", "Rv Vv Mv/full"},
	VPCMPEQQ: {"vpcmpeqq", "v 66 0f38 w0 29 xy", "Rv Vv Mv/full"},
	VPCMPGTB: {"vpcmpgtb", "v 66 0f w0 64 xy", "Rv Vv Mv/full"},
	VPCMPGTW: {"vpcmpgtw", "v 66 0f w0 65 xy", "Rv Vv Mv/full"},
	VPCMPGTD: {"vpcmpgtd", "v 66 0f w0 66 xy", "Rv Vv Mv/full"},
	VPCMPGTQ: {"vpcmpgtq", "v 66 0f38 w0 37 xy", "Rv Vv Mv/full"},
	VPCMPD:   {"vpcmpd", "e 66 0f3a w0 1f xyz", "Rk Vv Mv/f32 I"},
	VPCMPUD:  {"vpcmpud", "e 66 0f3a w0 1e xyz", "Rk Vv Mv/f32 I"},
	VPCMPQ:   {"vpcmpq", "e 66 0f3a w1 1f xyz", "Rk Vv Mv/f64 I"},
	VPCMPUQ:  {"vpcmpuq", "e 66 0f3a w1 1e xyz", "Rk Vv Mv/f64 I"},
	VPCMPB:   {"vpcmpb", "e 66 0f3a w0 3f xyz", "Rk Vv Mv/full I"},
	VPCMPUB:  {"vpcmpub", "e 66 0f3a w0 3e xyz", "Rk Vv Mv/full I"},
	VPCMPW:   {"vpcmpw", "e 66 0f3a w1 3f xyz", "Rk Vv Mv/full I"},
	VPCMPUW:  {"vpcmpuw", "e 66 0f3a w1 3e xyz", "Rk Vv Mv/full I"},
	VPTESTMD: {"vptestmd", "e 66 0f38 w0 27 xyz", "Rk Vv Mv/f32"},
	VPTESTMQ: {"vptestmq", "e 66 0f38 w1 27 xyz", "Rk Vv Mv/f64"},
	VPTESTMB: {"vptestmb", "e 66 0f38 w0 26 xyz", "Rk Vv Mv/full"},
	VPTESTMW: {"vptestmw", "e 66 0f38 w1 26 xyz", "Rk Vv Mv/full"},
	VUCOMISS: {"vucomiss", "veu np 0f w0 2e x", "Rx Mx/s4"},
	VUCOMISD: {"vucomisd", "veu 66 0f i1 2e x", "Rx Mx/s8"},
	// Choices between two vectors.
	VBLENDVPS: {"vblendvps", "v 66 0f3a w0 4a xy", "Rv Vv Mv/full Sv"},
	VBLENDVPD: {"vblendvpd", "v 66 0f3a w0 4b xy", "Rv Vv Mv/full Sv"},
	VPBLENDVB: {"vpblendvb", "v 66 0f3a w0 4c xy", "Rv Vv Mv/full Sv"},
	VBLENDMPS: {"vblendmps", "e 66 0f38 w0 65 xyz", "Rv Vv Mv/f32"},
	VBLENDMPD: {"vblendmpd", "e 66 0f38 w1 65 xyz", "Rv Vv Mv/f64"},
	VPBLENDMD: {"vpblendmd", "e 66 0f38 w0 64 xyz", "Rv Vv Mv/f32"},
	VPBLENDMQ: {"vpblendmq", "e 66 0f38 w1 64 xyz", "Rv Vv Mv/f64"},
	VPBLENDMB: {"vpblendmb", "e 66 0f38 w0 66 xyz", "Rv Vv Mv/full"},
	VPBLENDMW: {"vpblendmw", "e 66 0f38 w1 66 xyz", "Rv Vv Mv/full"},
	// Moves. A name that ends in S stores.
	VMOVUPS:     {"vmovups", "ve np 0f w0 10 xyz", "Rv Mv/full"},
	VMOVUPSS:    {"vmovups", "ve np 0f w0 11 xyz", "M-/full Rv"},
	VMOVUPD:     {"vmovupd", "ve 66 0f i1 10 xyz", "Rv Mv/full"},
	VMOVUPDS:    {"vmovupd", "ve 66 0f i1 11 xyz", "M-/full Rv"},
	VMOVAPS:     {"vmovaps", "ve np 0f w0 28 xyz", "Rv Mv/full"},
	VMOVAPSS:    {"vmovaps", "ve np 0f w0 29 xyz", "M-/full Rv"},
	VMOVAPD:     {"vmovapd", "ve 66 0f i1 28 xyz", "Rv Mv/full"},
	VMOVAPDS:    {"vmovapd", "ve 66 0f i1 29 xyz", "M-/full Rv"},
	VMOVSS:      {"vmovss", "ve f3 0f w0 10 x", "Rx M-/s4"},
	VMOVSSS:     {"vmovss", "ve f3 0f w0 11 x", "M-/s4 Rx"},
	VMOVSD:      {"vmovsd", "ve f2 0f i1 10 x", "Rx M-/s8"},
	VMOVSDS:     {"vmovsd", "ve f2 0f i1 11 x", "M-/s8 Rx"},
	VMOVDQU:     {"vmovdqu", "v f3 0f w0 6f xy", "Rv Mv/full"},
	VMOVDQUS:    {"vmovdqu", "v f3 0f w0 7f xy", "M-/full Rv"},
	VMOVDQU8:    {"vmovdqu8", "e f2 0f w0 6f xyz", "Rv Mv/full"},
	VMOVDQU8S:   {"vmovdqu8", "e f2 0f w0 7f xyz", "M-/full Rv"},
	VMOVDQU16:   {"vmovdqu16", "e f2 0f w1 6f xyz", "Rv Mv/full"},
	VMOVDQU16S:  {"vmovdqu16", "e f2 0f w1 7f xyz", "M-/full Rv"},
	VMOVDQU32:   {"vmovdqu32", "e f3 0f w0 6f xyz", "Rv Mv/full"},
	VMOVDQU32S:  {"vmovdqu32", "e f3 0f w0 7f xyz", "M-/full Rv"},
	VMOVDQU64:   {"vmovdqu64", "e f3 0f w1 6f xyz", "Rv Mv/full"},
	VMOVDQU64S:  {"vmovdqu64", "e f3 0f w1 7f xyz", "M-/full Rv"},
	VMOVD:       {"vmovd", "veu 66 0f w0 6e x", "Rx Md/s4"},
	VMOVDS:      {"vmovd", "veu 66 0f w0 7e x", "Md/s4 Rx"},
	VMOVQ:       {"vmovq", "veu 66 0f w1 6e x", "Rx Ml"},
	VMOVQS:      {"vmovq", "veu 66 0f w1 7e x", "Ml Rx"},
	VMASKMOVPS:  {"vmaskmovps", "v 66 0f38 w0 2c xy", "Rv Vv M-/full"},
	VMASKMOVPSS: {"vmaskmovps", "v 66 0f38 w0 2e xy", "M-/full Vv Rv"},
	VMASKMOVPD:  {"vmaskmovpd", "v 66 0f38 w0 2d xy", "Rv Vv M-/full"},
	VMASKMOVPDS: {"vmaskmovpd", "v 66 0f38 w0 2f xy", "M-/full Vv Rv"},
	VMOVMSKPS:   {"vmovmskps", "v np 0f w0 50 xy", "Rd Mv"},
	VMOVMSKPD:   {"vmovmskpd", "v 66 0f w0 50 xy", "Rd Mv"},
	VPMOVMSKB:   {"vpmovmskb", "v 66 0f w0 d7 xy", "Rd Mv"},
	// One element to all lanes: of a vector or memory, of a general register.
	VBROADCASTSS:    {"vbroadcastss", "ve 66 0f38 w0 18 xyz", "Rv Mx/s4"},
	VBROADCASTSD:    {"vbroadcastsd", "ve 66 0f38 i1 19 yz", "Rv Mx/s8"},
	VBROADCASTF128:  {"vbroadcastf128", "v 66 0f38 w0 1a y", "Rv M-/s16"},
	VBROADCASTF32X4: {"vbroadcastf32x4", "e 66 0f38 w0 1a yz", "Rv M-/s16"},
	VPBROADCASTB:    {"vpbroadcastb", "ve 66 0f38 w0 78 xyz", "Rv Mx/s1"},
	VPBROADCASTW:    {"vpbroadcastw", "ve 66 0f38 w0 79 xyz", "Rv Mx/s2"},
	VPBROADCASTD:    {"vpbroadcastd", "ve 66 0f38 w0 58 xyz", "Rv Mx/s4"},
	VPBROADCASTQ:    {"vpbroadcastq", "ve 66 0f38 i1 59 xyz", "Rv Mx/s8"},
	VPBROADCASTBG:   {"vpbroadcastb", "e 66 0f38 w0 7a xyz", "Rv Md"},
	VPBROADCASTWG:   {"vpbroadcastw", "e 66 0f38 w0 7b xyz", "Rv Md"},
	VPBROADCASTDG:   {"vpbroadcastd", "e 66 0f38 w0 7c xyz", "Rv Md"},
	VPBROADCASTQG:   {"vpbroadcastq", "e 66 0f38 w1 7c xyz", "Rv Ml"},
	// Conversions.
	VCVTDQ2PS:   {"vcvtdq2ps", "ve np 0f w0 5b xyz", "Rv Mv/f32"},
	VCVTPS2DQ:   {"vcvtps2dq", "ve 66 0f w0 5b xyz", "Rv Mv/f32"},
	VCVTTPS2DQ:  {"vcvttps2dq", "ve f3 0f w0 5b xyz", "Rv Mv/f32"},
	VCVTUDQ2PS:  {"vcvtudq2ps", "e f2 0f w0 7a xyz", "Rv Mv/f32"},
	VCVTTPS2UDQ: {"vcvttps2udq", "e np 0f w0 78 xyz", "Rv Mv/f32"},
	VCVTPS2PD:   {"vcvtps2pd", "ve np 0f w0 5a xyz", "Rv Mh/h32"},
	VCVTPD2PS:   {"vcvtpd2ps", "ve 66 0f i1 5a xyz", "Rh Mv/f64"},
	VCVTDQ2PD:   {"vcvtdq2pd", "ve f3 0f w0 e6 xyz", "Rv Mh/h32"},
	VCVTTPD2DQ:  {"vcvttpd2dq", "ve 66 0f i1 e6 xyz", "Rh Mv/f64"},
	VCVTPD2DQ:   {"vcvtpd2dq", "ve f2 0f i1 e6 xyz", "Rh Mv/f64"},
	VCVTUDQ2PD:  {"vcvtudq2pd", "e f3 0f w0 7a xyz", "Rv Mh/h32"},
	VCVTTPD2UDQ: {"vcvttpd2udq", "e np 0f w1 78 xyz", "Rh Mv/f64"},
	VCVTQQ2PD:   {"vcvtqq2pd", "e f3 0f w1 e6 xyz", "Rv Mv/f64"},
	VCVTTPD2QQ:  {"vcvttpd2qq", "e 66 0f w1 7a xyz", "Rv Mv/f64"},
	VCVTUQQ2PD:  {"vcvtuqq2pd", "e f3 0f w1 7a xyz", "Rv Mv/f64"},
	VCVTTPD2UQQ: {"vcvttpd2uqq", "e 66 0f w1 78 xyz", "Rv Mv/f64"},
	VCVTQQ2PS:   {"vcvtqq2ps", "e np 0f w1 5b xyz", "Rh Mv/f64"},
	VCVTUQQ2PS:  {"vcvtuqq2ps", "e f2 0f w1 7a xyz", "Rh Mv/f64"},
	VCVTTPS2QQ:  {"vcvttps2qq", "e 66 0f w0 7a xyz", "Rv Mh/h32"},
	VCVTTPS2UQQ: {"vcvttps2uqq", "e 66 0f w0 78 xyz", "Rv Mh/h32"},
	VCVTPH2PS:   {"vcvtph2ps", "ve 66 0f38 w0 13 xyz", "Rv Mh/half"},
	VCVTPS2PH:   {"vcvtps2ph", "ve 66 0f3a w0 1d xyz", "Mh/half Rv I"},
	VCVTSI2SSD:  {"vcvtsi2ss", "veu f3 0f w0 2a x", "Rx Vx Md/s4"},
	VCVTSI2SSQ:  {"vcvtsi2ss", "veu f3 0f w1 2a x", "Rx Vx Ml/s8"},
	VCVTSI2SDD:  {"vcvtsi2sd", "veu f2 0f w0 2a x", "Rx Vx Md/s4"},
	VCVTSI2SDQ:  {"vcvtsi2sd", "veu f2 0f w1 2a x", "Rx Vx Ml/s8"},
	VCVTTSS2SID: {"vcvttss2si", "veu f3 0f w0 2c x", "Rd Mx/s4"},
	VCVTTSS2SIQ: {"vcvttss2si", "veu f3 0f w1 2c x", "Rl Mx/s4"},
	VCVTTSD2SID: {"vcvttsd2si", "veu f2 0f w0 2c x", "Rd Mx/s8"},
	VCVTTSD2SIQ: {"vcvttsd2si", "veu f2 0f w1 2c x", "Rl Mx/s8"},
	VCVTSS2SD:   {"vcvtss2sd", "ve f3 0f w0 5a x", "Rx Vx Mx/s4"},
	VCVTSD2SS:   {"vcvtsd2ss", "ve f2 0f i1 5a x", "Rx Vx Mx/s8"},
	VPMOVSXBW:   {"vpmovsxbw", "ve 66 0f38 w0 20 xyz", "Rv Mh/half"},
	VPMOVM2B:    {"vpmovm2b", "eu f3 0f38 w0 28 xyz", "Rv Mk"}, // lanes of ones where a mask has ones
	VPMOVM2W:    {"vpmovm2w", "eu f3 0f38 w1 28 xyz", "Rv Mk"},
	VPMOVM2D:    {"vpmovm2d", "eu f3 0f38 w0 38 xyz", "Rv Mk"},
	VPMOVM2Q:    {"vpmovm2q", "eu f3 0f38 w1 38 xyz", "Rv Mk"},
	VPMOVZXBW:   {"vpmovzxbw", "ve 66 0f38 w0 30 xyz", "Rv Mh/half"},
	VPMOVSXBD:   {"vpmovsxbd", "ve 66 0f38 w0 21 xyz", "Rv Mq/quarter"},
	VPMOVZXBD:   {"vpmovzxbd", "ve 66 0f38 w0 31 xyz", "Rv Mq/quarter"},
	VPMOVSXBQ:   {"vpmovsxbq", "ve 66 0f38 w0 22 xyz", "Rv Me/eighth"},
	VPMOVZXBQ:   {"vpmovzxbq", "ve 66 0f38 w0 32 xyz", "Rv Me/eighth"},
	VPMOVSXWD:   {"vpmovsxwd", "ve 66 0f38 w0 23 xyz", "Rv Mh/half"},
	VPMOVZXWD:   {"vpmovzxwd", "ve 66 0f38 w0 33 xyz", "Rv Mh/half"},
	VPMOVSXWQ:   {"vpmovsxwq", "ve 66 0f38 w0 24 xyz", "Rv Mq/quarter"},
	VPMOVZXWQ:   {"vpmovzxwq", "ve 66 0f38 w0 34 xyz", "Rv Mq/quarter"},
	VPMOVSXDQ:   {"vpmovsxdq", "ve 66 0f38 w0 25 xyz", "Rv Mh/half"},
	VPMOVZXDQ:   {"vpmovzxdq", "ve 66 0f38 w0 35 xyz", "Rv Mh/half"},
	VPMOVWB:     {"vpmovwb", "e f3 0f38 w0 30 xyz", "Mh/half Rv"},
	VPMOVDB:     {"vpmovdb", "e f3 0f38 w0 31 xyz", "Mq/quarter Rv"},
	VPMOVQB:     {"vpmovqb", "e f3 0f38 w0 32 xyz", "Me/eighth Rv"},
	VPMOVDW:     {"vpmovdw", "e f3 0f38 w0 33 xyz", "Mh/half Rv"},
	VPMOVQW:     {"vpmovqw", "e f3 0f38 w0 34 xyz", "Mq/quarter Rv"},
	VPMOVQD:     {"vpmovqd", "e f3 0f38 w0 35 xyz", "Mh/half Rv"},
	VPACKSSWB:   {"vpacksswb", "ve 66 0f w0 63 xyz", "Rv Vv Mv/full"},
	VPACKUSWB:   {"vpackuswb", "ve 66 0f w0 67 xyz", "Rv Vv Mv/full"},
	VPACKSSDW:   {"vpackssdw", "ve 66 0f w0 6b xyz", "Rv Vv Mv/f32"},
	VPACKUSDW:   {"vpackusdw", "ve 66 0f38 w0 2b xyz", "Rv Vv Mv/f32"},
	// Rounding to integers.
	VROUNDPS:    {"vroundps", "v 66 0f3a w0 08 xy", "Rv Mv/full I"},
	VROUNDPD:    {"vroundpd", "v 66 0f3a w0 09 xy", "Rv Mv/full I"},
	VROUNDSS:    {"vroundss", "v 66 0f3a w0 0a x", "Rx Vx Mx/s4 I"},
	VROUNDSD:    {"vroundsd", "v 66 0f3a w0 0b x", "Rx Vx Mx/s8 I"},
	VRNDSCALEPS: {"vrndscaleps", "e 66 0f3a w0 08 xyz", "Rv Mv/f32 I"},
	VRNDSCALEPD: {"vrndscalepd", "e 66 0f3a w1 09 xyz", "Rv Mv/f64 I"},
	// Products with powers of two.
	VSCALEFPS: {"vscalefps", "e 66 0f38 w0 2c xyz", "Rv Vv Mv/f32"},
	VSCALEFPD: {"vscalefpd", "e 66 0f38 w1 2c xyz", "Rv Vv Mv/f64"},
	VSCALEFSS: {"vscalefss", "e 66 0f38 w0 2d x", "Rx Vx Mx/s4"},
	VSCALEFSD: {"vscalefsd", "e 66 0f38 w1 2d x", "Rx Vx Mx/s8"},
	// Minima and maxima of numbers.
	VRANGEPS: {"vrangeps", "e 66 0f3a w0 50 xyz", "Rv Vv Mv/f32 I"},
	VRANGEPD: {"vrangepd", "e 66 0f3a w1 50 xyz", "Rv Vv Mv/f64 I"},
	// Exchanges of lanes.
	VSHUFPS:       {"vshufps", "ve np 0f w0 c6 xyz", "Rv Vv Mv/f32 I"},
	VSHUFPD:       {"vshufpd", "ve 66 0f i1 c6 xyz", "Rv Vv Mv/f64 I"},
	VUNPCKLPS:     {"vunpcklps", "ve np 0f w0 14 xyz", "Rv Vv Mv/f32"},
	VUNPCKHPS:     {"vunpckhps", "ve np 0f w0 15 xyz", "Rv Vv Mv/f32"},
	VUNPCKLPD:     {"vunpcklpd", "ve 66 0f i1 14 xyz", "Rv Vv Mv/f64"},
	VUNPCKHPD:     {"vunpckhpd", "ve 66 0f i1 15 xyz", "Rv Vv Mv/f64"},
	VPUNPCKLBW:    {"vpunpcklbw", "ve 66 0f w0 60 xyz", "Rv Vv Mv/full"},
	VPUNPCKLWD:    {"vpunpcklwd", "ve 66 0f w0 61 xyz", "Rv Vv Mv/full"},
	VPUNPCKLDQ:    {"vpunpckldq", "ve 66 0f w0 62 xyz", "Rv Vv Mv/f32"},
	VPUNPCKLQDQ:   {"vpunpcklqdq", "ve 66 0f i1 6c xyz", "Rv Vv Mv/f64"},
	VPUNPCKHBW:    {"vpunpckhbw", "ve 66 0f w0 68 xyz", "Rv Vv Mv/full"},
	VPUNPCKHWD:    {"vpunpckhwd", "ve 66 0f w0 69 xyz", "Rv Vv Mv/full"},
	VPUNPCKHDQ:    {"vpunpckhdq", "ve 66 0f w0 6a xyz", "Rv Vv Mv/f32"},
	VPUNPCKHQDQ:   {"vpunpckhqdq", "ve 66 0f i1 6d xyz", "Rv Vv Mv/f64"},
	VPERMILPS:     {"vpermilps", "ve 66 0f3a w0 04 xyz", "Rv Mv/f32 I"},
	VPSHUFD:       {"vpshufd", "ve 66 0f w0 70 xyz", "Rv Mv/f32 I"},
	VPSHUFB:       {"vpshufb", "ve 66 0f38 w0 00 xyz", "Rv Vv Mv/full"},
	VPALIGNR:      {"vpalignr", "ve 66 0f3a w0 0f xyz", "Rv Vv Mv/full I"},
	VPERMPS:       {"vpermps", "ve 66 0f38 w0 16 yz", "Rv Vv Mv/f32"},
	VPERMD:        {"vpermd", "ve 66 0f38 w0 36 yz", "Rv Vv Mv/f32"},
	VPERMPD:       {"vpermpd", "ve 66 0f3a w1 01 yz", "Rv Mv/f64 I"},
	VPERMQ:        {"vpermq", "ve 66 0f3a w1 00 yz", "Rv Mv/f64 I"},
	VPERMPDV:      {"vpermpd", "e 66 0f38 w1 16 yz", "Rv Vv Mv/f64"},
	VPERMQV:       {"vpermq", "e 66 0f38 w1 36 yz", "Rv Vv Mv/f64"},
	VPERMW:        {"vpermw", "e 66 0f38 w1 8d xyz", "Rv Vv Mv/full"},
	VPERMT2PS:     {"vpermt2ps", "e 66 0f38 w0 7f xyz", "Rv Vv Mv/f32"},
	VPERMT2PD:     {"vpermt2pd", "e 66 0f38 w1 7f xyz", "Rv Vv Mv/f64"},
	VPERMT2D:      {"vpermt2d", "e 66 0f38 w0 7e xyz", "Rv Vv Mv/f32"},
	VPERMT2Q:      {"vpermt2q", "e 66 0f38 w1 7e xyz", "Rv Vv Mv/f64"},
	VPERMI2PS:     {"vpermi2ps", "e 66 0f38 w0 77 xyz", "Rv Vv Mv/f32"},
	VPERMI2D:      {"vpermi2d", "e 66 0f38 w0 76 xyz", "Rv Vv Mv/f32"},
	VPERM2F128:    {"vperm2f128", "v 66 0f3a w0 06 y", "Rv Vv Mv/full I"},
	VINSERTF128:   {"vinsertf128", "v 66 0f3a w0 18 y", "Rv Vv Mx/s16 I"},
	VEXTRACTF128:  {"vextractf128", "v 66 0f3a w0 19 y", "Mx/s16 Rv I"},
	VINSERTI128:   {"vinserti128", "v 66 0f3a w0 38 y", "Rv Vv Mx/s16 I"},
	VEXTRACTI128:  {"vextracti128", "v 66 0f3a w0 39 y", "Mx/s16 Rv I"},
	VINSERTF32X4:  {"vinsertf32x4", "e 66 0f3a w0 18 yz", "Rv Vv Mx/s16 I"},
	VEXTRACTF32X4: {"vextractf32x4", "e 66 0f3a w0 19 yz", "Mx/s16 Rv I"},
	VINSERTF64X4:  {"vinsertf64x4", "e 66 0f3a w1 1a z", "Rv Vv My/s32 I"},
	VEXTRACTF64X4: {"vextractf64x4", "e 66 0f3a w1 1b z", "My/s32 Rv I"},
	VSHUFF32X4:    {"vshuff32x4", "e 66 0f3a w0 23 yz", "Rv Vv Mv/f32 I"},
	VSHUFF64X2:    {"vshuff64x2", "e 66 0f3a w1 23 yz", "Rv Vv Mv/f64 I"},
	VALIGND:       {"valignd", "e 66 0f3a w0 03 xyz", "Rv Vv Mv/f32 I"},
	VMOVSHDUP:     {"vmovshdup", "ve f3 0f w0 16 xyz", "Rv Mv/full"},
	VMOVHLPS:      {"vmovhlps", "veu np 0f w0 12 x", "Rx Vx Mx"},
	VPEXTRB:       {"vpextrb", "veu 66 0f3a w0 14 x", "Md/s1 Rx I"},
	VPEXTRW:       {"vpextrw", "veu 66 0f3a w0 15 x", "M-/s2 Rx I"},
	VPEXTRD:       {"vpextrd", "veu 66 0f3a w0 16 x", "Md/s4 Rx I"},
	VPEXTRQ:       {"vpextrq", "veu 66 0f3a w1 16 x", "Ml/s8 Rx I"},
	VPINSRB:       {"vpinsrb", "veu 66 0f3a w0 20 x", "Rx Vx Md/s1 I"},
	VPINSRW:       {"vpinsrw", "veu 66 0f w0 c4 x", "Rx Vx Md/s2 I"},
	VPINSRD:       {"vpinsrd", "veu 66 0f3a w0 22 x", "Rx Vx Md/s4 I"},
	VPINSRQ:       {"vpinsrq", "veu 66 0f3a w1 22 x", "Rx Vx Ml/s8 I"},
	// Masks: to and from general registers, and bits of them. The length bit of their prefix is set where two masks are read.
	KMOVB:    {"kmovb", "v 66 0f w0 90 x", "Rk Mk"},
	KMOVW:    {"kmovw", "v np 0f w0 90 x", "Rk Mk"},
	KMOVD:    {"kmovd", "v 66 0f w1 90 x", "Rk Mk"},
	KMOVQ:    {"kmovq", "v np 0f w1 90 x", "Rk Mk/s8"},
	KMOVBG:   {"kmovb", "v 66 0f w0 92 x", "Rk Md"},
	KMOVBS:   {"kmovb", "v 66 0f w0 93 x", "Rd Mk"},
	KMOVWG:   {"kmovw", "v np 0f w0 92 x", "Rk Md"},
	KMOVWS:   {"kmovw", "v np 0f w0 93 x", "Rd Mk"},
	KMOVDG:   {"kmovd", "v f2 0f w0 92 x", "Rk Md"},
	KMOVDS:   {"kmovd", "v f2 0f w0 93 x", "Rd Mk"},
	KMOVQG:   {"kmovq", "v f2 0f w1 92 x", "Rk Ml"},
	KMOVQS:   {"kmovq", "v f2 0f w1 93 x", "Rl Mk"},
	KANDB:    {"kandb", "v 66 0f w0 41 y", "Rk Vk Mk"},
	KANDW:    {"kandw", "v np 0f w0 41 y", "Rk Vk Mk"},
	KANDD:    {"kandd", "v 66 0f w1 41 y", "Rk Vk Mk"},
	KANDQ:    {"kandq", "v np 0f w1 41 y", "Rk Vk Mk"},
	KANDNB:   {"kandnb", "v 66 0f w0 42 y", "Rk Vk Mk"},
	KANDNW:   {"kandnw", "v np 0f w0 42 y", "Rk Vk Mk"},
	KANDND:   {"kandnd", "v 66 0f w1 42 y", "Rk Vk Mk"},
	KANDNQ:   {"kandnq", "v np 0f w1 42 y", "Rk Vk Mk"},
	KORB:     {"korb", "v 66 0f w0 45 y", "Rk Vk Mk"},
	KORW:     {"korw", "v np 0f w0 45 y", "Rk Vk Mk"},
	KORD:     {"kord", "v 66 0f w1 45 y", "Rk Vk Mk"},
	KORQ:     {"korq", "v np 0f w1 45 y", "Rk Vk Mk"},
	KXNORB:   {"kxnorb", "v 66 0f w0 46 y", "Rk Vk Mk"},
	KXNORW:   {"kxnorw", "v np 0f w0 46 y", "Rk Vk Mk"},
	KXNORD:   {"kxnord", "v 66 0f w1 46 y", "Rk Vk Mk"},
	KXNORQ:   {"kxnorq", "v np 0f w1 46 y", "Rk Vk Mk"},
	KXORB:    {"kxorb", "v 66 0f w0 47 y", "Rk Vk Mk"},
	KXORW:    {"kxorw", "v np 0f w0 47 y", "Rk Vk Mk"},
	KXORD:    {"kxord", "v 66 0f w1 47 y", "Rk Vk Mk"},
	KXORQ:    {"kxorq", "v np 0f w1 47 y", "Rk Vk Mk"},
	KNOTB:    {"knotb", "v 66 0f w0 44 x", "Rk Mk"},
	KNOTW:    {"knotw", "v np 0f w0 44 x", "Rk Mk"},
	KNOTD:    {"knotd", "v 66 0f w1 44 x", "Rk Mk"},
	KNOTQ:    {"knotq", "v np 0f w1 44 x", "Rk Mk"},
	KORTESTB: {"kortestb", "v 66 0f w0 98 x", "Rk Mk"},
	KORTESTW: {"kortestw", "v np 0f w0 98 x", "Rk Mk"},
	KORTESTD: {"kortestd", "v 66 0f w1 98 x", "Rk Mk"},
	KORTESTQ: {"kortestq", "v np 0f w1 98 x", "Rk Mk"},
	KSHIFTRB: {"kshiftrb", "v 66 0f3a w0 30 x", "Rk Mk I"},
	KSHIFTRW: {"kshiftrw", "v 66 0f3a w1 30 x", "Rk Mk I"},
	KSHIFTRD: {"kshiftrd", "v 66 0f3a w0 31 x", "Rk Mk I"},
	KSHIFTRQ: {"kshiftrq", "v 66 0f3a w1 31 x", "Rk Mk I"},
	// General registers: moves.
	MOV:    {"mov", "l np - - 8b 48", "Rg Mg/g"},
	MOVS:   {"mov", "l np - - 89 48", "M-/g Rg"},
	MOVSB:  {"mov", "l np - - 88 1", "M-/g Rb"},
	MOVSW:  {"mov", "l 66 - - 89 2", "M-/g Rg"},
	MOVI:   {"mov", "l np - - c7/0 8", "Mg/g J"},
	MOVMI:  {"mov", "l np - - c7/0 4", "M-/g J"},
	MOVI32: {"mov", "l np - - b8 4", "Og J"},
	MOVABS: {"movabs", "l np - - b8 8", "Og Q"},
	MOVZXB: {"movzx", "l np 0f - b6 4", "Rg Mb/s1"},
	MOVZXW: {"movzx", "l np 0f - b7 4", "Rg Mw/s2"},
	MOVSXB: {"movsx", "l np 0f - be 48", "Rg Mb/s1"},
	MOVSXW: {"movsx", "l np 0f - bf 48", "Rg Mw/s2"},
	MOVSXD: {"movsxd", "l np - - 63 8", "Rg Md/s4"},
	LEA:    {"lea", "l np - - 8d 48", "Rg M-/any"},
	CMOV:   {"cmov", "l np 0f - 40 48", "Rg Mg/g C"},
	SET:    {"set", "l np 0f - 90 1", "Mb C"},
	// General registers: arithmetic. A name that ends in I takes an immediate, in S stores, in C shifts by cl.
	ADD:    {"add", "l np - - 03 48", "Rg Mg/g"},
	ADDS:   {"add", "l np - - 01 48", "M-/g Rg"},
	ADDI8:  {"add", "l np - - 83/0 48", "Mg/g I"},
	ADDI:   {"add", "l np - - 81/0 48", "Mg/g J"},
	OR:     {"or", "l np - - 0b 48", "Rg Mg/g"},
	ORS:    {"or", "l np - - 09 48", "M-/g Rg"},
	ORI8:   {"or", "l np - - 83/1 48", "Mg/g I"},
	ORI:    {"or", "l np - - 81/1 48", "Mg/g J"},
	AND:    {"and", "l np - - 23 48", "Rg Mg/g"},
	ANDS:   {"and", "l np - - 21 48", "M-/g Rg"},
	ANDI8:  {"and", "l np - - 83/4 48", "Mg/g I"},
	ANDI:   {"and", "l np - - 81/4 48", "Mg/g J"},
	SUB:    {"sub", "l np - - 2b 48", "Rg Mg/g"},
	SUBS:   {"sub", "l np - - 29 48", "M-/g Rg"},
	SUBI8:  {"sub", "l np - - 83/5 48", "Mg/g I"},
	SUBI:   {"sub", "l np - - 81/5 48", "Mg/g J"},
	XOR:    {"xor", "l np - - 33 48", "Rg Mg/g"},
	XORS:   {"xor", "l np - - 31 48", "M-/g Rg"},
	XORI8:  {"xor", "l np - - 83/6 48", "Mg/g I"},
	XORI:   {"xor", "l np - - 81/6 48", "Mg/g J"},
	CMP:    {"cmp", "l np - - 3b 48", "Rg Mg/g"},
	CMPI8:  {"cmp", "l np - - 83/7 48", "Mg/g I"},
	CMPI:   {"cmp", "l np - - 81/7 48", "Mg/g J"},
	TEST:   {"test", "l np - - 85 48", "Mg Rg"},
	IMUL:   {"imul", "l np 0f - af 48", "Rg Mg/g"},
	IMULI8: {"imul", "l np - - 6b 48", "Rg Mg/g I"},
	IMULI:  {"imul", "l np - - 69 48", "Rg Mg/g J"},
	NOT:    {"not", "l np - - f7/2 48", "Mg"},
	NEG:    {"neg", "l np - - f7/3 48", "Mg"},
	MUL:    {"mul", "l np - - f7/4 48", "Mg"},
	DIV:    {"div", "l np - - f7/6 48", "Mg/g"},
	IDIV:   {"idiv", "l np - - f7/7 48", "Mg/g"},
	SHLI:   {"shl", "l np - - c1/4 48", "Mg I"},
	SHLC:   {"shl", "l np - - d3/4 48", "Mg Lc"},
	SHRI:   {"shr", "l np - - c1/5 48", "Mg I"},
	SHRC:   {"shr", "l np - - d3/5 48", "Mg Lc"},
	SARI:   {"sar", "l np - - c1/7 48", "Mg I"},
	SARC:   {"sar", "l np - - d3/7 48", "Mg Lc"},
	CDQ:    {"cdq", "l np - - 99 4", ""},
	CQO:    {"cqo", "l np - - 99 8", ""},
	POPCNT: {"popcnt", "l f3 0f - b8 48", "Rg Mg/g"},
	TZCNT:  {"tzcnt", "l f3 0f - bc 48", "Rg Mg/g"},
	LZCNT:  {"lzcnt", "l f3 0f - bd 48", "Rg Mg/g"},
	SHLXD:  {"shlx", "v 66 0f38 w0 f7 x", "Rd Md/s4 Vd"},
	SHLXQ:  {"shlx", "v 66 0f38 w1 f7 x", "Rl Ml/s8 Vl"},
	SHRXD:  {"shrx", "v f2 0f38 w0 f7 x", "Rd Md/s4 Vd"},
	SHRXQ:  {"shrx", "v f2 0f38 w1 f7 x", "Rl Ml/s8 Vl"},
	SARXD:  {"sarx", "v f3 0f38 w0 f7 x", "Rd Md/s4 Vd"},
	SARXQ:  {"sarx", "v f3 0f38 w1 f7 x", "Rl Ml/s8 Vl"},
	// Tiles of AMX.
	LDTILECFG:   {"ldtilecfg", "v np 0f38 w0 49/0 x", "M-/s64"},
	TILERELEASE: {"tilerelease", "v np 0f38 w0 49/0 x", ""},
	TILEZERO:    {"tilezero", "v f2 0f38 w0 49 x", "Rt"},
	TILELOADD:   {"tileloadd", "v f2 0f38 w0 4b x", "Rt M-/rows"},
	TILESTORED:  {"tilestored", "v f3 0f38 w0 4b x", "M-/rows Rt"},
	TDPBSSD:     {"tdpbssd", "v f2 0f38 w0 5e x", "Rt Mt Vt"},
	TDPBSUD:     {"tdpbsud", "v f3 0f38 w0 5e x", "Rt Mt Vt"},
	TDPBUSD:     {"tdpbusd", "v 66 0f38 w0 5e x", "Rt Mt Vt"},
	TDPBUUD:     {"tdpbuud", "v np 0f38 w0 5e x", "Rt Mt Vt"},
	// Control, caches, ends.
	JCC:        {"j", "l np 0f - 80 0", "C T"},
	JMP:        {"jmp", "l np - - e9 0", "T"},
	RET:        {"ret", "l np - - c3 0", ""},
	INT3:       {"int3", "l np - - cc 0", ""},
	PREFETCHT0: {"prefetcht0", "l np 0f - 18/1 0", "M-/s1"},
	PREFETCHT1: {"prefetcht1", "l np 0f - 18/2 0", "M-/s1"},
	PREFETCHT2: {"prefetcht2", "l np 0f - 18/3 0", "M-/s1"},
	VZEROUPPER: {"vzeroupper", "v np 0f w0 77 x", ""},
	NOP:        {"nop", "l np - - 90 0", ""},
	NOPL:       {"nop", "l np 0f - 1f/0 4", "M-/g"},
}
