package session_test

import (
	"testing"
	"time"

	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

func TestSharedSessionsAreImmutable(t *testing.T) {
	st, token := store.NewMemory(1<<20), session.NewToken()
	s, err := session.FromGallery(t.Context(), st, "mlp", "MLP", token)
	if err != nil {
		t.Fatal(err)
	}
	if !session.MayEdit(s, token) {
		t.Error("who made a session may not edit it")
	}
	if err := st.ShareSession(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if s, err = st.Session(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if session.MayEdit(s, token) || !session.Owns(s, token) || session.Owns(s, session.NewToken()) {
		t.Error("a shared session may be edited, or is not its maker's")
	}
}

func TestSessionsInUseDoNotExpire(t *testing.T) {
	st := store.NewMemory(1 << 20)
	s, err := session.FromGallery(t.Context(), st, "mlp", "MLP", session.NewToken())
	if err != nil {
		t.Fatal(err)
	}
	expires := func() time.Time {
		got, err := st.Session(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.Expires
	}
	first := expires()
	if left := time.Until(first); left < session.Lifetime-time.Hour || left > session.Lifetime {
		t.Errorf("a new session expires in %v", left)
	}
	for in, moves := range map[time.Duration]bool{session.Lifetime: false, session.Lifetime / 2: true} {
		s.Expires = time.Now().UTC().Add(in)
		if err := st.SetExpiry(t.Context(), s.ID, s.Expires); err != nil {
			t.Fatal(err)
		}
		if err := session.Touch(t.Context(), st, s); err != nil {
			t.Fatal(err)
		}
		if moved := !expires().Equal(s.Expires); moved != moves {
			t.Errorf("with %v left its expiry moves: %t, want %t", in, moved, moves)
		}
	}
	s.Expires = time.Time{}
	if err := st.SetExpiry(t.Context(), s.ID, s.Expires); err != nil {
		t.Fatal(err)
	}
	if err := session.Touch(t.Context(), st, s); err != nil || !expires().IsZero() {
		t.Errorf("a session that never expires does after it was used: %v (%v)", expires(), err)
	}
}
