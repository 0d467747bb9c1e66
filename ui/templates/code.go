package templates

import (
	"context"
	"fmt"
	"io"

	"github.com/a-h/templ"
)

// codeRows renders lines of code in a pre element. It is written by hand because every blank counts there and templ's formatter
// moves blanks between elements.
func codeRows(rows []CodeRow) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, `<pre class="plain-code">`); err != nil {
			return fmt.Errorf("write code: %w", err)
		}
		for _, row := range rows {
			if err := writeRow(w, row); err != nil {
				return fmt.Errorf("write line %d of code: %w", row.Number, err)
			}
		}
		_, err := io.WriteString(w, "</pre>")
		return err
	})
}

// writeRow writes one line: its number, then its spans, all escaped.
func writeRow(w io.Writer, row CodeRow) error {
	if _, err := fmt.Fprintf(w, `<span class="plain-row %s"><span class="ln num">%d</span>`, rowClass(row.Mark), row.Number); err != nil {
		return err
	}
	for _, s := range row.Spans {
		var err error
		if s.Class == "" {
			_, err = io.WriteString(w, templ.EscapeString(s.Text))
		} else {
			_, err = fmt.Fprintf(w, `<span class="%s">%s</span>`, templ.EscapeString(s.Class), templ.EscapeString(s.Text))
		}
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n</span>")
	return err
}
