package dumps

import (
	"bytes"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
)

// maxBody is the number of bytes of one dump.
const maxBody = 64 << 20

// bodies collects the lines below a banner, for the readers of formats in which a dump ends where the next one begins.
type bodies struct {
	t    *timeline
	now  *dump
	body []byte
	// cut makes texts of the body of a dump.
	cut func(d *dump, body []byte)
	// give takes a dump; by default the timeline does.
	give func(d *dump) error
}

// banner ends the dump before it and begins another.
func (b *bodies) banner(d *dump, number int) error {
	if err := b.end(); err != nil {
		return err
	}
	d.line = number
	b.now = d
	return nil
}

// add adds a line to the body.
func (b *bodies) add(line []byte, number int) error {
	if b.now == nil {
		b.t.notes.before++
		return nil
	}
	if len(b.body)+len(line) > maxBody {
		return tooLong(number)
	}
	b.body = append(append(b.body, line...), '\n')
	return nil
}

func tooLong(number int) error {
	return &event.Error{Kind: event.KindLimit, Limit: "dump", Message: fmt.Sprintf("line %d: the IR at one pass takes more than %d MiB, the limit here", number, maxBody>>20)}
}

// end hands over the dump whose body has been read.
func (b *bodies) end() error {
	d := b.now
	if d == nil {
		return nil
	}
	b.now = nil
	b.cut(d, b.body)
	if d.effect == shown && d.broken == "" && len(d.texts) == 0 {
		d.effect, d.reason = hidden, "The dump prints nothing for this pass."
	}
	give := b.give
	if give == nil {
		give = b.t.add
	}
	err := give(d)
	b.body = b.body[:0]
	return err
}

// adding adds texts to a dump, each name once.
func (d *dump) adding() func(x text) {
	seen := map[string]bool{}
	return func(x text) {
		if seen[x.name] {
			d.broken = fmt.Sprintf("this dump shows %s twice, as if two compilers wrote it", x.name)
		}
		seen[x.name] = true
		d.texts = append(d.texts, x)
	}
}

// dedent takes n blanks off the beginning of each line.
func dedent(body []byte, n int) []byte {
	out := make([]byte, 0, len(body))
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		for i := 0; i < n && len(line) > 0 && line[0] == ' '; i++ {
			line = line[1:]
		}
		out = append(append(out, line...), '\n')
		at = next
	}
	return out
}

// indent counts the blanks at the beginning of a line.
func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
