package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/irscope/irscope/web/store"
)

// PutReport implements store.Store.
func (s *Store) PutReport(ctx context.Context, run string, data []byte) error {
	err := store.CheckReport(data)
	if err == nil {
		err = s.w.submit(ctx, &change{do: func(t *tx) error { return t.putReport(run, data) }})
	}
	if err != nil {
		return fmt.Errorf("put report: %w", err)
	}
	return nil
}

func (t *tx) putReport(run string, data []byte) error {
	var n int64
	if found, err := t.row([]any{&n}, "SELECT n FROM run WHERE id = ?", run); err != nil || !found {
		return errors.Join(err, store.ErrNotFound)
	}
	if err := t.reserve(int64(len(data))+rowBytes, run); err != nil {
		return err
	}
	return t.exec("INSERT INTO report(run, data, sum) VALUES(?1, ?2, ?3) ON CONFLICT(run) DO UPDATE SET data = ?2, sum = ?3", n, notNull(data), sum("%q %q", run, data))
}

// Report implements store.Store.
func (s *Store) Report(ctx context.Context, run string) ([]byte, error) {
	var data, of []byte
	err := s.read.QueryRowContext(ctx, "SELECT data, sum FROM report WHERE run = (SELECT n FROM run WHERE id = ?)", run).Scan(&data, &of)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("report: %w", store.ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("report: %w", explain(err))
	case !bytes.Equal(of, sum("%q %q", run, data)):
		return nil, fmt.Errorf("report: %w", store.ErrDamaged)
	}
	return data, nil
}

// reports checks the rows of reports.
func (c *checker) reports(ctx context.Context) error {
	ids, err := c.strings(ctx, "SELECT run.id FROM report JOIN run ON run.n = report.run ORDER BY run.n")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := c.Report(ctx, id); errors.Is(err, store.ErrDamaged) {
			c.damaged("report", id, fmt.Errorf("%w: its row is not as it was written", store.ErrDamaged))
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
