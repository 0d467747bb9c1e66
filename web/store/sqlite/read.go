package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// frame is a row of a text on the way to its data.
type frame struct {
	hash []byte
	base sql.NullInt64
	data []byte
}

// keptBlob finds a text that somebody keeps. Others may still be there as dictionaries.
const keptBlob = `SELECT n, language FROM blob WHERE hash = ? AND (
	EXISTS (SELECT 1 FROM run_blob WHERE blob = n) OR EXISTS (SELECT 1 FROM session_blob WHERE blob = n))`

// Blob implements store.Store. The hash of what it reads from the disk is checked.
func (s *Store) Blob(ctx context.Context, hash string) (store.Blob, error) {
	key, err := hex.DecodeString(hash)
	if err != nil {
		return store.Blob{}, fmt.Errorf("text %.60q: %w", hash, store.ErrNotFound)
	}
	var n int64
	var out store.Blob
	err = s.read.QueryRowContext(ctx, keptBlob, key).Scan(&n, &out.Language)
	if err == nil {
		var ok bool
		if out.Data, ok = s.texts.Get(hash); ok {
			return out, nil
		}
		out.Data, err = s.readText(ctx, n)
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Blob{}, fmt.Errorf("text %s: %w", hash, explain(err))
	}
	return out, nil
}

// readText reads a text and those that it is compressed with, checks their hashes and
// remembers them.
func (s *Store) readText(ctx context.Context, n int64) (data []byte, err error) {
	var chain []frame
	for {
		var f frame
		if err := s.read.QueryRowContext(ctx, "SELECT hash, base, data FROM blob WHERE n = ?", n).Scan(&f.hash, &f.base, &f.data); err != nil {
			return nil, err
		}
		if known, ok := s.texts.Get(hex.EncodeToString(f.hash)); ok {
			data = known
			break
		}
		if chain = append(chain, f); len(chain) > maxChain {
			return nil, fmt.Errorf("%w: it stands on more than %d other texts", store.ErrDamaged, maxChain)
		}
		if !f.base.Valid {
			break
		}
		n = f.base.Int64
	}
	for _, f := range slices.Backward(chain) {
		if data, err = unpack(f.data, data); err != nil {
			return nil, fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		hash := hex.EncodeToString(f.hash)
		if got := event.HashBytes(data); got != hash {
			return nil, fmt.Errorf("%w: text %s has the hash %s", store.ErrDamaged, hash, got)
		}
		s.texts.Put(hash, data, int64(len(data)))
	}
	return data, nil
}
