package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// importedBuild stands in the keys of runs that were imported, in place of an executable.
const importedBuild = "imported"

// batchBytes is about how much is stored at once.
const batchBytes = 4 << 20

// Restore makes a new session of a bundle that was read from an archive. Its runs are read
// as before but never shared with requests of others: who made the archive may have
// made them up. Where it fails nothing is left that anybody could find.
func Restore(ctx context.Context, st store.Store, b *Bundle, token string) (store.Session, error) {
	from := b.Session
	from.Runs, from.Notes, from.Parent = nil, nil, ""
	sess, err := session.Copy(ctx, st, from, func(hash string) ([]byte, error) {
		blob, err := b.Blobs.Blob(ctx, hash)
		return blob.Data, err
	}, token)
	if err != nil {
		return store.Session{}, err
	}
	if err := restoreRuns(ctx, st, b, sess.ID); err != nil {
		gone := st.DeleteSession(context.WithoutCancel(ctx), sess.ID)
		if errors.Is(err, store.ErrNotFound) {
			return store.Session{}, fmt.Errorf("the store dropped the session to make room for its runs: %w", store.ErrFull)
		}
		if errors.Is(gone, store.ErrNotFound) {
			gone = nil
		}
		return store.Session{}, errors.Join(err, gone)
	}
	return st.Session(ctx, sess.ID)
}

// restoreRuns stores the runs of a bundle and then its notes.
func restoreRuns(ctx context.Context, st store.Store, b *Bundle, sess string) error {
	ids := map[string]string{"": ""}
	for i := range b.Runs {
		id := session.NewID()
		ids[strconv.Itoa(i+1)] = id
		if err := restoreRun(ctx, st, b, &b.Runs[i], sess, id); err != nil {
			return fmt.Errorf("store run %d: %w", i+1, err)
		}
	}
	for _, n := range b.Session.Notes {
		n.ID, n.Run = session.NewID(), ids[n.Run]
		if err := st.PutNote(ctx, sess, n); err != nil {
			return fmt.Errorf("store note: %w", err)
		}
	}
	return nil
}

// restoreRun stores one run under a new id.
func restoreRun(ctx context.Context, st store.Store, b *Bundle, r *Run, sess, id string) error {
	body, err := json.Marshal(r.Request)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	key, err := r.Request.Key(importedBuild)
	if err != nil {
		return err
	}
	made := store.Run{ID: id, Key: key, Request: body, Created: r.Created}
	if err := st.CreateRun(ctx, made); err != nil {
		return err
	}
	// The session lists it before it has finished, so that nothing drops it meanwhile.
	err = st.AddRun(ctx, sess, id)
	for _, hash := range r.Request.Settings.Blobs() {
		blob, gone := b.Blobs.Blob(ctx, hash)
		if gone == nil && err == nil {
			_, err = st.PutBlob(ctx, id, store.LangBinary, blob.Data)
		}
	}
	if err == nil {
		err = restoreEvents(ctx, st, b, r, id)
	}
	made.Status, made.Hash, made.Events = string(r.Status), r.Hash, len(r.Events)
	if err != nil {
		// What has not finished would be kept for ever.
		made.Status = string(event.StatusInterrupted)
	}
	err = errors.Join(err, st.FinishRun(context.WithoutCancel(ctx), made, false))
	if err == nil && r.Check != nil {
		err = st.PutReport(ctx, id, r.Check)
	}
	return err
}

// restoreEvents stores the log of a run and its texts in batches.
func restoreEvents(ctx context.Context, st store.Store, b *Bundle, r *Run, id string) error {
	var lines [][]byte
	var texts []store.Text
	kept, size, from := map[string]bool{}, 0, 0
	for i, e := range r.Events {
		enc, err := event.Encode(e)
		if err != nil {
			return err
		}
		lines = append(lines, enc.Line)
		size += len(enc.Line)
		for _, ref := range event.TextRefs(e) {
			if kept[ref.Hash] {
				continue
			}
			kept[ref.Hash] = true
			t, err := b.Blobs.Blob(ctx, ref.Hash)
			if err != nil {
				return err
			}
			texts = append(texts, store.Text{Hash: ref.Hash, Language: t.Language, Data: t.Data, Base: ref.Base})
			size += len(t.Data)
		}
		if size < batchBytes && i < len(r.Events)-1 {
			continue
		}
		if err := st.AppendEvents(ctx, id, from, lines, texts...); err != nil {
			return err
		}
		from += len(lines)
		lines, texts, size = nil, nil, 0
	}
	return nil
}
