package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store/sqlite"
	"github.com/spf13/cobra"
)

const (
	// memoryLimit is what the collector of garbage keeps the process under, as long as
	// what is alive fits; GOMEMLIMIT replaces it.
	memoryLimit = 900 << 20
	// localPerMinute is the number of runs that may be started in a minute where only this
	// machine can: each tick of a box on the page is one.
	localPerMinute = 120
	// localMemory and localTime are what a run may take where only this machine can start
	// one: its owner may wait for a large model.
	localMemory = 2 << 30
	localTime   = 2 * time.Minute
	// maxReuse is the most memory for earlier runs, in MiB.
	maxReuse = 1 << 20
	// drainTime is how long a server that is told to stop waits for runs in progress.
	drainTime = 15 * time.Second
)

// serveFlags say where to listen and where to keep data.
type serveFlags struct {
	addr    string
	workers int
	data    string
	dataMiB int64
	reuse   int64
}

func (f *serveFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	cmd.Flags().IntVar(&f.workers, "workers", 1, "runs at once")
	cmd.Flags().StringVar(&f.data, "data", "", "`folder` that keeps sessions and runs, or memory (default: that of the user for this program)")
	cmd.Flags().Int64Var(&f.reuse, "reuse-mib", inproc.DefaultReuse>>20, "memory for what earlier runs computed, in MiB; 0 computes everything anew")
	cmd.Flags().Int64Var(&f.dataMiB, "data-mib", sqlite.DefaultMaxBytes>>20, "size of the data on disk in MiB; beyond it the oldest runs go")
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the page that shows what each pass does", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), cmd.OutOrStdout(), f) },
	}
	f.register(cmd)
	return cmd
}

// serve runs the server until ctx is done and prints its address on w.
func serve(ctx context.Context, w io.Writer, f serveFlags) (err error) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	if f.workers < 1 {
		return usageError{fmt.Errorf("--workers is %d, expected 1 or more", f.workers)}
	}
	if f.reuse < 0 || f.reuse > maxReuse {
		return usageError{fmt.Errorf("--reuse-mib is %d, expected 0 to %d", f.reuse, maxReuse)}
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	engine := runtime.NewEngine(runtime.EngineOptions{})
	defer engine.Close()
	catalog, err := inproc.Catalog(ctx)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (another address: --addr 127.0.0.1:0)", f.addr, err)
	}
	admission, limits := run.DefaultAdmission(f.workers), run.DefaultLimits()
	keep, err := openStore(ctx, f.data, f.dataMiB)
	if err != nil {
		_ = ln.Close()
		return err
	}
	defer func() { err = errors.Join(err, keep.close()) }()
	local := hosts(ln.Addr())
	if local != nil {
		admission.PerMinute = localPerMinute
		limits.Memory, limits.Time = localMemory, localTime
		admission.Memory = int64(f.workers) * limits.Memory
	}
	srv, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: keep, Gallery: inproc.Gallery, Engine: engine, CacheBytes: cacheBytes(f.reuse), Log: log}),
		Store:  keep, Catalog: catalog, Build: buildID(), Workers: f.workers, Admission: admission, Limits: limits, Hosts: local, Log: log,
	})
	if err != nil {
		return err
	}
	hs := web.HTTPServer(srv, log)
	fmt.Fprintf(w, "explorer: serving on http://%s\nexplorer: data is kept in %s\n", ln.Addr(), keep.where)
	upkeep, stop := context.WithCancel(ctx)
	expired := make(chan struct{})
	go func() {
		defer close(expired)
		expire(upkeep, keep, log)
	}()
	defer func() {
		stop()
		<-expired
	}()
	failed := make(chan error, 1)
	go func() { failed <- hs.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	srv.Drain(drain)
	if err := hs.Shutdown(drain); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return hs.Close()
	}
	return nil
}

// cacheBytes returns what a runner may keep of earlier runs, negative for nothing.
func cacheBytes(mib int64) int64 {
	if mib == 0 {
		return -1
	}
	return mib << 20
}

// hosts returns the names under which a server on a loopback address may be reached, so that
// no foreign name that resolves to it gets anything; any name for other addresses.
func hosts(addr net.Addr) []string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return nil
	}
	return []string{"localhost", "127.0.0.1", "::1", tcp.IP.String()}
}

// buildID identifies the executable, so that runs of another build are not taken for ours.
func buildID() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
