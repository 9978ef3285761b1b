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
	defaults    inputs.Defaults
}

// discoveryInterval is how often optional kinds are discovered.
const discoveryInterval = time.Minute

// schemaPatience is how long the API server may take to publish CRDs.
const schemaPatience = 30 * time.Second

var errNamespace = errors.New("leader election needs -namespace or POD_NAMESPACE: the namespace that the operator runs in")

// parse reads flags, whose defaults the environment can set.
func parse(args, environ []string, output io.Writer) (settings, error) {
	env := func(name, otherwise string) string {
		for _, entry := range environ {
			if key, value, _ := strings.Cut(entry, "="); key == name {
				return cmp.Or(value, otherwise)
			}
		}
		return otherwise
	}
	s, namespaces := settings{}, ""
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.StringVar(&namespaces, "watch-namespaces", env("WATCH_NAMESPACES", ""), "namespaces to watch, separated by commas; all if empty (WATCH_NAMESPACES)")
	flags.StringVar(&s.own, "namespace", env("POD_NAMESPACE", ""), "namespace of the operator (POD_NAMESPACE)")
	flags.BoolVar(&s.elect, "leader-elect", env("LEADER_ELECT", "true") == "true", "elect a leader, so that only one of several replicas is active (LEADER_ELECT)")
	flags.StringVar(&s.lease, "lease", env("LEASE", v1alpha1.Manager), "name of the lease for the election; operators in one namespace that watch different ones need different leases (LEASE)")
	flags.StringVar(&s.metricsAddr, "metrics-address", env("METRICS_ADDRESS", ":9090"), "address of the metrics endpoint; 0 disables it (METRICS_ADDRESS)")
	flags.StringVar(&s.healthAddr, "health-address", env("HEALTH_ADDRESS", ":8081"), "address of /healthz and /readyz (HEALTH_ADDRESS)")
	flags.StringVar(&s.defaults.Repository, "repository", env("IMAGE_REPOSITORY", ""), "default repository of the services' images; required (IMAGE_REPOSITORY)")
	flags.StringVar(&s.defaults.PostgresImage, "postgres-image", env("POSTGRES_IMAGE", ""), "image of trial databases; required (POSTGRES_IMAGE)")
	flags.StringVar(&s.defaults.RedisImage, "redis-image", env("REDIS_IMAGE", ""), "image of trial caches; required (REDIS_IMAGE)")
	flags.TextVar(&s.level, "log-level", levelOf(env("LOG_LEVEL", "info")), "debug, info, warn or error (LOG_LEVEL)")
	memory := flags.String("memory-limit", env("MEMORY_LIMIT", "0"), "memory that the container may use, in bytes; the Go runtime keeps to nine tenths of it unless GOMEMLIMIT is set (MEMORY_LIMIT)")
	resync := flags.String("resync", env("RESYNC", "10m"), "how often objects inside servers are compared with their resources (RESYNC)")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unknown flag %q; see -help", flags.Arg(0))
	}
	for _, name := range []string{"repository", "postgres-image", "redis-image"} { // the chart has the defaults
		if flags.Lookup(name).Value.String() == "" {
			return s, fmt.Errorf("-%s is missing; see -help", name)
		}
	}
	if err := s.limitMemory(*memory, env("GOMEMLIMIT", "")); err != nil {
		return s, err
	}
	return s, s.complete(namespaces, *resync)
}

func levelOf(name string) slog.Level {
	level := slog.LevelInfo
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return slog.LevelInfo
	}
	return level
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
