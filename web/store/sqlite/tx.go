package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// tx is the transaction of the writer.
type tx struct {
	conn  *sql.Conn
	limit int64
	stmts map[string]*sql.Stmt
	here  *present
	// broken are runs that lost a relaxed change.
	broken map[string]error
}

// stmt returns a prepared statement.
func (t *tx) stmt(query string) (*sql.Stmt, error) {
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.conn.PrepareContext(context.Background(), query)
	if err == nil {
		t.stmts[query] = s
	}
	return s, err
}

// exec executes a statement.
func (t *tx) exec(query string, args ...any) error {
	_, err := t.result(query, args...)
	return err
}

// count executes a statement and returns the number of rows that it changed.
func (t *tx) count(query string, args ...any) (int64, error) {
	r, err := t.result(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert executes an INSERT and returns the number of the row.
func (t *tx) insert(query string, args ...any) (int64, error) {
	r, err := t.result(query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (t *tx) result(query string, args ...any) (sql.Result, error) {
	s, err := t.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

// row reads one row; found is false where there is none.
func (t *tx) row(dest []any, query string, args ...any) (found bool, err error) {
	s, err := t.stmt(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// numbers reads one column of numbers.
func (t *tx) numbers(query string, args ...any) ([]int64, error) {
	s, err := t.stmt(query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

// close closes the prepared statements.
func (t *tx) close() {
	for _, s := range t.stmts {
		_ = s.Close()
	}
}
