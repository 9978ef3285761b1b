//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// measureAttack is A1: what one account's sends take, alone and while others do what costs them little and the server
// much. The others are as fast as one processor lets them be: they are a process of its own that is kept on the first
// processor, with one thread at a time. All servers are kept on the other processors, alone as well as under attack,
// so that the ratio is about what the attack does to the server and not about who gets which processor. The
// sender, which measures and mostly waits, is on the attackers' processor, and they run only while it has nothing to do: it
// neither waits for them nor takes anything from the servers. How well that works is measured, too: sends beside a process
// that keeps the first processor as busy, and has nothing to do with the server, have to take as long as alone.
// Nobody's calls are limited in number; a limit for each account would be no hindrance for many accounts.
func (b *bench) measureAttack(ctx context.Context) (err error) {
	all, first, others, err := processors()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keepOn(b.servers(), all), keepOn([]int{os.Getpid()}, all)) }()
	// The servers are descendants of this process, so they come second.
	if err := errors.Join(keepOn([]int{os.Getpid()}, first), keepOn(b.servers(), others)); err != nil {
		return err
	}
	requests := [][][]byte{b.messages(roomOwner(0), b.org.rooms[0])}
	p99 := row{Goal: "A1", What: fmt.Sprintf("send p99, 1 sender, beside %d attackers against alone", attackers), Unit: "ms", Reach: reach{Most: 3}}
	busy := row{Goal: "A1", What: "the same beside a busy processor, without the server", Unit: "ms"}
	if b.kind != "" {
		p99.What += ", those with " + b.kind + " only"
	}
	for pair := range b.pairs {
		say("A1, pair %d", pair+1)
		if err := settle(ctx, b.servers()); err != nil {
			return err
		}
		alone, err := sendFor(ctx, b.api.addr, requests, b.seconds)
		if err != nil {
			return err
		}
		beside, err := b.sendAttacked(ctx, requests, first, spinning)
		if err != nil {
			return err
		}
		attacked, err := b.sendAttacked(ctx, requests, first, b.kind)
		if err != nil {
			return err
		}
		if err := errors.Join(alone.failure(), beside.failure(), attacked.failure()); err != nil {
			return err
		}
		quiet := milliseconds(quantile(alone.latencies, 0.99))
		p99.addPair(milliseconds(quantile(attacked.latencies, 0.99)), quiet)
		busy.addPair(milliseconds(quantile(beside.latencies, 0.99)), quiet)
		p99.Note = fmt.Sprintf("last p50 %s ms, alone %s ms; a second had %s; the servers had %.0f %% of a processor, %s",
			number(milliseconds(quantile(attacked.latencies, 0.5))), number(milliseconds(quantile(alone.latencies, 0.5))),
			attacked.done.perSecond(attacked.elapsed), 100*attacked.spent.total().Seconds()/attacked.elapsed.Seconds(), shares(attacked.spent))
		say("A1, pair %d: p99 %s ms, alone %s ms, beside a busy processor %s ms; %s", pair+1, number(p99.Ours[pair]), number(quiet), number(busy.Ours[pair]), p99.Note)
	}
	b.table.add(p99, busy)
	return nil
}

// besides is what came of sending beside attackers.
type besides struct {
	*sent

	done  attacks
	spent times // of the servers
}

// sendAttacked sends while attackers of a kind are at it, on a processor where they run only while nobody else does.
func (b *bench) sendAttacked(ctx context.Context, requests [][][]byte, on unix.CPUSet, kind string) (result besides, err error) {
	addr, err := freeAddr()
	if err != nil {
		return result, err
	}
	path, err := os.Executable()
	if err != nil {
		return result, err
	}
	attackURL := "http://" + addr + "/attack"
	s := &service{
		name: "attackers", addr: addr, path: path, args: []string{attackCommand, addr, b.api.addr, kind}, log: filepath.Join(b.dir, "attackers.log"),
		env: append(os.Environ(), "GOMAXPROCS=1"),
	}
	defer func() { err = errors.Join(err, s.kill()) }()
	if err := s.start(ctx); err != nil {
		return result, err
	}
	if err := errors.Join(keepOn([]int{s.pid()}, on), eachThread([]int{s.pid()}, idle)); err != nil {
		return result, err
	}
	if err := ask(ctx, http.MethodPost, attackURL, "", "", nil); err != nil {
		return result, err
	}
	if _, err := sendFor(ctx, b.api.addr, requests, b.seconds/4); err != nil { // until the attack has its full force
		return result, err
	}
	before, after := attacks{}, attacks{}
	if err := ask(ctx, http.MethodGet, attackURL, "", "", &before); err != nil {
		return result, err
	}
	began, err := used(b.servers())
	if err != nil {
		return result, err
	}
	if result.sent, err = sendFor(ctx, b.api.addr, requests, b.seconds); err != nil {
		return result, err
	}
	if result.spent, err = used(b.servers()); err != nil {
		return result, err
	}
	for i := range began {
		result.spent[i] -= began[i]
	}
	err = ask(ctx, http.MethodGet, attackURL, "", "", &after)
	result.done = after.since(before)
	return result, err
}

// processors are those that this process may use, the first of them and the others.
func processors() (all, first, others unix.CPUSet, err error) {
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return all, first, others, fmt.Errorf("read processors: %w", err)
	}
	if all.Count() < 2 {
		return all, first, others, errors.New("attackers and servers need a processor each, and there is one")
	}
	others = all
	for cpu := 0; first.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			first.Set(cpu)
			others.Clear(cpu)
		}
	}
	return all, first, others, nil
}

// keepOn keeps processes with all their threads and descendants, also those to come, on some processors.
func keepOn(roots []int, cpus unix.CPUSet) error {
	return eachThread(roots, func(tid int) error { return unix.SchedSetaffinity(tid, &cpus) })
}

// idle has a thread run only while its processor has nothing else to do. The lowest priority isn't enough: who wakes up would
// still wait for a millisecond or so.
func idle(tid int) error {
	return unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}

// eachThread does something to all threads of processes and their descendants. Those to come inherit it.
func eachThread(roots []int, do func(tid int) error) error {
	for range 2 { // what begins meanwhile comes from what was looked at already, or is found the second time
		pids, err := family(roots)
		if err != nil {
			return err
		}
		for _, pid := range pids {
			tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
			if err != nil {
				return err
			}
			for _, task := range tasks {
				tid, err := strconv.Atoi(filepath.Base(task))
				if err != nil {
					return err
				}
				if err := do(tid); err != nil && !errors.Is(err, unix.ESRCH) {
					return fmt.Errorf("set how process %d is scheduled: %w", pid, err)
				}
			}
		}
	}
	return nil
}
