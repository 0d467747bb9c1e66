package session_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

func TestOnlyTheTokenMayEdit(t *testing.T) {
	st := store.NewMemory(1 << 20)
	token := session.NewToken()
	s, err := session.FromGallery(t.Context(), st, "mlp", "MLP", token)
	if err != nil {
		t.Fatal(err)
	}
	got, err := st.Session(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !session.MayEdit(got, token) {
		t.Error("the token does not allow changes")
	}
	for _, wrong := range []string{"", "x", token + "x", token[1:], session.NewToken(), s.ID} {
		if session.MayEdit(got, wrong) {
			t.Errorf("token %q allows changes", wrong)
		}
	}
	if !session.IsToken(token) || session.IsToken("") || session.IsToken(token+"A") || session.IsToken(s.ID) {
		t.Error("IsToken does not tell tokens from other strings")
	}
	other, err := session.FromGallery(t.Context(), st, "mlp", "MLP", token)
	if err != nil || other.ID == s.ID || len(s.ID) != 22 {
		t.Errorf("ids are %q and %q, error %v; want two of 22 characters", s.ID, other.ID, err)
	}
}

func TestUploadIsKept(t *testing.T) {
	st := store.NewMemory(1 << 20)
	s, err := session.FromUpload(t.Context(), st, `C:\models\net.onnx`, []byte("weights"), "t")
	if err != nil {
		t.Fatal(err)
	}
	b, err := st.Blob(t.Context(), s.Source.Blob)
	if err != nil || string(b.Data) != "weights" || s.Title != "net.onnx" {
		t.Errorf("blob %q, title %q, error %v", b.Data, s.Title, err)
	}
	if _, err := session.FromUpload(t.Context(), st, "big.onnx", make([]byte, 2<<20), "t"); err == nil {
		t.Error("a model larger than the store was kept")
	}
	if _, err := session.FromScript(t.Context(), st, "big.py", strings.Repeat("x", 2<<20), "", "t"); err == nil {
		t.Error("a text larger than the store was kept")
	}
	// Of what could not be kept there is no session either.
	if list, err := session.List(t.Context(), st, "t"); err != nil || len(list) != 1 || list[0].ID != s.ID {
		t.Errorf("there are the sessions %+v (%v), want that of net.onnx alone", list, err)
	}
}

func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{
		"net.onnx": "net.onnx", "": "model.onnx", "../../etc/passwd": "passwd", "a/": "model.onnx",
		"x\x00y\u202e.onnx\n": "xy.onnx", strings.Repeat("é", 200): strings.Repeat("é", 60), "\xff": "model.onnx",
	} {
		if got := session.FileName(in); got != want {
			t.Errorf("FileName(%q) = %q, want %q", in, got, want)
		}
	}
}
