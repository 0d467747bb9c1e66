package store

import "fmt"

// What one session and one visitor may have.
const (
	// MaxSessions is the number of sessions of one edit token.
	MaxSessions = 1000
	// MaxRuns is the number of runs that a session lists; the oldest are forgotten.
	MaxRuns = 200
	// MaxNotes is the number of notes of a session.
	MaxNotes = 500
	// MaxNote and MaxTitle are bytes of a text, MaxField of any other field of a note, and of the name of a lesson.
	MaxNote  = 16 << 10
	MaxTitle = 400
	MaxField = 1 << 10
)

// CheckTitle returns ErrQuota for a title that is too long.
func CheckTitle(title string) error {
	if len(title) > MaxTitle {
		return fmt.Errorf("the title has %d bytes; the limit is %d: %w", len(title), MaxTitle, ErrQuota)
	}
	return nil
}

// Check returns what is wrong with the form of a note.
func (n Note) Check() error {
	for name, field := range map[string]string{"id": n.ID, "run": n.Run, "step": n.Step, "function": n.Function} {
		if len(field) > MaxField {
			return fmt.Errorf("the %s of a note has %d bytes; the limit is %d: %w", name, len(field), MaxField, ErrQuota)
		}
	}
	switch {
	case n.ID == "":
		return fmt.Errorf("a note needs an id")
	case n.Line < 0:
		return fmt.Errorf("a note stands at line %d, want 1 or more, or 0 for the whole text", n.Line)
	case len(n.Text) > MaxNote:
		return fmt.Errorf("a note has %d bytes; the limit is %d: %w", len(n.Text), MaxNote, ErrQuota)
	}
	return nil
}

// Check returns what is wrong with the form of a session that is to be stored.
func (s Session) Check() error {
	if s.ID == "" {
		return fmt.Errorf("a session needs an id")
	}
	if err := CheckTitle(s.Title); err != nil {
		return err
	}
	if len(s.Lesson) > MaxField {
		return fmt.Errorf("the name of the lesson has %d bytes; the limit is %d: %w", len(s.Lesson), MaxField, ErrQuota)
	}
	if len(s.Notes) > MaxNotes {
		return TooManyNotes()
	}
	for _, n := range s.Notes {
		if err := n.Check(); err != nil {
			return err
		}
	}
	return nil
}

// TooManyNotes is the error of a session with MaxNotes notes that gets another.
func TooManyNotes() error {
	return fmt.Errorf("a session is limited to %d notes: %w", MaxNotes, ErrQuota)
}

// TooManySessions is the error of a token with MaxSessions sessions that makes another.
func TooManySessions() error {
	return fmt.Errorf("you have %d sessions, which is the limit; delete some: %w", MaxSessions, ErrQuota)
}
