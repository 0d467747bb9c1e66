package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/sqlite"
)

const (
	// memoryBytes bounds what the server keeps in memory where it keeps nothing on disk.
	memoryBytes = 256 << 20
	// inMemory is the value of --data with which nothing is kept on disk.
	inMemory = "memory"
	// expireEvery is the time between looks for sessions that have expired.
	expireEvery = time.Hour
)

// kept is an open store.
type kept struct {
	store.Store
	where string
	close func() error
}

// openStore opens the store that --data names.
func openStore(ctx context.Context, data string, mib int64) (kept, error) {
	if data == inMemory {
		return kept{store.NewMemory(memoryBytes), "memory only", func() error { return nil }}, nil
	}
	if mib < 1 || mib > 1<<40 {
		return kept{}, usageError{fmt.Errorf("--data-mib is %d, expected 1 or more", mib)}
	}
	data, err := folderOf(data)
	if err != nil {
		return kept{}, err
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Dir: data, MaxBytes: mib << 20})
	if err != nil {
		return kept{}, fmt.Errorf("%w (another folder: --data DIR; none: --data %s)", err, inMemory)
	}
	return kept{s, data, s.Close}, nil
}

// folderOf returns the folder that --data names: without a name, that of the user for this program.
func folderOf(data string) (string, error) {
	if data != "" {
		return data, nil
	}
	dir, err := dataFolder()
	if err != nil {
		return "", usageError{err}
	}
	return dir, nil
}

// dataFolder returns the folder for the data of this program on this system.
func dataFolder() (string, error) {
	const name = "irscope"
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	if dir := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, name), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder to keep data in: name a folder with --data DIR, or keep nothing with --data " + inMemory)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", name), nil
	}
	return filepath.Join(home, ".local", "share", name), nil
}

// expire removes what has expired from a store, now and then, until the context ends.
func expire(ctx context.Context, s store.Store, log *slog.Logger) {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		sessions, runs, err := s.Expire(ctx, time.Now())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Error("expire", "err", err)
		case sessions+runs > 0:
			log.Info("expired", "sessions", sessions, "runs", runs)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
