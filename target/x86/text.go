package x86

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/target/codegen"
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
	origins  *codegen.Origins
}

func (l *listing) text() string {
	text, _ := l.print()
	return text
}

// print decodes the bytes, so that it shows what is there, and names the targets of jumps. It tells the statement of each line.
func (l *listing) print() (string, []tir.Stmt) {
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
			return fmt.Sprintf("; %#x: %v\n", at-l.from, err), []tir.Stmt{nil}
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
	var out []tir.Stmt
	put := func(line string, of tir.Stmt) {
		s.WriteString(line + "\n")
		out = append(out, of)
	}
	for _, x := range lines {
		for len(marks) > 0 && marks[0].at <= x.at {
			if marks[0].at >= l.from && !strings.HasPrefix(marks[0].text, "[") {
				put("; "+marks[0].text, nil)
				marks = marks[1:]
				continue
			}
			if marks[0].at == x.at {
				break
			}
			marks = marks[1:]
		}
		if name := targets[x.at]; name != "" {
			put(name+":", nil)
		}
		if entries[x.at] {
			put("; entry", nil)
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
		if len(marks) > 0 && marks[0].at == x.at {
			text += " ; " + strings.Trim(marks[0].text, "[]")
		}
		put("\t"+text, l.origins.Of(x.at))
	}
	return s.String(), out
}
