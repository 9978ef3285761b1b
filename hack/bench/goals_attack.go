//go:build linux

package main

import (
	"context"
	"encoding/json"
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
// attackers have the lowest priority: the sender, which measures and mostly waits, isn't kept from its processor.
// Nobody's calls are limited in number; a limit for each account would be no hindrance for many accounts.
func (b *bench) measureAttack(ctx context.Context) (err error) {
	all, first, others, err := processors()
	if err != nil {
		return err
	}
	if err := keepOn(b.servers(), others); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keepOn(b.servers(), all)) }()
	requests := [][][]byte{b.messages(roomOwner(0), b.org.rooms[0])}
	p99 := row{Goal: "A1", What: fmt.Sprintf("send p99, 1 sender, beside %d attackers against alone", attackers), Unit: "ms", Reach: reach{Most: 3}}
	for pair := range b.pairs {
		say("A1, pair %d", pair+1)
		if err := settle(ctx, b.servers()); err != nil {
			return err
		}
		alone, err := sendFor(ctx, b.api.addr, requests, b.seconds)
		if err != nil {
			return err
		}
		attacked, done, err := b.sendAttacked(ctx, requests, first)
		if err != nil {
			return err
		}
		if err := errors.Join(alone.failure(), attacked.failure()); err != nil {
			return err
		}
		p99.addPair(milliseconds(quantile(attacked.latencies, 0.99)), milliseconds(quantile(alone.latencies, 0.99)))
		p99.Note = fmt.Sprintf("last p50 %s ms, alone %s ms; a second had %s", number(milliseconds(quantile(attacked.latencies, 0.5))),
			number(milliseconds(quantile(alone.latencies, 0.5))), done.perSecond(attacked.elapsed))
		say("A1, pair %d: p99 %s ms, alone %s ms; %s", pair+1, number(p99.Ours[pair]), number(p99.Floor[pair]), p99.Note)
	}
	b.table.add(p99)
	return nil
}

// sendAttacked sends while the attack goes on.
func (b *bench) sendAttacked(ctx context.Context, requests [][][]byte, on unix.CPUSet) (result *sent, done attacks, err error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, done, err
	}
	path, err := os.Executable()
	if err != nil {
		return nil, done, err
	}
	s := &service{
		name: "attackers", addr: addr, path: path, args: []string{attackCommand, addr, b.api.addr}, log: filepath.Join(b.dir, "attackers.log"),
		env: append(os.Environ(), "GOMAXPROCS=1"),
	}
	defer func() { err = errors.Join(err, s.kill()) }()
	if err := s.start(ctx); err != nil {
		return nil, done, err
	}
	err = errors.Join(keepOn([]int{s.pid()}, on), unix.Setpriority(unix.PRIO_PROCESS, s.pid(), 19))
	if err != nil {
		return nil, done, fmt.Errorf("keep attackers on a processor: %w", err)
	}
	if err := askAttackers(ctx, addr, http.MethodPost, nil); err != nil {
		return nil, done, err
	}
	if _, err := sendFor(ctx, b.api.addr, requests, b.seconds/4); err != nil { // until the attack has its full force
		return nil, done, err
	}
	before := attacks{}
	if err := askAttackers(ctx, addr, http.MethodGet, &before); err != nil {
		return nil, done, err
	}
	if result, err = sendFor(ctx, b.api.addr, requests, b.seconds); err != nil {
		return nil, done, err
	}
	err = askAttackers(ctx, addr, http.MethodGet, &done)
	return result, done.since(before), err
}

func askAttackers(ctx context.Context, addr, method string, answer *attacks) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+addr+"/attack", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
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
				if err := unix.SchedSetaffinity(tid, &cpus); err != nil && !errors.Is(err, unix.ESRCH) {
					return fmt.Errorf("keep process %d on processors: %w", pid, err)
				}
			}
		}
	}
	return nil
}
