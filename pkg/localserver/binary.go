package localserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	oldestPostgres = 15
	oldestRedis    = 7
)

// ErrMissing says that PostgreSQL or Redis is not installed, or is too old. The text names the program and the places
// that were searched.
var ErrMissing = errors.New("not installed")

// version finds the major version in the output of `postgres --version` and `redis-server --version`.
var version = regexp.MustCompile(`(?:PostgreSQL\) |v=)(\d+)`)

// folders returns the folders where package managers put servers that aren't in the PATH.
func folders() []string {
	var found []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/opt/homebrew/opt/redis/bin",
		"/usr/local/opt/redis/bin",
		"/usr/local/bin",
		"/usr/bin",
	} {
		// Only a malformed pattern is an error, and these patterns are well-formed.
		match, err := filepath.Glob(pattern)
		if err == nil {
			found = append(found, match...)
		}
	}
	return found
}

// find returns the path of a program with a wanted major version, in the first folder that has one. It searches the
// PATH first.
func find(ctx context.Context, program string, wanted func(major int) bool, want string) (string, error) {
	path := os.Getenv("PATH") //nolint:forbidigo // where programs are is no configuration of ours.
	dirs := append(filepath.SplitList(path), folders()...)
	var seen strings.Builder
	for _, dir := range dirs {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err != nil || info.IsDir() || !filepath.IsAbs(path) {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		match := version.FindSubmatch(out)
		if err != nil || match == nil {
			continue
		}
		major, err := strconv.Atoi(string(match[1]))
		if err == nil && wanted(major) {
			return path, nil
		}
		fmt.Fprintf(&seen, "; %s is version %d", path, major)
	}
	return "", fmt.Errorf("%s (version %s): %w, looked in the PATH and where package managers put it%s",
		program, want, ErrMissing, seen.String())
}

func findPostgres(ctx context.Context) (string, error) {
	path, err := find(ctx, "postgres", func(major int) bool { return major >= oldestPostgres },
		fmt.Sprintf("%d or later", oldestPostgres))
	if err != nil {
		return "", err
	}
	// The other programs of the same version are where a link leads.
	return filepath.EvalSymlinks(path)
}

// findPostgresOf finds a PostgreSQL of the major version that can read an existing data directory.
func findPostgresOf(ctx context.Context, data string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		return "", err
	}
	var kept int
	if _, err := fmt.Sscan(string(raw), &kept); err != nil {
		return "", fmt.Errorf("read PG_VERSION in %s: %w", data, err)
	}
	return find(ctx, "postgres", func(major int) bool { return major == kept },
		fmt.Sprintf("%d, as %s was made by it", kept, data))
}

func findRedis(ctx context.Context) (string, error) {
	return find(ctx, "redis-server", func(major int) bool { return major >= oldestRedis },
		fmt.Sprintf("%d or later", oldestRedis))
}

// CheckPostgres returns nil if StartPostgres finds a server that it can start, and otherwise an error that matches
// ErrMissing.
func CheckPostgres(ctx context.Context) error {
	_, err := findPostgres(ctx)
	return err
}

// CheckRedis returns nil if StartRedis finds a server that it can start, and otherwise an error that matches
// ErrMissing.
func CheckRedis(ctx context.Context) error {
	_, err := findRedis(ctx)
	return err
}
