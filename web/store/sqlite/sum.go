package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/irscope/irscope/web/store"
)

// damagedText stands in the place of a title or a note that is not as it was written.
const damagedText = "(damaged in the store)"

// sumBytes is the length of a checksum: enough that no accident goes unnoticed.
const sumBytes = 16

// sessionSum returns the checksum of the row of a session. That of a session without a lesson is as it was before there were any.
func sessionSum(s store.Session) []byte {
	format, values := "%q %x %q %q %q %q %q %q %d %d %t", []any{
		s.ID, s.TokenHash, s.Title, s.Source.Kind, s.Source.Name, s.Source.Blob, s.Settings, s.Parent, nanos(s.Created), nanos(s.Expires), s.Shared,
	}
	if s.Lesson != "" {
		format, values = format+" %q", append(values, s.Lesson)
	}
	return sum(format, values...)
}

// noteSum returns the checksum of the row of a note.
func noteSum(n store.Note) []byte {
	return sum("%q %q %q %q %d %q %d", n.ID, n.Run, n.Step, n.Function, n.Line, n.Text, nanos(n.Created))
}

func sum(format string, values ...any) []byte {
	h := sha256.New()
	fmt.Fprintf(h, format, values...)
	return h.Sum(nil)[:sumBytes]
}

// sessionRow reads a session's row by its number.
func (t *tx) sessionRow(n int64) (s store.Session, good bool, err error) {
	stmt, err := t.stmt(sessionColumns + "WHERE n = ?")
	if err != nil {
		return s, false, err
	}
	_, s, good, err = scanSession(stmt.QueryRowContext(context.Background(), n).Scan)
	return s, good, err
}

// seal writes the checksum of a session whose row has changed.
func (t *tx) seal(n int64) error {
	s, _, err := t.sessionRow(n)
	if err != nil {
		return err
	}
	return t.exec("UPDATE session SET sum = ? WHERE n = ?", sessionSum(s), n)
}

// update changes columns of a session's row, and its checksum; the row is ?1. One that is damaged stays so.
func (t *tx) update(n int64, set string, args ...any) error {
	if _, good, err := t.sessionRow(n); err != nil || !good {
		return cmp.Or(err, store.ErrDamaged)
	}
	if err := t.exec("UPDATE session SET "+set+" WHERE n = ?1", append([]any{n}, args...)...); err != nil {
		return err
	}
	return t.seal(n)
}
