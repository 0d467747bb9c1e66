package export

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/store"
)

// Bounds on what a report shows of a run; it says what it leaves out.
const (
	// maxDiffRows is the number of rows of the diff of one function.
	maxDiffRows = 200
	// maxDiffText is the size of a text that is compared at all.
	maxDiffText = 4 << 20
	// maxShownLine is the number of bytes of a line that is shown.
	maxShownLine = 400
)

// differ renders differences until its room is used up.
type differ struct {
	bundle *Bundle
	left   int // bytes
}

// function renders the difference of a function row by row, hunk by hunk, and returns why
// rows are missing, or "". It stops where write says that there is no more room.
func (d *differ) function(ctx context.Context, f event.FunctionChange, hunk func(before, after int), row func(highlight.Row) int) (string, error) {
	if d.left <= 0 {
		return "not shown: the report is at its size limit; the archive has it", nil
	}
	before, err := d.bundle.text(ctx, f.Before)
	if err == nil {
		var after store.Blob
		if after, err = d.bundle.text(ctx, f.After); err == nil {
			return d.texts(before, after, hunk, row), nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return "not shown: the text has expired", nil
	}
	return "", err
}

func (d *differ) texts(before, after store.Blob, hunk func(before, after int), row func(highlight.Row) int) string {
	if len(before.Data) > maxDiffText || len(after.Data) > maxDiffText {
		return fmt.Sprintf("not shown: the text exceeds %d MiB; the archive has it", maxDiffText>>20)
	}
	l := highlight.NewDiff(highlight.NewDocument(before.Language, string(before.Data)), highlight.NewDocument(after.Language, string(after.Data))).Layout(highlight.Unified, 3)
	all, shown := 0, 0
	for _, h := range l.Hunks {
		all += h.Rows
	}
	for _, h := range l.Hunks {
		if h.Rows = min(h.Rows, maxDiffRows-shown); h.Rows <= 0 || d.left <= 0 {
			break
		}
		hunk(h.Before, h.After)
		l.Each(h, func(r highlight.Row) {
			if d.left > 0 {
				d.left -= row(r)
				shown++
			}
		})
	}
	if shown < all {
		return fmt.Sprintf("%d of %d lines are shown; the archive has all", shown, all)
	}
	return ""
}

// shorten cuts a row at maxShownLine bytes, between characters.
func shorten(spans []highlight.Span) (out []highlight.Span, cut bool) {
	room := maxShownLine
	for _, s := range spans {
		if len(s.Text) > room {
			s.Text = strings.ToValidUTF8(s.Text[:room], "")
			return append(out, s), true
		}
		room -= len(s.Text)
		out = append(out, s)
	}
	return out, false
}
