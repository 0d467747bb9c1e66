package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"sync"
	"unsafe"
)

// Encoded is an event as JSON: one line without a newline. HTML characters are not
// escaped; whoever puts the text into a page escapes it.
type Encoded struct {
	Line []byte
	// bodyEnd is where the body ends in Line; the deterministic part ends there.
	bodyEnd int
}

// Encode encodes an event.
func Encode(e Event) (Encoded, error) {
	buf := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= maxKept {
			buffers.Put(buf)
		}
	}()
	buf.Reset()
	var err error
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	field := func(name string, v any) {
		if err != nil {
			return
		}
		buf.WriteString(name)
		if err = enc.Encode(v); err == nil {
			buf.Truncate(buf.Len() - 1) // the newline that Encode writes
		}
	}
	field(`{"seq":`, e.Seq)
	field(`,"type":`, e.Type)
	if e.Step != "" {
		field(`,"step":`, e.Step)
	}
	if e.Parent != "" {
		field(`,"parent":`, e.Parent)
	}
	field(`,"body":`, e.Body)
	bodyEnd := buf.Len()
	if e.Measured != nil {
		field(`,"measured":`, e.Measured)
	}
	if e.Reused {
		buf.WriteString(`,"reused":true`)
	}
	buf.WriteByte('}')
	if err != nil {
		return Encoded{}, fmt.Errorf("encode event %d (%s): %w", e.Seq, e.Type, err)
	}
	return Encoded{bytes.Clone(buf.Bytes()), bodyEnd}, nil
}

// maxKept is the largest memory in bytes that is kept for the next event.
const maxKept = 1 << 20

// buffers are memory for events.
var buffers = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// Decode reads one event.
func Decode(data []byte) (Event, error) {
	if e, ok := decodeOwn(data); ok {
		return e, nil
	}
	var e Event
	err := json.Unmarshal(data, &e)
	return e, err
}

// decodeOwn reads an event in the form that Encode writes in one go, as its type stands in front; false means that the event has
// another form, or none.
func decodeOwn(data []byte) (Event, bool) {
	_, rest, ok := bytes.Cut(data[:min(len(data), 80)], []byte(`,"type":"`))
	name, _, closed := bytes.Cut(rest, []byte{'"'})
	if !ok || !closed || !bytes.HasPrefix(data, []byte(`{"seq":`)) || !bytes.Contains(data, []byte(`,"body":{`)) {
		return Event{}, false
	}
	body := newBody(Type(name))
	if body == nil {
		return Event{}, false
	}
	w := struct {
		Seq      int       `json:"seq"`
		Type     Type      `json:"type"`
		Step     string    `json:"step"`
		Parent   string    `json:"parent"`
		Body     Body      `json:"body"`
		Measured *Measured `json:"measured"`
		Reused   bool      `json:"reused"`
	}{Body: body}
	if err := json.Unmarshal(data, &w); err != nil || w.Body != body || w.Type != body.EventType() {
		return Event{}, false
	}
	return Event{Seq: w.Seq, Type: w.Type, Step: w.Step, Parent: w.Parent, Body: body, Measured: w.Measured, Reused: w.Reused}, true
}

// Hasher computes the hash of a log: it covers the number, type, step, parent
// and body of each event, and neither what was measured nor the reused mark. So
// a log that re-used a prefix has the hash of one that computed all of it.
// The zero value is not usable; NewHasher makes one.
type Hasher struct {
	h hash.Hash
}

// NewHasher returns the hasher of an empty log.
func NewHasher() *Hasher { return &Hasher{h: sha256.New()} }

// Add adds the next event of the log.
func (h *Hasher) Add(e Encoded) {
	h.h.Write(e.Line[:e.bodyEnd])
	h.h.Write([]byte("}\n"))
}

// Sum returns the hash of the events added so far, in hexadecimal.
func (h *Hasher) Sum() string { return hex.EncodeToString(h.h.Sum(nil)) }

// HashLen is the number of hexadecimal digits of a text or module hash.
const HashLen = 40

// HashText returns the address of a text: the first 160 bits of its SHA-256, in
// hexadecimal.
func HashText(text string) string {
	// The bytes are only read: texts are long, and a copy of each would be wasted.
	return spelled(sha256.Sum256(unsafe.Slice(unsafe.StringData(text), len(text))))
}

// spelled returns the hash that a sum stands for.
func spelled(sum [sha256.Size]byte) string {
	var digits [HashLen]byte
	hex.Encode(digits[:], sum[:HashLen/2])
	return string(digits[:])
}

// HashBytes is HashText for data that is not a string.
func HashBytes(data []byte) string {
	return spelled(sha256.Sum256(data))
}

// IsHash tells whether s has the form of a hash that HashText returns.
func IsHash(s string) bool {
	if len(s) != HashLen {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// HashModule returns the hash of a module: that of its functions' names and text
// hashes, in the order given, which should be sorted by name.
func HashModule(functions []Function) string {
	buf := make([]byte, 0, len(functions)*(HashLen+32))
	for _, f := range functions {
		buf = strconv.AppendInt(buf, int64(len(f.Name)), 10)
		buf = append(append(buf, ':'), f.Name...)
		buf = append(append(append(buf, ' '), f.Text...), '\n')
	}
	return HashBytes(buf)
}
