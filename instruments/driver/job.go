package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// The pipeline that settings stand for that name none, and what a pipeline is called whose passes are listed.
const (
	DefaultPipeline = "default"
	CustomPipeline  = "custom"
)

// Request is what is asked for: names and texts as their author wrote them. Only Source is required.
type Request struct {
	Source   Source
	Settings request.Settings
	// Passes, where not empty, lists the passes in the notation of pipeline.Parse, in place of the steps of the settings.
	Passes string
	// AnyLevel has what Passes lists run whatever its level, and with its own defaults where a pipeline would give it others.
	AnyLevel bool
	// Print, if not nil, takes what scripts and the program print, at once. Otherwise scripts are heard in events.
	Print io.Writer
	// Memory bounds what a tensor that is made up takes, and the memory of a device, in bytes; 0 is no bound of the run.
	Memory int64
	Inputs Inputs
	// Fixed says what code for the sizes of an execution is for.
	Fixed Fixed
}

// Inputs say on what, and how often, the program runs. The zero value makes all inputs up, and times the program as often as
// fits in a short time.
type Inputs struct {
	// Function is the public function that runs; "" is the entry.
	Function string
	// Given returns the tensor for a parameter, nil where it is to be made up.
	Given func(param int) *tensor.Tensor
	// Named has tensors for parameters by their names, and Expected outputs that are expected, by theirs.
	Named, Expected map[string]Named
	// Guess takes sizes that nothing says as 1, where it is an error otherwise.
	Guess bool
	// Repeat is the number of timed runs; 0 leaves it to the time that they take.
	Repeat int
}

// Named is a tensor and where it is from, such as the name of a file.
type Named struct {
	Tensor *tensor.Tensor
	From   string
}

// Fixed says what code that is compiled again for the sizes of symbolic dimensions in an execution is for.
type Fixed int

// What code for fixed sizes is for.
const (
	NotFixed     Fixed = iota
	FixedBeside        // it is timed beside the code for all sizes
	FixedInstead       // it runs in place of the code for all sizes
)

// Job is a request with everything looked up that it names.
type Job struct {
	Request
	Target target.Target
	Config map[string]any
	// Registry finds the passes of the compiler and of the scripts.
	Registry pass.Registry
	// Pipeline is what runs, without the edits of the IR, and Name what it is called.
	Pipeline *pass.Pass
	Name     string

	registry  registry
	user      *userPasses
	schedules []*pass.Pass // that users wrote
}

// Resolve looks up what a request names. It returns all that is wrong with the settings; Problems.Fatal tells whether there is
// a job all the same. The error is that of a context that has ended.
func Resolve(ctx context.Context, req Request) (*Job, Problems, error) {
	j := &Job{Request: req, Name: DefaultPipeline}
	s := req.Settings
	var found Problems
	var err error
	if j.Target, err = Target(s.Target); err != nil {
		found = append(found, Problem{Field: FieldTarget, Message: "target: " + err.Error(), Err: err})
	} else if named, err := target.Parse(s.Target); err == nil && !named.Equal(j.Target) {
		j.Settings.Target = j.Target.String()
	}
	j.user, err = readScripts(ctx, s.Scripts, req.Print)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, append(found, Problem{Field: FieldScripts, Message: err.Error(), Err: err}), nil
	}
	if j.schedules, err = readSchedules(s.Schedules, req.Print); err != nil {
		return nil, append(found, Problem{Field: FieldSchedules, Message: err.Error(), Err: err}), nil
	}
	j.registry = registry{pipeline.NewRegistry(), j.Target, j.user.passes, j.AnyLevel}
	j.Registry = j.registry
	for _, p := range j.schedules {
		j.registry.adopt(p)
	}
	wrong := j.resolvePipeline()
	found = append(found, j.unknownPasses()...)
	config, problems := configValues(s.Config)
	j.Config, found = config, append(found, problems...)
	return j, append(found, wrong...), nil
}

// Target returns the target that settings mean by a text, "" for the default one: with the features of this machine where it stands for that. It is
// the one place where a job learns of the machine: what it compiles depends on the result alone.
func Target(text string) (target.Target, error) {
	t, err := target.Parse(orDefault(text, target.Default().String()))
	var unknown target.UnknownKindError
	if errors.As(err, &unknown) {
		if near := nearest.Name(unknown.Name, slices.Values(unknown.Known)); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	if err != nil {
		return t, err
	}
	return compiler.ForMachine(t)
}

// resolvePipeline looks the pipeline and its steps up.
func (j *Job) resolvePipeline() (found Problems) {
	s := j.Settings
	switch {
	case s.Steps != nil:
		j.Name = CustomPipeline
		var children []*pass.Pass
		if children, found = chosenSteps(s.Steps, j.registry, "", "1"); len(found) == 0 {
			j.Pipeline = pass.NewSequential(CustomPipeline, children...)
		}
	case j.Passes != "":
		j.Name = CustomPipeline
		list, err := pipeline.Parse(j.Passes, j.registry, j.Target)
		if err != nil {
			return Problems{{Field: FieldPasses, Message: err.Error(), Err: err}}
		}
		for i, p := range list {
			if j.AnyLevel && p.Level > 0 {
				at0 := *p
				at0.Level = 0
				list[i] = &at0
			}
		}
		j.Pipeline = pass.NewSequential(CustomPipeline, list...)
	default:
		j.Name = orDefault(s.Pipeline, DefaultPipeline)
		var err error
		if j.Pipeline, err = pipeline.Lookup(j.Name, j.Target); err != nil {
			return Problems{{Field: FieldPipeline, Message: err.Error(), Err: err}}
		}
	}
	return found
}

// unknownPasses finds names of passes to require and to disable that nothing has. Steps that apply edits have names, too.
func (j *Job) unknownPasses() (found Problems) {
	for _, p := range j.Settings.Patches {
		j.registry.adopt(EditOf(p).Pass(nil))
	}
	for _, l := range []struct {
		field string
		names []string
	}{{FieldRequired, j.Settings.Required}, {FieldDisabled, j.Settings.Disabled}} {
		for _, name := range l.names {
			if _, err := j.PassName(name); err != nil {
				found = append(found, Problem{Field: l.field, Pass: name, Message: err.Error(), Err: err})
			}
		}
	}
	return found
}

// PassName returns the name of the pass that is called n, possibly by an alias. Pipelines count too, and the sequences of the
// pipeline that runs. In the pipeline of Relay, X means relay.X where there is one. The error is a *pass.UnknownPassError.
func (j *Job) PassName(n string) (string, error) {
	if j.Settings.Pipeline == pipeline.Relay {
		if p := j.Registry.Lookup(pipeline.RelayPrefix + n); p != nil {
			return p.Name, nil
		}
	}
	if p := j.Registry.Lookup(n); p != nil {
		return p.Name, nil
	}
	if isSequence(j.Settings.Steps, n) || j.Pipeline != nil && j.Pipeline.Holds(n) {
		return n, nil
	}
	return "", &pass.UnknownPassError{Name: n, Near: j.Registry.Nearest(n)}
}

// passNames returns the names that passes have where others stand for them, see PassName; names of nothing stay.
func (j *Job) passNames(names []string) []string {
	out := slices.Clone(names)
	for i, n := range out {
		if name, err := j.PassName(n); err == nil {
			out[i] = name
		}
	}
	return out
}

// Partial tells whether the pipeline is a named one, or steps made of one, that does not promise code.
func (j *Job) Partial() bool {
	return orDefault(j.Settings.Pipeline, DefaultPipeline) != DefaultPipeline
}

// Compiler returns the request of the compiler to run a pipeline of the job on a module.
func (j *Job) Compiler(m *ir.Module, pl *pass.Pass, watches ...*pass.Instrument) compiler.Request {
	return compiler.Request{
		Module: m, Target: j.Target, Pipeline: pl, OptLevel: &j.Settings.OptLevel,
		Required: j.passNames(j.Settings.Required), Disabled: j.passNames(j.Settings.Disabled), Config: j.Config,
		Registry: j.Registry, Instruments: watches,
	}
}

// Key returns the hash of what a compilation depends on besides the module: the request without what changes no code. use says
// what the key is for.
func (j *Job) Key(use string) string {
	what := j.Settings
	what.Bindings, what.Seed, what.Rewrites, what.Profile = nil, 0, false, 0
	what.Inputs, what.Expected = nil, nil
	data, err := json.Marshal([]any{use, what, j.Passes, j.AnyLevel})
	if err != nil {
		panic(fmt.Sprintf("settings that were read do not print: %v", err)) // they are plain data
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Watches returns the instruments of the job's scripts. What they say goes to sink.
func (j *Job) Watches(ctx context.Context, sink event.Sink) ([]*pass.Instrument, error) {
	return j.user.instruments(ctx, sink)
}

// configValues turns options from JSON into values of the compiler, and finds those that it does not take.
func configValues(config map[string]any) (map[string]any, Problems) {
	out := make(map[string]any, len(config))
	var found Problems
	for _, key := range slices.Sorted(maps.Keys(config)) {
		v, err := value(config[key])
		wrong := Problem{Field: FieldConfig, Config: key, Fatal: err != nil}
		if out[key] = v; err == nil {
			_, err = pass.NewConfig(map[string]any{key: v})
		}
		if err != nil {
			wrong.Message, wrong.Err = err.Error(), err
			found = append(found, wrong)
		}
	}
	return out, found
}

// orDefault returns s without blanks around it, or a default for "".
func orDefault(s, def string) string {
	if s = strings.TrimSpace(s); s == "" {
		return def
	}
	return s
}
