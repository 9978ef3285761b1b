package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// settings are the operator's flags.
type settings struct {
	namespaces  []string // to watch; none: all
	own         string   // the namespace that it runs in
	elect       bool
	lease       string // its name, the same for all pods of which one is active
	metricsAddr string
	healthAddr  string
	level       slog.Level
	resync      time.Duration
	memory      int64 // limit for the Go runtime, in bytes; 0: GOMEMLIMIT, if anything
	garbage     int   // how much the heap grows until garbage is collected, in percent; 0: as GOGC says
	defaults    inputs.Defaults
}

// discoveryInterval is how often optional kinds are discovered.
const discoveryInterval = time.Minute

// responseTime is how long the API server may take to respond at the start.
const responseTime = 5 * time.Second

// garbage is how much the heap grows until garbage is collected, in percent. It is half of Go's default: most of the time the operator
// waits, with what it caches in memory, so collecting more often costs next to nothing.
const garbage = 50

// schemaPatience is how long the API server may take to publish CRDs.
const schemaPatience = 30 * time.Second

var errNamespace = errors.New("leader election needs -namespace or POD_NAMESPACE: the namespace that the operator runs in")

// variables returns the environment variables that set flags, by the flags' names. Arguments override them.
func variables() map[string]string {
	return map[string]string{
		"watch-namespaces": "WATCH_NAMESPACES", "namespace": "POD_NAMESPACE", "leader-elect": "LEADER_ELECT", "lease": "LEASE",
		"metrics-address": "METRICS_ADDRESS", "health-address": "HEALTH_ADDRESS", "repository": "IMAGE_REPOSITORY",
		"postgres-image": "POSTGRES_IMAGE", "redis-image": "REDIS_IMAGE", "log-level": "LOG_LEVEL", "memory-limit": "MEMORY_LIMIT",
		"resync": "RESYNC",
	}
}

// parse reads the environment, in which empty variables have no effect, and then flags.
func parse(args, environ []string, output io.Writer) (settings, error) {
	env := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	s, namespaces, variables := settings{}, "", variables()
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.StringVar(&namespaces, "watch-namespaces", "", "namespaces to watch, separated by commas; all if empty")
	flags.StringVar(&s.own, "namespace", "", "namespace of the operator")
	flags.BoolVar(&s.elect, "leader-elect", true, "elect a leader, so that only one of several replicas is active")
	flags.StringVar(&s.lease, "lease", v1alpha1.Manager, "name of the lease for the election; operators in one namespace that watch different ones need different leases")
	flags.StringVar(&s.metricsAddr, "metrics-address", ":9090", "address of the metrics endpoint; 0 disables it")
	flags.StringVar(&s.healthAddr, "health-address", ":8081", "address of /healthz and /readyz")
	flags.StringVar(&s.defaults.Repository, "repository", "", "default repository of the services' images; required")
	flags.StringVar(&s.defaults.PostgresImage, "postgres-image", "", "image of trial databases; required")
	flags.StringVar(&s.defaults.RedisImage, "redis-image", "", "image of trial caches; required")
	flags.TextVar(&s.level, "log-level", slog.LevelInfo, "debug, info, warn or error")
	memory := flags.String("memory-limit", "0", "memory that the container may use, in bytes; the Go runtime keeps to nine tenths of it unless GOMEMLIMIT is set")
	resync := flags.String("resync", "10m", "how often objects inside servers are compared with their resources")
	var invalid error
	flags.VisitAll(func(f *flag.Flag) {
		variable := variables[f.Name]
		f.Usage += " (" + variable + ")"
		if value := env[variable]; value != "" {
			if err := f.Value.Set(value); err != nil {
				invalid = cmp.Or(invalid, fmt.Errorf("%s: invalid value %q: %w; see -help", variable, value, err))
			}
		}
	})
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q: all settings are flags; see -help", flags.Arg(0))
	case invalid != nil:
		return s, invalid
	}
	for _, name := range []string{"repository", "postgres-image", "redis-image"} { // the chart has the defaults
		if flags.Lookup(name).Value.String() == "" {
			return s, fmt.Errorf("-%s is missing; see -help", name)
		}
	}
	if err := s.limitMemory(*memory, env["GOMEMLIMIT"]); err != nil {
		return s, err
	}
	if env["GOGC"] == "" {
		s.garbage = garbage
	}
	return s, s.complete(namespaces, *resync)
}

// limitMemory leaves room for what the Go runtime doesn't count, such as stacks of system calls and the program itself. With the whole limit
// the kernel could end the program before the runtime collects garbage.
func (s *settings) limitMemory(container, runtime string) error {
	limit, err := strconv.ParseInt(container, 10, 64)
	if err != nil || limit < 0 {
		return fmt.Errorf("-memory-limit: %q is not a number of bytes", container)
	}
	if runtime == "" {
		s.memory = limit / 10 * 9
	}
	return nil
}

// complete parses and checks the remaining settings.
func (s *settings) complete(namespaces, resync string) error {
	s.namespaces = strings.FieldsFunc(namespaces, func(r rune) bool { return r == ',' || r == ' ' })
	s.defaults.Namespace = s.own
	slices.Sort(s.namespaces)
	s.namespaces = slices.Compact(s.namespaces)
	for _, namespace := range s.namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fmt.Errorf("-watch-namespaces: %q is not a valid namespace name: %s", namespace, problems[0])
		}
	}
	var err error
	if s.resync, err = time.ParseDuration(resync); err != nil || s.resync < time.Second {
		return fmt.Errorf("-resync: %q is not a duration of at least 1s, such as 10m", resync)
	}
	if s.elect && s.own == "" {
		return errNamespace
	}
	return nil
}
