package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"chatserver.dev/operator/internal/inputs"
)

// settings are the operator's flags.
type settings struct {
	namespaces  []string // to look at; none: all
	own         string   // the namespace that it runs in
	elect       bool
	metricsAddr string
	healthAddr  string
	level       slog.Level
	resync      time.Duration
	defaults    inputs.Defaults
}

// discoveryInterval is how often it is asked which optional kinds are served.
const discoveryInterval = time.Minute

// schemaPatience is how long CRDs may take to be served.
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
	flags.StringVar(&namespaces, "watch-namespaces", env("WATCH_NAMESPACES", ""), "namespaces to look at, with commas between; none: all (WATCH_NAMESPACES)")
	flags.StringVar(&s.own, "namespace", env("POD_NAMESPACE", ""), "the namespace that the operator runs in (POD_NAMESPACE)")
	flags.BoolVar(&s.elect, "leader-elect", env("LEADER_ELECT", "true") == "true", "let one of several operators work (LEADER_ELECT)")
	flags.StringVar(&s.metricsAddr, "metrics-address", env("METRICS_ADDRESS", ":9090"), "where metrics are served; 0: nowhere (METRICS_ADDRESS)")
	flags.StringVar(&s.healthAddr, "health-address", env("HEALTH_ADDRESS", ":8081"), "where /healthz and /readyz are served (HEALTH_ADDRESS)")
	flags.StringVar(&s.defaults.Repository, "repository", env("IMAGE_REPOSITORY", "ghcr.io/chatserver/chatserver"), "of the services' images, where the spec names none (IMAGE_REPOSITORY)")
	flags.StringVar(&s.defaults.PostgresImage, "postgres-image", env("POSTGRES_IMAGE", "docker.io/library/postgres:17"), "of trial databases (POSTGRES_IMAGE)")
	flags.StringVar(&s.defaults.RedisImage, "redis-image", env("REDIS_IMAGE", "docker.io/library/redis:7"), "of trial caches (REDIS_IMAGE)")
	flags.TextVar(&s.level, "log-level", levelOf(env("LOG_LEVEL", "info")), "debug, info, warn or error (LOG_LEVEL)")
	resync := flags.String("resync", env("RESYNC", "10m"), "how often what is inside servers is compared with its resources (RESYNC)")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("%q is no flag; see -help", flags.Arg(0))
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

// complete reads and checks what flags alone can't.
func (s *settings) complete(namespaces, resync string) error {
	s.namespaces = strings.FieldsFunc(namespaces, func(r rune) bool { return r == ',' || r == ' ' })
	s.defaults.Namespace = s.own
	slices.Sort(s.namespaces)
	s.namespaces = slices.Compact(s.namespaces)
	for _, namespace := range s.namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fmt.Errorf("-watch-namespaces: %q is no name of a namespace: %s", namespace, problems[0])
		}
	}
	var err error
	if s.resync, err = time.ParseDuration(resync); err != nil || s.resync < time.Second {
		return fmt.Errorf("-resync: %q is no time of a second or more: 10m is", resync)
	}
	if s.elect && s.own == "" {
		return errNamespace
	}
	return nil
}
