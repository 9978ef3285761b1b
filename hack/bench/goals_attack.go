//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// measureAttack measures A1: the latency of one account's sends, alone and while attackers make calls that are cheap
// for them and expensive for the server. The attackers are as fast as one processor allows: they are a separate process
// that is bound to the first processor, with one thread at a time. All servers are bound to the other processors, alone
// as well as under attack, so that the ratio shows the effect on the server, and not how processors are shared. The
// sender, which measures and mostly waits, is on the attackers' processor, and the attackers run only while it is idle:
// it neither waits for them nor takes time from the servers. As a check, sends are also measured beside a process that
// keeps the first processor as busy without calling the server; they must take as long as alone. There are no rate
// limits: a limit for each account wouldn't stop many accounts.
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
	what := fmt.Sprintf("send p99, 1 sender, beside %d attackers against alone", attackers)
	if b.kind != "" {
		what += ", those with " + b.kind + " only"
	}
	p99 := b.row("A1", what, "ms", reach{Max: 3})
	busy := b.row("A1", "the same beside a busy processor, without the server", "ms", reach{})
	for pair := range b.turns("A1") {
		if err := settle(ctx, b.servers()); err != nil {
			return err
		}
		alone, err := sendFor(ctx, b.api.addr, requests, b.seconds)
		if err != nil {
			return err
		}
		beside, err := b.sendAttacked(ctx, requests, spinning)
		if err != nil {
			return err
		}
		attacked, err := b.sendAttacked(ctx, requests, b.kind)
		if err != nil {
			return err
		}
		quiet := percentile(alone.latencies, 99)
		p99.addPair(percentile(attacked.latencies, 99), quiet)
		busy.addPair(percentile(beside.latencies, 99), quiet)
		p99.Note = fmt.Sprintf("last p50 %s ms, alone %s ms; per second: %s; the servers used %.0f %% of a processor, %s",
			number(percentile(attacked.latencies, 50)), number(percentile(alone.latencies, 50)),
			attacked.done.perSecond(attacked.elapsed), 100*attacked.busy.total().Seconds()/attacked.elapsed.Seconds(), shares(attacked.busy))
		say("A1, pair %d: p99 %s ms, alone %s ms, beside a busy processor %s ms; %s", pair+1, number(p99.Ours[pair]), number(quiet), number(busy.Ours[pair]), p99.Note)
	}
	return nil
}

// besides is the result of sending during an attack.
type besides struct {
	*sent

	done attacks
	busy times // of the servers
}

// sendAttacked sends while attackers of a kind make their calls.
func (b *bench) sendAttacked(ctx context.Context, requests [][][]byte, kind string) (result besides, err error) {
	s, err := b.startSelf(ctx, []string{"GOMAXPROCS=1"}, attackCommand, b.api.addr, kind)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return result, err
	}
	if _, err := sendFor(ctx, b.api.addr, requests, b.seconds/4); err != nil { // until the attack has its full force
		return result, err
	}
	count := encode("GET", "/attacks", s.addr, "", "")
	if err := ask(ctx, s.addr, count, nil); err != nil { // resets the count
		return result, err
	}
	began, err := used(b.servers())
	if err != nil {
		return result, err
	}
	if result.sent, err = sendFor(ctx, b.api.addr, requests, b.seconds); err != nil {
		return result, err
	}
	if result.busy, err = used(b.servers()); err != nil {
		return result, err
	}
	for i := range began {
		result.busy[i] -= began[i]
	}
	err = ask(ctx, s.addr, count, &result.done)
	return result, err
}

// processors returns the processors that this process may use, the first one of them, and the others.
func processors() (all, first, others unix.CPUSet, err error) {
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return all, first, others, fmt.Errorf("read processors: %w", err)
	}
	if all.Count() < 2 {
		return all, first, others, errors.New("attackers and servers need a processor each, and there is only one")
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

// keepOn keeps processes on some processors, with all their threads and descendants, present and future.
func keepOn(roots []int, cpus unix.CPUSet) error {
	return eachThread(roots, func(tid int) error { return unix.SchedSetaffinity(tid, &cpus) })
}

// idle makes a thread run only while its processor has nothing else to do. The lowest priority isn't enough: a thread that
// wakes up would still wait for a millisecond or so.
func idle(tid int) error {
	return unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}
