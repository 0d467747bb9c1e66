package dumps

import (
	"fmt"

	"github.com/irscope/irscope/instruments/event"
)

// maxNotes is the number of messages about one dump; the others are counted.
const maxNotes = 40

// notes are messages about what could not be read.
type notes struct {
	sink func(step, parent string, body event.Body) error
	many int
	more int
	// before counts the lines before the first dump, other those in between that belong to none.
	before, other int
	// left counts passes that the dump lists and that are no passes of their own.
	left int
	long int
	// files counts those that are none of the format.
	files int
}

// warn reports what could not be read at a line, 0 for files, which have none.
func (n *notes) warn(line int, what string) error {
	if n.many++; n.many > maxNotes {
		n.more++
		return nil
	}
	if line > 0 {
		what = fmt.Sprintf("line %d: %s", line, what)
	}
	return n.say(event.SeverityWarning, what)
}

func (n *notes) say(s event.Severity, what string) error {
	return n.sink("", "", &event.Diagnostic{Severity: s, Message: what, Code: "dump"})
}

// end reports what was counted.
func (n *notes) end(replaced int) error {
	list := []struct {
		count int
		form  string
		s     event.Severity
	}{
		{n.more, "%d more places could not be read", event.SeverityWarning},
		{n.before, "%d lines before the first pass are not part of the dump", event.SeverityNote},
		{n.other, "%d lines between passes belong to no function and are left out", event.SeverityNote},
		{n.left, "%d steps only hold other passes and are left out", event.SeverityNote},
		{n.files, "%d files with other names are left out", event.SeverityNote},
		{n.long, fmt.Sprintf("%%d lines have more than %d KiB and are cut", MaxLine>>10), event.SeverityWarning},
		{replaced, "%d bytes or characters that cannot be shown are written as their number, such as <U+202E>", event.SeverityNote},
	}
	for _, x := range list {
		if x.count == 0 {
			continue
		}
		if err := n.say(x.s, fmt.Sprintf(x.form, x.count)); err != nil {
			return err
		}
	}
	return nil
}
