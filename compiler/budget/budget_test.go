package budget

import (
	"context"
	"errors"
	"testing"
)

func TestBudget(t *testing.T) {
	var none *Budget
	none.Spend(1 << 40)
	if none.Used() != 0 {
		t.Error("no budget counts")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	b := New(ctx, 5000)
	if err := Catch(func() { b.Spend(5000) }); err != nil || b.Used() != 5000 {
		t.Errorf("5000 of 5000 steps: %v, %d used", err, b.Used())
	}
	err := Catch(func() { b.Spend(pollEvery) })
	var stop *Stop
	if !errors.Is(err, ErrExceeded) || !errors.As(err, &stop) || stop.Steps != 5000 {
		t.Errorf("beyond the limit: %v", err)
	}
	unlimited := New(ctx, 0)
	if err := Catch(func() { unlimited.Spend(1 << 40) }); err != nil {
		t.Error(err)
	}
	gone := errors.New("gone")
	cancel(gone)
	steps := 0
	err = Catch(func() {
		for ; ; steps++ {
			unlimited.Spend(1)
		}
	})
	if !errors.Is(err, gone) || steps > pollEvery {
		t.Errorf("after the context: %v after %d steps", err, steps)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("another panic became %v", r)
		}
	}()
	_ = Catch(func() { panic("other") })
}
