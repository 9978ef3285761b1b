package main

import (
	"fmt"
	"io"
	"math"
	"time"
)

// figures are the costs of parts of the work on a machine with 2 cores: measured by hack/bench and by the simulation,
// or assumed.
type figures struct {
	sendAPI, sendPostgres, sendEvents time.Duration // processor time of a message without receivers
	deliver, deliverRedis             time.Duration // of a delivery: of events, and of Redis
	wakeup                            time.Duration // of each process of events for each queue that an event enters, also of other processes
	register, read                    time.Duration // of a registration, and of a page of history; half of it is PostgreSQL's
	client                            float64       // bytes of events for a client that waits
	queue, entry                      float64       // bytes in Redis of a queue, and of an event's wake-up on its way to a process
	message, event                    float64       // bytes on PostgreSQL's disk of a message (assumed), and of an event in the log
}

// measured returns the figures of docs/scale.md.
func measured() figures {
	return figures{
		sendAPI: 230 * time.Microsecond, sendPostgres: 320 * time.Microsecond, sendEvents: 80 * time.Microsecond,
		deliver: 17 * time.Microsecond, deliverRedis: 5 * time.Microsecond, wakeup: 300 * time.Nanosecond,
		register: 5 * time.Millisecond, read: 3 * time.Millisecond, // assumed
		client: 5_800, queue: 5_000, entry: 35, message: 1_200, event: 1_250,
	}
}

// habits are assumptions about the use of a chat.
type habits struct {
	online    float64 // part of the accounts that have a client at the busiest hour
	clients   float64 // of an account that is online
	messages  float64 // of an account in a day
	receivers float64 // clients online that receive a message
	registers float64 // of an account in a day
	reads     float64 // pages of history of an account in a day
	busiest   float64 // part of the day's work that is in the busiest hour
	keep      float64 // hours that the event log is kept
}

func usual() habits {
	return habits{online: 0.4, clients: 1.5, messages: 20, receivers: 30, registers: 4, reads: 40, busiest: 0.15, keep: 24}
}

// need is the resources for a number of accounts in the busiest hour.
type need struct {
	accounts                                 float64
	clients, messages, deliveries            float64 // clients online; messages and deliveries a second
	api, events, redis, postgres             float64 // cores
	eventsMemory, redisMemory, diskMonth     float64 // bytes; a month's messages, and the event log
	replicas                                 float64 // processes of events
	wakeups                                  float64 // bytes a second that Redis sends to all of them
	eventsLimit, postgresLimit, wakeupsLimit float64 // accounts at which each limit is reached
}

// The limits of a process or server. Half of a processor is left for uneven load.
const (
	load          = 0.5
	clientsEach   = 50_000 // of a process of events: file descriptors and memory
	coresEach     = 4      // of a process of events
	postgresCores = 64     // of the largest server that is usual
	maxWakeups    = 0.25   // part of a process's cores for wake-ups of queues, including other processes'
)

// model returns the need of a number of accounts.
func model(f figures, h habits, accounts float64) need {
	n := need{accounts: accounts}
	hour := h.busiest / 3600
	n.clients = accounts * h.online * h.clients
	n.messages = accounts * h.messages * hour
	n.deliveries = n.messages * h.receivers
	registers, reads := accounts*h.registers*hour, accounts*h.reads*hour
	half := (registers*f.register.Seconds() + reads*f.read.Seconds()) / 2
	n.api = (n.messages*f.sendAPI.Seconds() + half) / load
	n.postgres = (n.messages*f.sendPostgres.Seconds() + half) / load
	n.redis = n.deliveries * f.deliverRedis.Seconds() / load
	work := n.messages*f.sendEvents.Seconds() + n.deliveries*f.deliver.Seconds()
	// Each process gets the wake-ups of all queues, which reduces its capacity for deliveries.
	wakeupCores := n.deliveries * f.wakeup.Seconds()
	free := coresEach*load - wakeupCores
	n.replicas = math.Max(1, math.Ceil(n.clients/clientsEach))
	if free > 0 {
		n.replicas = math.Max(n.replicas, math.Ceil(work/free))
	} else {
		n.replicas = math.Inf(1)
	}
	n.events = (work + n.replicas*wakeupCores) / load
	n.wakeups = n.deliveries * f.entry * n.replicas
	n.eventsMemory = n.clients*f.client + n.replicas*128*(1<<20)
	n.redisMemory = n.clients*f.queue + n.messages*600*f.event
	n.diskMonth = accounts*h.messages*30*f.message + accounts*h.messages*h.keep/24*f.event
	if accounts > 0 {
		n.eventsLimit = accounts * maxWakeups * coresEach * load / wakeupCores
		n.postgresLimit = accounts * postgresCores / n.postgres
		// A server sends 10 Gbit/s. The number of replicas grows with the accounts, too, so the bytes grow with the
		// square of the accounts.
		n.wakeupsLimit = accounts * math.Sqrt(1.25e9/n.wakeups*math.Max(1, n.replicas*clientsEach/math.Max(n.clients, 1)))
	}
	return n
}

// firstLimit returns the limit that is reached first when accounts are added, and the number of accounts at that limit.
func (n need) firstLimit() (what string, accounts float64) {
	what, accounts = "writes to one PostgreSQL", n.postgresLimit
	if n.eventsLimit < accounts {
		what, accounts = "every process of events receives the wake-ups of all queues", n.eventsLimit
	}
	if n.wakeupsLimit < accounts {
		what, accounts = "one Redis sends all wake-ups to all processes of events", n.wakeupsLimit
	}
	return what, accounts
}

// printNeeds writes a table in Markdown, with a column for each need.
func printNeeds(w io.Writer, needs []need) {
	line := func(what string, value func(n need) string) {
		fmt.Fprintf(w, "| %s |", what)
		for _, n := range needs {
			fmt.Fprintf(w, " %s |", value(n))
		}
		fmt.Fprintln(w)
	}
	line("accounts", func(n need) string { return count(n.accounts) })
	fmt.Fprint(w, "|---|")
	for range needs {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	line("clients online", func(n need) string { return count(n.clients) })
	line("messages a second", func(n need) string { return count(n.messages) })
	line("deliveries a second", func(n need) string { return count(n.deliveries) })
	line("`api`: cores", func(n need) string { return count(n.api) })
	line("`events`: cores", func(n need) string { return count(n.events) })
	line("`events`: processes", func(n need) string { return count(n.replicas) })
	line("`events`: memory", func(n need) string { return size(n.eventsMemory) })
	line("Redis: cores, one a server", func(n need) string { return count(n.redis) })
	line("Redis: memory", func(n need) string { return size(n.redisMemory) })
	line("Redis: wake-ups a second", func(n need) string { return size(n.wakeups) })
	line("PostgreSQL: cores", func(n need) string { return count(n.postgres) })
	line("PostgreSQL: disk, a month", func(n need) string { return size(n.diskMonth) })
	what, at := needs[len(needs)-1].firstLimit()
	fmt.Fprintf(w, "\nThe first limit, at about %s accounts: %s.\n", count(at), what)
}

// count formats a number with two or three significant digits.
func count(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return "–"
	case v >= 1e6:
		return fmt.Sprintf("%.3g million", v/1e6)
	case v >= 100:
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		return fmt.Sprintf("%.0f", math.Round(v/unit)*unit)
	default:
		return fmt.Sprintf("%.2g", v)
	}
}

// size formats a number of bytes.
func size(v float64) string {
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if v < 1000 {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3g TB", v)
}
