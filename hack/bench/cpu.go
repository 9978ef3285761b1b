//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// tick is the unit of processor time in /proc, the same on every architecture (USER_HZ).
const tick = 10 * time.Millisecond

// usage is the information in /proc about a process.
type usage struct {
	parent int
	used   time.Duration // by it and by its children that have ended
}

// times are processor times, one for each of several processes.
type times []time.Duration

// total returns their sum.
func (t times) total() time.Duration {
	sum := time.Duration(0)
	for _, d := range t {
		sum += d
	}
	return sum
}

// processes returns all processes of the machine by their ids.
func processes() (map[int]usage, error) {
	found, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	all := map[int]usage{}
	for _, p := range found {
		stat, err := p.Stat()
		if err != nil {
			continue // it has ended
		}
		ticks := int(stat.UTime+stat.STime) + stat.CUTime + stat.CSTime
		all[p.PID] = usage{parent: stat.PPID, used: time.Duration(ticks) * tick}
	}
	return all, nil
}

// rootOf returns the index in roots of the process that pid is or descends from, or -1.
func rootOf(pid int, all map[int]usage, roots []int) int {
	for at := pid; at > 0; at = all[at].parent {
		if i := slices.Index(roots, at); i >= 0 {
			return i
		}
	}
	return -1
}

// eachThread calls do for all threads of processes and of their descendants. New threads inherit the attributes that do
// sets.
func eachThread(roots []int, do func(tid int) error) error {
	for range 2 { // the second time for threads that others have started meanwhile, before do was called for these
		all, err := processes()
		if err != nil {
			return err
		}
		for pid := range all {
			if rootOf(pid, all, roots) < 0 {
				continue
			}
			threads, err := procfs.AllThreads(pid)
			if err != nil {
				continue // it has ended
			}
			for _, thread := range threads {
				if err := do(thread.PID); err != nil && !errors.Is(err, unix.ESRCH) {
					return fmt.Errorf("set how process %d is scheduled: %w", pid, err)
				}
			}
		}
	}
	return nil
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

// spend returns the processor time that processes need for work, minus what they use when idle, which is measured for a
// second before.
func spend(ctx context.Context, roots []int, work func() error) (times, error) {
	idleSince := time.Now()
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
	spent, err := used(roots)
	if err != nil {
		return nil, err
	}
	longer := float64(time.Since(started)) / float64(started.Sub(idleSince))
	for i := range spent {
		spent[i] -= start[i] + time.Duration(float64(start[i]-first[i])*longer)
	}
	return spent, nil
}

// settle waits until processes have been almost idle for a moment. It fails if they are busy for a minute.
func settle(ctx context.Context, roots []int) error {
	const (
		look   = 250 * time.Millisecond
		little = 2 * tick
	)
	last, err := used(roots)
	if err != nil {
		return err
	}
	for limit := time.Now().Add(time.Minute); ; {
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
			return errors.New("the servers are still busy after a minute")
		}
		last = now
	}
}

// resident returns the memory of a process that is in use, in bytes.
func resident(pid int) (int64, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	return int64(status.VmRSS), nil
}

// machine is the total time of the machine's processors, in seconds: busy, and including idle time.
type machine struct{ busy, all float64 }

func readMachine() (machine, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return machine{}, err
	}
	stat, err := proc.Stat()
	t := stat.CPUTotal // guests are in user time already
	busy := t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	return machine{busy: busy, all: busy + t.Idle + t.Iowait}, err
}

// busySince returns the share of the machine's processors that all its processes used since before, from 0 to 1.
func (m machine) busySince(before machine) float64 {
	return (m.busy - before.busy) / max(m.all-before.all, 0.01)
}

// pause waits for d, or fails when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
