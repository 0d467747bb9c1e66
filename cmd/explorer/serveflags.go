package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/sqlite"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// localPerMinute is the number of runs that may be started in a minute where only this
	// machine can: each tick of a box on the page is one.
	localPerMinute = 120
	// localMemory and localTime are what a run may take where only this machine can start
	// one: its owner may wait for a large model.
	localMemory = 2 << 30
	localTime   = 2 * time.Minute
	// maxMiB bounds sizes that are given in MiB.
	maxMiB = 1 << 20
	// envPrefix begins the variables of the environment that stand for flags of serve.
	envPrefix = "IRSCOPE_"
)

// serveFlags say where to listen, for whom, under which limits, and where to keep data.
type serveFlags struct {
	addr    string
	hosts   []string
	origins []string
	embed   []string
	proxies []string
	secure  bool
	log     string
	lessons string

	workers      int
	perMinute    int
	perVisitor   int
	queue        int
	queueVisitor int
	classes      int
	runTime      time.Duration
	runMiB       int64

	data    string
	dataMiB int64
	reuse   int64
}

func (f *serveFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	flags.StringSliceVar(&f.hosts, "host", nil, "host `names` under which others reach the server; required for an address beyond this machine")
	flags.StringSliceVar(&f.origins, "origin", nil, "additional `origins` (https://host) whose pages may use the server")
	flags.StringSliceVar(&f.embed, "embed-origin", nil, "`origins` (https://host) whose pages may show sessions in a frame; none by default")
	flags.StringSliceVar(&f.proxies, "trusted-proxy", nil, "`addresses` or ranges of proxies whose X-Forwarded-For header identifies visitors")
	flags.BoolVar(&f.secure, "secure-cookies", false, "send cookies over https only; for a server behind an https proxy")
	flags.StringVar(&f.log, "log", "text", "format of the log on standard error: text or json")
	flags.StringVar(&f.lessons, "lessons", "", "`folder` with lessons of your own, listed before those of the program")
	flags.IntVar(&f.workers, "workers", 1, "concurrent runs")
	flags.IntVar(&f.perMinute, "runs-per-minute", 0, fmt.Sprintf("runs that a visitor can start per minute (default %d; %d for this machine only)", run.DefaultAdmission(1).PerMinute, localPerMinute))
	flags.IntVar(&f.perVisitor, "runs-per-visitor", run.DefaultAdmission(1).PerVisitor, "concurrent runs per visitor; more wait")
	flags.IntVar(&f.queue, "queue", run.DefaultAdmission(1).Queue, "maximum number of waiting runs")
	flags.IntVar(&f.queueVisitor, "queue-per-visitor", run.DefaultAdmission(1).QueuePerVisitor, "maximum number of waiting runs per visitor")
	flags.IntVar(&f.classes, "classes", web.DefaultClasses, "maximum number of open classes, whose students are each a visitor of their own; 0 allows none")
	flags.DurationVar(&f.runTime, "run-time", 0, fmt.Sprintf("time limit of a run (default %v; %v for this machine only)", run.DefaultLimits().Time, localTime))
	flags.Int64Var(&f.runMiB, "run-memory-mib", 0, fmt.Sprintf("memory limit of a run in MiB (default %d; %d for this machine only)", run.DefaultLimits().Memory>>20, localMemory>>20))
	flags.StringVar(&f.data, "data", "", "`folder` for sessions and runs, or memory (default: the user's data folder for this program)")
	flags.Int64Var(&f.reuse, "reuse-mib", inproc.DefaultReuse>>20, "memory for results of earlier runs in MiB; 0 recomputes everything")
	flags.Int64Var(&f.dataMiB, "data-mib", sqlite.DefaultMaxBytes>>20, "maximum size of the data on disk in MiB; beyond it, the oldest runs are deleted")
}

// environment sets the flags that were not given from the environment: --run-time from IRSCOPE_RUN_TIME, and so on.
func (f *serveFlags) environment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(flag *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || flag.Changed || flag.Name == "help" || flag.Name == "version" || err != nil {
			return
		}
		if bad := flags.Set(flag.Name, value); bad != nil {
			err = usageError{fmt.Errorf("%s is %q: %w", name, value, bad)}
		}
	})
	return err
}

// check returns an error for the first flag whose value makes no sense.
func (f *serveFlags) check(flags *pflag.FlagSet) error {
	wrong := func(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
	for name, n := range map[string]int64{
		"workers": int64(f.workers), "runs-per-minute": int64(f.perMinute), "runs-per-visitor": int64(f.perVisitor),
		"queue": int64(f.queue), "queue-per-visitor": int64(f.queueVisitor), "run-memory-mib": f.runMiB,
	} {
		if (n < 1 || n > maxMiB) && (n != 0 || flags.Changed(name)) {
			return wrong("--%s is %d, expected 1 to %d", name, n, maxMiB)
		}
	}
	if f.runTime < 0 || f.runTime == 0 && flags.Changed("run-time") {
		return wrong("--run-time is %v, expected more than 0", f.runTime)
	}
	if f.classes < 0 || f.classes > store.MaxClasses {
		return wrong("--classes is %d, expected 0 to %d", f.classes, store.MaxClasses)
	}
	if f.reuse < 0 || f.reuse > maxMiB {
		return wrong("--reuse-mib is %d, expected 0 to %d", f.reuse, maxMiB)
	}
	if f.log != "text" && f.log != "json" {
		return wrong("--log is %q, expected text or json", f.log)
	}
	for _, h := range f.hosts {
		if h == "" || strings.ContainsAny(h, "/*@ ") || strings.Contains(h, ":") && net.ParseIP(strings.Trim(h, "[]")) == nil {
			return wrong("--host is %q, expected a name or address without scheme or port, such as irscope.example.org", h)
		}
	}
	for i, p := range f.proxies {
		if addr, err := netip.ParseAddr(p); err == nil {
			f.proxies[i] = netip.PrefixFrom(addr, addr.BitLen()).String()
		} else if _, err := netip.ParsePrefix(p); err != nil {
			return wrong("--trusted-proxy is %q, expected an address or a range, such as 127.0.0.1 or 10.0.0.0/8", p)
		}
	}
	if err := web.CheckOrigins(f.origins); err != nil {
		return usageError{fmt.Errorf("--origin: %w", err)}
	}
	if err := web.CheckEmbed(f.embed); err != nil {
		return usageError{fmt.Errorf("--embed-origin: %w", err)}
	}
	return nil
}

// logger returns where the server writes what an operator wants to know.
func (f *serveFlags) logger() *slog.Logger {
	w := &terminal.Filter{W: os.Stderr} // handlers write a line at a time, under a lock
	if f.log == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// names returns the names under which the server answers. A server beyond this machine needs to be told its own: under any
// name, a foreign page whose name resolves to it would be one of ours.
func (f *serveFlags) names(addr net.Addr) ([]string, error) {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() {
		names := slices.Concat(web.LoopbackNames, f.hosts)
		if ip := tcp.IP.String(); !slices.Contains(names, ip) {
			names = append(names, ip)
		}
		return names, nil
	}
	if len(f.hosts) == 0 {
		return nil, usageError{fmt.Errorf("%s can be reached from other machines, so the server must know its host names, "+
			"or pages of other sites could access it through names of their own: use --host NAME (docs/deploy.md)", addr)}
	}
	return f.hosts, nil
}

// limits returns by which numbers runs are admitted and what one may take.
func (f *serveFlags) limits(local bool) (run.Admission, run.Limits) {
	a, l := run.DefaultAdmission(f.workers), run.DefaultLimits()
	if local {
		a.PerMinute, l.Memory, l.Time = localPerMinute, localMemory, localTime
	}
	if f.perMinute > 0 {
		a.PerMinute = f.perMinute
	}
	if f.runTime > 0 {
		l.Time = f.runTime
	}
	if f.runMiB > 0 {
		l.Memory = f.runMiB << 20
	}
	a.PerVisitor, a.Queue, a.QueuePerVisitor = f.perVisitor, f.queue, f.queueVisitor
	a.Memory = int64(f.workers) * l.Memory
	return a, l
}
