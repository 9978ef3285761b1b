//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc, the same on every architecture (USER_HZ).
const tick = 10 * time.Millisecond

// usage is what /proc/PID/stat says of one process.
type usage struct {
	parent int
	used   time.Duration // by it and by its children that have ended
}

// parseStat reads the line of /proc/PID/stat. The name, in parentheses, may contain anything.
func parseStat(line string) (usage, error) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 15 {
		return usage{}, fmt.Errorf("%q is no line of /proc/PID/stat", line)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return usage{}, fmt.Errorf("read parent process: %w", err)
	}
	u := usage{parent: parent}
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return usage{}, fmt.Errorf("read processor time: %w", err)
		}
		u.used += time.Duration(ticks) * tick
	}
	return u, nil
}

// times are processor times, one for each of several processes.
type times []time.Duration

// total is their sum.
func (t times) total() time.Duration {
	sum := time.Duration(0)
	for _, d := range t {
		sum += d
	}
	return sum
}

// processes are all there are.
func processes() (map[int]usage, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	all := map[int]usage{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		if all[pid], err = parseStat(string(raw)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// rootOf is the index of the one of some processes that a process is or descends from; -1: of none.
func rootOf(pid int, all map[int]usage, roots []int) int {
	for at := pid; at > 0; at = all[at].parent {
		if i := slices.Index(roots, at); i >= 0 {
			return i
		}
	}
	return -1
}

// family is processes with all their descendants.
func family(roots []int) (pids []int, err error) {
	all, err := processes()
	for pid := range all {
		if rootOf(pid, all, roots) >= 0 {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// used returns the processor times so far of processes, each with all its descendants.
func used(roots []int) (times, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if _, there := all[root]; !there {
			return nil, fmt.Errorf("process %d is gone", root)
		}
	}
	sums := make(times, len(roots))
	for pid, u := range all {
		if i := rootOf(pid, all, roots); i >= 0 {
			sums[i] += u.used
		}
	}
	return sums, nil
}

// spend returns the processor time that processes need for work, beyond what they use when idle, which
// is measured for a second before.
func spend(ctx context.Context, roots []int, work func() error) (times, error) {
	began := time.Now()
	first, err := used(roots)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, time.Second); err != nil {
		return nil, err
	}
	start, err := used(roots)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := work(); err != nil {
		return nil, err
	}
	end, err := used(roots)
	if err != nil {
		return nil, err
	}
	longer := float64(time.Since(started)) / float64(started.Sub(began))
	spent := make(times, len(roots))
	for i := range roots {
		idle := time.Duration(float64(start[i]-first[i]) * longer)
		spent[i] = end[i] - start[i] - idle
	}
	return spent, nil
}

// settle waits until processes hardly do anything for a while.
func settle(ctx context.Context, roots []int) error {
	const (
		look   = 250 * time.Millisecond
		little = 2 * tick
	)
	limit := time.Now().Add(time.Minute)
	last, err := used(roots)
	for err == nil {
		if err := pause(ctx, look); err != nil {
			return err
		}
		now, err := used(roots)
		if err != nil {
			return err
		}
		if now.total()-last.total() <= little {
			return nil
		}
		if time.Now().After(limit) {
			return errors.New("the servers don't come to rest")
		}
		last = now
	}
	return err
}

// resident returns the memory of a process that is in use, in bytes.
func resident(pid int) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	_, rest, _ := bytes.Cut(raw, []byte("\nVmRSS:"))
	fields := bytes.Fields(rest)
	if len(fields) < 2 || string(fields[1]) != "kB" {
		return 0, fmt.Errorf("process %d has no memory", pid)
	}
	kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return kilobytes * 1024, err
}

// machine is what the machine's processors have done so far.
type machine struct{ busy, all float64 }

func readMachine() (machine, error) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machine{}, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	m := machine{}
	for i, field := range strings.Fields(line)[1:] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return machine{}, err
		}
		if i >= 8 { // guests are in user time already
			break
		}
		m.all += ticks
		if i != 3 && i != 4 { // idle, waiting for disks
			m.busy += ticks
		}
	}
	return m, nil
}

// busySince is the share of the machine that was in use, by whomever.
func (m machine) busySince(before machine) float64 {
	return (m.busy - before.busy) / max(m.all-before.all, 1)
}

// pause waits unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
