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
	if m.blobs[hash] == nil {
		n := int64(len(data))
		if s := m.sessions[owner]; s != nil && m.uploaded(s.TokenHash)+n > m.limit/2 {
			return "", fmt.Errorf("keep %d bytes: your sessions are limited to %d MiB: %w", n, m.limit/2>>20, ErrQuota)
		}
		// Making room may drop old runs, never this owner.
		err := m.reserve(n, owner)
		m.used -= n
		if err != nil {
			return "", fmt.Errorf("keep %d bytes: %w", n, err)
		}
	}
	m.keep(owned, Text{Hash: hash, Language: language, Data: data})
	return hash, nil
}

// uploaded returns the bytes that the sessions of a token own.
func (m *Memory) uploaded(token [32]byte) int64 {
	var n int64
	for _, s := range m.sessions {
		if s.TokenHash != token {
			continue
		}
		for hash := range s.owned {
			n += int64(m.blobs[hash].size)
		}
	}
	return n
}

// keep adds a blob to an owner and counts it where it is new.
func (m *Memory) keep(owned map[string]bool, t Text) {
	if owned[t.Hash] {
		return
	}
	b := m.blobs[t.Hash]
	if b == nil {
		b = &blob{language: t.Language, data: t.Data, size: len(t.Data)}
		m.blobs[t.Hash] = b
		m.used += int64(len(t.Data))
	}
	b.owners++
	owned[t.Hash] = true
}

// KeepBlob implements Store.
func (m *Memory) KeepBlob(_ context.Context, owner string, hashes ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	owned, err := m.owned(owner)
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		if m.blobs[hash] == nil {
			return fmt.Errorf("text %s: %w", hash, ErrNotFound)
		}
	}
	for _, hash := range hashes {
		m.keep(owned, Text{Hash: hash})
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
