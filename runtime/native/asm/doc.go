// Package asm encodes, decodes, prints and verifies the x86-64 instructions that kernels are made of: AVX2, FMA and
// AVX-512 vectors, masks, and a few scalar ones. It needs no assembler and no compiler on the machine.
//
// One table (table.go) describes each instruction as Intel's manual does; the encoder, the decoder and the text follow it, so that they
// cannot differ from each other. [Code] collects instructions, labels and constants. [Verify] reads finished bytes as an
// enemy's: it accepts only instructions of the table in the one encoding that the encoder gives them, memory operands of allowed shapes,
// and jumps to the starts of instructions.
//
// Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (encodings); tests compare with GNU as.
//
// Code generators import it, and package native, which verifies what it loads; it imports nothing of this module.
package asm
