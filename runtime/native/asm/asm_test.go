package asm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// random returns a valid instruction of a form.
func random(r *rand.Rand, f *form) Inst {
	for {
		i := Inst{Op: f.op}
		if f.sized() {
			ws := []Width{}
			for _, w := range []Width{1, 2, 4, 8, X, Y, Z} {
				if f.has(w) {
					ws = append(ws, w)
				}
			}
			i.W = ws[r.IntN(len(ws))]
		}
		high := f.evex && r.IntN(2) == 0
		reg := func(c class) uint8 {
			switch {
			case c == 'k', c == 't':
				return uint8(r.IntN(8))
			case c.isVec() && high:
				return uint8(r.IntN(32))
			}
			return uint8(r.IntN(16))
		}
		for _, o := range f.operands {
			switch o.field {
			case 'R', 'O':
				i.Reg = reg(o.class)
			case 'V':
				i.V = reg(o.class)
			case 'M':
				if f.memOnly || f.mem != noMemory && r.IntN(2) == 0 {
					i.InMem, i.Mem = true, randomMem(r)
				} else {
					i.RM = reg(o.class)
				}
			case 'S':
				i.Imm = int64(r.IntN(16))
			case 'I':
				i.Imm = int64(r.IntN(256) - 128)
			case 'J':
				i.Imm = int64(int32(r.Uint32()))
			case 'T':
				i.Imm = int64(int32(r.Uint32()))
			case 'Q':
				i.Imm = int64(r.Uint64())
			case 'C':
				i.Cond = Cond(r.IntN(16))
			}
		}
		if f.evex && r.IntN(3) == 0 {
			i.Mask = Mask(r.IntN(8))
			i.Zeroing = i.Mask != 0 && r.IntN(2) == 0
			i.Spread = i.InMem && r.IntN(2) == 0
		}
		if b, err := Encode(nil, &i); err == nil && len(b) > 0 {
			return i
		}
	}
}

func randomMem(r *rand.Rand) Mem {
	m := Mem{Base: Reg(r.IntN(16))}
	switch r.IntN(6) {
	case 0:
		return Mem{RIP: true, Disp: int32(r.Uint32())}
	case 1:
		m.Disp = int32(r.IntN(64)-32) * 64
	case 2:
		m.Disp = int32(r.Uint32())
	case 3:
		m.Disp = int32(r.IntN(256)-128) * 4
	case 4:
		m.Disp = int32(r.IntN(300) - 150)
	}
	if r.IntN(2) == 0 {
		for m.Index = Reg(r.IntN(16)); m.Index == RSP; m.Index = Reg(r.IntN(16)) {
		}
		m.Scale = 1 << r.IntN(4)
	}
	return m
}

// TestDecodeReadsWhatEncodeWrites covers each row of the table.
func TestDecodeReadsWhatEncodeWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := forms()
	n := seed.Times(400, 1_000_000/len(all)+1)
	for op := Op(1); op < lastOp; op++ {
		for range n {
			i := random(r, &all[op])
			b, err := Encode(nil, &i)
			if err != nil {
				t.Fatal(err)
			}
			got, size, err := Decode(append(bytes.Clone(b), 0x90, 0x90))
			if err != nil || got != i || size != len(b) {
				t.Fatalf("%v (% x): decoded as %v, %d bytes, %v\n%+v\n%+v", i, b, got, size, err, i, got)
			}
			for short := range b {
				if _, _, err := Decode(b[:short]); err == nil {
					// What is cut off may be an instruction of its own only if it is no prefix of this one.
					t.Fatalf("%v: its first %d bytes % x are taken for an instruction", i, short, b[:short])
				}
			}
		}
	}
}

// TestDecodeIsStrict changes bits of valid code: what is still accepted encodes to the same bytes.
func TestDecodeIsStrict(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := forms()
	accepted := 0
	for range seed.Times(200_000, 1_000_000) {
		f := &all[1+r.IntN(int(lastOp)-1)]
		i := random(r, f)
		b, _ := Encode(nil, &i)
		b = append(b, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		got, n, err := Decode(b)
		if err != nil {
			continue
		}
		accepted++
		if again, err := Encode(nil, &got); err != nil || !bytes.Equal(again, b[:n]) {
			t.Fatalf("% x is decoded as %v, which is % x", b[:n], got, again)
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d changed instructions were accepted", accepted)
	}
}

// gas assembles lines of Intel's syntax and returns the code.
func gas(t *testing.T, lines []string) []byte {
	t.Helper()
	if _, err := exec.LookPath("as"); err != nil {
		t.Skip("no GNU as here")
	}
	dir := t.TempDir()
	src, obj, bin := filepath.Join(dir, "x.s"), filepath.Join(dir, "x.o"), filepath.Join(dir, "x.bin")
	text := ".intel_syntax noprefix\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("as", "-mrelax-relocations=no", "-o", obj, src).CombinedOutput(); err != nil {
		t.Fatalf("as: %v: %.3000s", err, out)
	}
	if out, err := exec.Command("objcopy", "-O", "binary", "-j", ".text", obj, bin).CombinedOutput(); err != nil {
		t.Fatalf("objcopy: %v: %s", err, out)
	}
	b, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asWanted is the text that makes GNU as choose the encoding that Encode chooses.
func asWanted(i Inst, b []byte) string {
	s := i.String()
	switch {
	case b[0] == 0x62:
		s = "{evex} " + s
	case b[0] == 0xc4:
		s = "{vex3} " + s
	case b[0] == 0xc5:
		s = "{vex2} " + s
	}
	f := &forms()[i.Op]
	if !i.InMem && f.hasReg && f.hasM { // one of the two encodings of a move between registers
		s = "{load} " + s
		if len(f.operands) > 0 && f.operands[0].field == 'M' {
			s = strings.Replace(s, "{load}", "{store}", 1)
		}
	}
	if i.Op == JCC || i.Op == JMP {
		s = strings.Replace(s, fmt.Sprintf("%+d", i.Imm), fmt.Sprintf(".%+d", i.Imm+int64(len(b))), 1)
		s = "{disp32} " + s
	}
	return s
}

// TestEncodingsOfGNUAs compares random instructions of each row with what GNU as makes of their text.
func TestEncodingsOfGNUAs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := forms()
	var lines []string
	var want [][]byte
	for op := Op(1); op < lastOp; op++ {
		for range 60 {
			i := random(r, &all[op])
			switch {
			// Shorter forms for register 0, and for immediates without sign, which Encode leaves alone.
			case i.Op == MOVI32 || i.Op == NOPL || i.Op == NOP:
				continue
			case i.Reg == 0 && i.RM == 0 && all[op].imm == 4 && !i.InMem, i.Op == JCC || i.Op == JMP:
				continue
			case i.Imm == 1 && slices.Contains([]string{"shl", "shr", "sar"}, all[op].name): // one form more
				continue
			}
			b, _ := Encode(nil, &i)
			lines = append(lines, asWanted(i, b))
			want = append(want, b)
		}
	}
	got := gas(t, lines)
	at := 0
	wrong := 0
	for k, w := range want {
		if at+len(w) > len(got) || !bytes.Equal(got[at:at+len(w)], w) {
			t.Errorf("%s: ours % x, GNU as % x", lines[k], w, got[at:min(at+len(w)+2, len(got))])
			if wrong++; wrong > 20 {
				t.FailNow()
			}
			// Find where the next one begins.
			alone := gas(t, lines[k:k+1])
			at += len(alone)
			continue
		}
		at += len(w)
	}
	if at != len(got) {
		t.Errorf("%d bytes, GNU as makes %d", at, len(got))
	}
	t.Logf("%d instructions, %d bytes", len(want), len(got))
}

func BenchmarkEncode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	all := forms()
	list := make([]Inst, 1000)
	for k := range list {
		list[k] = random(r, &all[1+r.IntN(int(lastOp)-1)])
	}
	b.ReportAllocs()
	buf := make([]byte, 0, 1<<14)
	n := 0
	for b.Loop() {
		buf = buf[:0]
		for k := range list {
			buf, _ = Encode(buf, &list[k])
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instruction")
}
