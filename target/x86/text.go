package x86

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/native/asm"
)

// mark says what the instructions from an offset on are for.
type mark struct {
	at   int
	text string
}

// stand is the statement that the instructions from an offset on are for.
type stand struct {
	at   int
	stmt tir.Stmt
}

// stand notes what the instructions from an offset on are for.
func (m *module) stand(at int, s tir.Stmt) {
	if n := len(m.stands); n == 0 || m.stands[n-1].stmt != s {
		m.stands = append(m.stands, stand{at, s})
	}
}

// listing prints the code of a kernel.
type listing struct {
	blob     *asm.Blob
	from, to int
	marks    []mark  // of all kernels, in order
	stands   []stand // likewise
}

func (l *listing) text() string {
	text, _ := l.print()
	return text
}

func (l *listing) lines() []tir.Stmt {
	_, lines := l.print()
	return lines
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
	marks, stands := l.marks, l.stands
	var s strings.Builder
	var out []tir.Stmt
	put := func(line string, of tir.Stmt) {
		s.WriteString(line + "\n")
		out = append(out, of)
	}
	for _, x := range lines {
		for len(stands) > 1 && stands[1].at <= x.at {
			stands = stands[1:]
		}
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
		put("\t"+text, stands[0].stmt)
	}
	return s.String(), out
}
