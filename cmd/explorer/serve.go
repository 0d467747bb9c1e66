package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/spf13/cobra"
)

const (
	// memoryLimit is what the collector of garbage keeps the process under, as long as
	// what is alive fits; GOMEMLIMIT replaces it.
	memoryLimit = 900 << 20
	// drainTime is how long a server that is told to stop waits for runs in progress before it
	// cancels them; with what ending them takes it stays below patience.
	drainTime = 300 * time.Millisecond
)

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", GroupID: groupServe, Short: "Serve the page that shows what each pass does", Args: args(cobra.NoArgs),
		Long: `Serves the page that shows what each pass does, on this machine unless told otherwise. Every flag can be given
in the environment too: IRSCOPE_RUN_TIME=1m is --run-time 1m, and lists have commas.`,
		Example: `  # For this machine only, on http://127.0.0.1:8080
  irscope serve
  # On a free port, and nothing kept on disk
  irscope serve --addr 127.0.0.1:0 --data memory
  # With lessons of your own, files such as 10-fusion.md, before those of the program
  irscope serve --lessons course
  # For others, behind a proxy that speaks https
  irscope serve --host irscope.example.org --secure-cookies --trusted-proxy 127.0.0.1 --data /var/lib/irscope`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd) },
	}
	f.register(cmd)
	return cmd
}

// serve runs the server until the context of the command is done and prints its address.
func (f *serveFlags) serve(cmd *cobra.Command) (err error) {
	ctx, w := cmd.Context(), cmd.OutOrStdout()
	if err := f.environment(cmd.Flags()); err != nil {
		return err
	}
	if err := f.check(cmd.Flags()); err != nil {
		return err
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	log := f.logger()
	own := len(f.hosts) == 0 // names refuses any address but a loopback one without --hosts
	engine := engineFor(own)
	defer engine.Close()
	catalog, err := inproc.Catalog(ctx)
	if err != nil {
		return err
	}
	for _, k := range target.CodeKinds() {
		if _, err := compiler.ForMachine(target.Of(k.Name)); err != nil || !own && compiler.IsMachineCode(target.Of(k.Name)) {
			catalog = catalog.Without(k.Name)
		}
	}
	if own {
		catalog = catalog.First(compiler.OwnersTarget().String())
	}
	ln, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (another address: --addr 127.0.0.1:0)", f.addr, err)
	}
	names, err := f.names(ln.Addr())
	if err != nil {
		_ = ln.Close()
		return err
	}
	admission, limits := f.limits(own)
	keep, err := openStore(ctx, f.data, f.dataMiB)
	if err != nil {
		_ = ln.Close()
		return err
	}
	defer func() { err = errors.Join(err, keep.close()) }()
	made := readBuild()
	runner := inproc.New(inproc.Config{Store: keep, Gallery: inproc.Gallery, Engine: engine, CacheBytes: cacheBytes(f.reuse), NoMachineCode: !own, Log: log})
	added, lessons, err := readLessons(ctx, f.lessons, &catalog, runner)
	if err != nil {
		_ = ln.Close()
		return err
	}
	srv, err := web.New(web.Config{
		Runner: runner, Store: keep, Catalog: catalog, Operators: inproc.Operators{}, Lessons: lessons, Build: buildID(), Version: made.Version, Revision: made.Revision, RevisionTime: made.Time, Workers: f.workers, Classes: cmp.Or(f.classes, -1), Admission: admission, Limits: limits,
		Hosts: names, Origins: f.origins, Embed: f.embed, TrustedProxies: f.proxies, Secure: f.secure, Log: log,
	})
	if err != nil {
		return err
	}
	hs := web.HTTPServer(srv, log)
	fmt.Fprintf(w, "irscope: serving on http://%s\nirscope: data is kept in %s\n", ln.Addr(), keep.where)
	log.Info("serving", "addr", ln.Addr().String(), "names", names, "data", keep.where)
	upkeep, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { expire(upkeep, keep, log) })
	beside.Go(func() { tryLessons(upkeep, added, &catalog, engine, log) })
	defer func() {
		stop()
		beside.Wait()
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

// engineFor returns the engine of a server, which runs machine code only for those who own the machine.
func engineFor(own bool) *runtime.Engine {
	if own {
		return compiler.NewEngine()
	}
	return compiler.NewEngineWith(compiler.EngineOptions{ForOthers: true})
}

// cacheBytes returns what a runner may keep of earlier runs, negative for nothing.
func cacheBytes(mib int64) int64 {
	if mib == 0 {
		return -1
	}
	return mib << 20
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
