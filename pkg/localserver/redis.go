package localserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// flushAndExit makes Redis write pending data to its append-only file.
const flushAndExit = syscall.SIGTERM

// Redis is a running Redis server.
type Redis struct{ server }

// StartRedis starts a Redis server and returns when the server has loaded its data and accepts commands. The server
// runs until ctx ends, Stop is called or this process ends. It fails with ErrMissing if Redis is not installed.
func StartRedis(ctx context.Context, options Options) (*Redis, error) {
	return startRedis(ctx, func(place *place, socket string) ([]string, error) {
		return redisArgs(place.dir, socket, options), nil
	}, options)
}

// StartSentinel starts a Redis Sentinel, like StartRedis, with settings by Sentinel's names in this order: "port",
// "sentinel monitor" and so on. It loses the state that it has discovered when it is stopped.
func StartSentinel(ctx context.Context, settings [][2]string) (*Redis, error) {
	return startRedis(ctx, func(place *place, socket string) ([]string, error) {
		lines := []string{"unixsocket " + socket, "dir " + place.dir}
		for _, setting := range settings {
			lines = append(lines, setting[0]+" "+setting[1])
		}
		file := filepath.Join(place.dir, "sentinel.conf") // Sentinel writes into it
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("write Sentinel's configuration: %w", err)
		}
		return []string{file, "--sentinel"}, nil
	}, Options{})
}

func startRedis(ctx context.Context, args func(place *place, socket string) ([]string, error), options Options) (*Redis, error) {
	path, err := findRedis(ctx)
	if err != nil {
		return nil, err
	}
	place, err := open(ctx, options, account{}, flushAndExit)
	if err != nil {
		return nil, err
	}
	r := &Redis{}
	r.place = place
	r.socket = filepath.Join(place.socket, "redis.sock")
	arguments, err := args(place, r.socket)
	if err != nil {
		return nil, errors.Join(err, place.close())
	}
	r.launch = launch{
		path: path,
		args: arguments,
		log:  filepath.Join(place.dir, "redis.log"),
		at:   place,
		stop: flushAndExit,
	}
	// While Redis loads its data, it responds with an error.
	r.ready = func(int) (bool, error) {
		answer, err := ask(r.socket, "PING\r\n")
		return err == nil && strings.HasPrefix(answer, "+PONG"), nil
	}
	if err := r.stopLeftover(ctx); err != nil {
		return nil, errors.Join(err, place.close())
	}
	if err := r.begin(ctx); err != nil {
		return nil, errors.Join(err, place.close())
	}
	return r, nil
}

func redisArgs(dir, socket string, options Options) []string {
	settings := map[string]string{
		"port":           "0",
		"unixsocket":     socket,
		"unixsocketperm": "700",
		"dir":            dir,
		"save":           "",
		"daemonize":      "no",
		"appendonly":     "no",
	}
	if options.Durable {
		settings["appendonly"] = "yes"
		settings["appendfsync"] = "everysec"
	}
	maps.Copy(settings, options.Settings)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "--"+name, settings[name])
	}
	return args
}

// URL returns the URL of the server, in the form that go-redis accepts. It doesn't change with restarts.
func (r *Redis) URL() string { return "unix://" + r.socket }

// Socket returns the path of the server's Unix socket, for redis-cli -s.
func (r *Redis) Socket() string { return r.socket }

// DataDir returns the directory of the append-only file and the log.
func (r *Redis) DataDir() string { return r.place.dir }
