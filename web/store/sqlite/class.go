package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/store"
)

// classSum returns the checksum of the row of a class.
func classSum(c store.Class) []byte { return sum("%q %d %q", c.ID, nanos(c.Expires), c.Data) }

// PutClass implements store.Store.
func (s *Store) PutClass(ctx context.Context, c store.Class) error {
	err := c.Check()
	if err == nil {
		err = s.w.submit(ctx, &change{do: func(t *tx) error { return t.putClass(c) }})
	}
	if err != nil {
		return fmt.Errorf("put class: %w", err)
	}
	return nil
}

func (t *tx) putClass(c store.Class) error {
	var others int
	if _, err := t.row([]any{&others}, "SELECT count(*) FROM class WHERE id <> ?", c.ID); err != nil {
		return err
	}
	if others >= store.MaxClasses {
		return store.TooManyClasses()
	}
	if err := t.reserve(int64(len(c.Data))+rowBytes, ""); err != nil {
		return err
	}
	return t.exec(`INSERT INTO class(id, expires, data, sum) VALUES(?1, ?2, ?3, ?4)
		ON CONFLICT(id) DO UPDATE SET expires = ?2, data = ?3, sum = ?4`, c.ID, nanos(c.Expires), notNull(c.Data), classSum(c))
}

// Classes implements store.Store. One that is damaged is left out: Check reports it.
func (s *Store) Classes(ctx context.Context) ([]store.Class, error) {
	read, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("classes: %w", explain(err))
	}
	defer func() { _ = read.Rollback() }()
	all, err := collect(ctx, read, scanClass, "SELECT id, expires, data, sum FROM class WHERE expires > ? ORDER BY id", nanos(time.Now()))
	if err != nil {
		return nil, fmt.Errorf("classes: %w", explain(err))
	}
	var out []store.Class
	for _, c := range all {
		if c.good {
			out = append(out, c.Class)
		}
	}
	return out, nil
}

// classRow is a row of the table of classes; good tells whether it is as it was written.
type classRow struct {
	store.Class
	good bool
}

func scanClass(scan func(...any) error) (c classRow, err error) {
	var expires int64
	var sum []byte
	err = scan(&c.ID, &expires, &c.Data, &sum)
	c.Expires = moment(expires)
	c.good = bytes.Equal(sum, classSum(c.Class))
	return c, err
}

// DeleteClass implements store.Store.
func (s *Store) DeleteClass(ctx context.Context, id string) error {
	err := s.w.submit(ctx, &change{do: func(t *tx) error {
		n, err := t.count("DELETE FROM class WHERE id = ?", id)
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("delete class: %w", err)
	}
	return nil
}

// classes checks the rows of classes.
func (c *checker) classes(ctx context.Context) error {
	read, err := c.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = read.Rollback() }()
	all, err := collect(ctx, read, scanClass, "SELECT id, expires, data, sum FROM class ORDER BY id")
	if err != nil {
		return err
	}
	for _, row := range all {
		if !row.good {
			c.damaged("class", row.ID, fmt.Errorf("%w: its row is not as it was written", store.ErrDamaged))
		}
	}
	return nil
}
