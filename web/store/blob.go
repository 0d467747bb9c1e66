package store

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/irscope/irscope/instruments/event"
)

// blob is a stored blob; its fields are guarded by Memory.mu.
type blob struct {
	language string
	data     []byte // compressed where packed
	packed   bool
	size     int // of the data when it is not compressed
	owners   int
}

// minPacked is the size from which compressing a text pays.
const minPacked = 256

// codec holds the encoder and decoder of texts; both are safe for several
// goroutines in their All forms.
var codec = sync.OnceValue(func() (c struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
},
) {
	var err error
	if c.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		panic(fmt.Sprintf("store: options of the zstd encoder: %v", err))
	}
	if c.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)); err != nil {
		panic(fmt.Sprintf("store: options of the zstd decoder: %v", err))
	}
	return c
})

// PutBlob implements Store.
func (m *Memory) PutBlob(_ context.Context, owner, language string, data []byte) (string, error) {
	hash := event.HashBytes(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	owned, err := m.owned(owner)
	if err != nil {
		return "", err
	}
	if owned[hash] {
		return hash, nil
	}
	b := m.blobs[hash]
	if b == nil {
		n := int64(len(data))
		if err := m.reserve(n, owner); err != nil {
			m.used -= n
			return "", fmt.Errorf("keep %d bytes: %w", n, err)
		}
		// Making room may have dropped old runs, never this owner.
		b = &blob{language: language, data: data, size: len(data)}
		m.blobs[hash] = b
	}
	b.owners++
	owned[hash] = true
	return hash, nil
}

// KeepBlob implements Store.
func (m *Memory) KeepBlob(_ context.Context, owner, hash string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	owned, err := m.owned(owner)
	if err != nil {
		return err
	}
	b := m.blobs[hash]
	if b == nil {
		return fmt.Errorf("text %s: %w", hash, ErrNotFound)
	}
	if !owned[hash] {
		b.owners++
		owned[hash] = true
	}
	return nil
}

// Blob implements Store.
func (m *Memory) Blob(_ context.Context, hash string) (Blob, error) {
	m.mu.Lock()
	b := m.blobs[hash]
	if b == nil {
		m.mu.Unlock()
		return Blob{}, fmt.Errorf("text %s: %w", hash, ErrNotFound)
	}
	data, packed, size, language := b.data, b.packed, b.size, b.language
	m.mu.Unlock()
	if packed {
		var err error
		if data, err = codec().dec.DecodeAll(data, make([]byte, 0, size)); err != nil {
			return Blob{}, fmt.Errorf("decompress text %s: %w", hash, err)
		}
	}
	return Blob{Language: language, Data: data}, nil
}

// compress packs texts that are not yet packed. The work is done without the lock.
func (m *Memory) compress(blobs []*blob) {
	for _, b := range blobs {
		m.mu.Lock()
		data, skip := b.data, b.packed || b.language == LangBinary || b.size < minPacked
		m.mu.Unlock()
		if skip {
			continue
		}
		z := codec().enc.EncodeAll(data, make([]byte, 0, len(data)/4))
		m.mu.Lock()
		if !b.packed && len(z) < len(data) {
			if b.owners > 0 {
				m.used += int64(len(z) - len(data))
			}
			b.data, b.packed = slices.Clip(z), true
		}
		m.mu.Unlock()
	}
}

// owned returns the set of blobs of a run or a session.
func (m *Memory) owned(owner string) (map[string]bool, error) {
	if r := m.runs[owner]; r != nil {
		return r.owned, nil
	}
	if s := m.sessions[owner]; s != nil {
		return s.owned, nil
	}
	return nil, fmt.Errorf("owner of a text: %w", ErrNotFound)
}

// release takes an owner off its blobs and drops those that nobody owns.
func (m *Memory) release(owned map[string]bool) {
	for hash := range owned {
		b := m.blobs[hash]
		if b.owners--; b.owners == 0 {
			m.used -= int64(len(b.data))
			delete(m.blobs, hash)
		}
	}
}

// reserve counts n more bytes and makes room where there is too little: the oldest
// finished runs go first, then the oldest sessions. What belongs to the owner
// stays. ErrFull leaves the count raised; the caller takes it back.
func (m *Memory) reserve(n int64, owner string) error {
	m.used += n
	if m.used <= m.limit {
		return nil
	}
	m.runOrder = slices.DeleteFunc(m.runOrder, func(id string) bool {
		r := m.runs[id]
		if m.used <= m.limit || id == owner || !r.finished {
			return false
		}
		m.release(r.owned)
		m.used -= r.bytes
		if m.shared[r.Key] == id {
			delete(m.shared, r.Key)
		}
		delete(m.runs, id)
		return true
	})
	m.sessionOrder = slices.DeleteFunc(m.sessionOrder, func(id string) bool {
		s := m.sessions[id]
		if m.used <= m.limit || id == owner || m.busy(s) {
			return false
		}
		m.release(s.owned)
		m.used -= int64(len(s.Title) + len(s.Settings) + 256)
		delete(m.sessions, id)
		return true
	})
	if m.used > m.limit {
		return ErrFull
	}
	return nil
}

// busy tells whether a session has a run that has not finished.
func (m *Memory) busy(s *session) bool {
	return slices.ContainsFunc(s.Runs, func(id string) bool {
		r := m.runs[id]
		return r != nil && !r.finished
	})
}
