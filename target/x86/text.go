package x86

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/runtime/native/asm"
)

// mark says what the instructions from an offset on are for.
type mark struct {
	at   int
	text string
}

// listing prints the code of a kernel.
type listing struct {
	blob     *asm.Blob
	from, to int
	marks    []mark // of all kernels, in order
}

// text decodes the bytes, so that it shows what is there, and names the targets of jumps.
func (l *listing) text() string {
	type line struct {
		at   int
		inst asm.Inst
		end  int
	}
	var lines []line
	targets := map[int]string{}
	for at := l.from; at < l.to; {
		i, n, err := asm.Decode(l.blob.Bytes[at:l.blob.Text])
		if err != nil {
			return fmt.Sprintf("; %#x: %v\n", at-l.from, err)
		}
		lines = append(lines, line{at, i, at + n})
		at += n
		if i.Op == asm.JMP || i.Op == asm.JCC {
			targets[at+int(i.Imm)] = ""
		}
	}
	entries := map[int]bool{}
	for _, e := range l.blob.Entries {
		entries[e] = true
	}
	n := 0
	for _, x := range lines {
		if _, ok := targets[x.at]; ok {
			n++
			targets[x.at] = fmt.Sprintf("L%d", n)
		}
	}
	marks := l.marks
	var s strings.Builder
	for _, x := range lines {
		for len(marks) > 0 && marks[0].at <= x.at {
			if marks[0].at >= l.from && !strings.HasPrefix(marks[0].text, "[") {
				fmt.Fprintf(&s, "; %s\n", marks[0].text)
				marks = marks[1:]
				continue
			}
			if marks[0].at == x.at {
				break
			}
			marks = marks[1:]
		}
		if name := targets[x.at]; name != "" {
			s.WriteString(name + ":\n")
		}
		if entries[x.at] {
			s.WriteString("; entry\n")
		}
		if x.inst.Op == asm.NOP || x.inst.Op == asm.NOPL {
			continue
		}
		text := x.inst.String()
		switch {
		case x.inst.Op == asm.JMP || x.inst.Op == asm.JCC:
			text = x.inst.Text(targets[x.end+int(x.inst.Imm)])
		case x.inst.InMem && x.inst.Mem.RIP:
			text = x.inst.Text(fmt.Sprintf("const_%d", x.end+int(x.inst.Mem.Disp)-l.blob.Text))
		}
		s.WriteString("\t" + text)
		if len(marks) > 0 && marks[0].at == x.at {
			s.WriteString(" ; " + strings.Trim(marks[0].text, "[]"))
		}
		s.WriteByte('\n')
	}
	return s.String()
}
