package presence

import (
	"maps"
	"slices"
)

// Listing is the presence of people in the last two weeks: a [Clients] for each displayed address, or in the slim
// form a [Slim] for each id. The values are JSON already, since many responses share a listing. It must not be
// changed.
type Listing map[string]any

// Clients are the reports of a person's clients by their names, and as "aggregated" the newest one.
type Clients map[string]Client

// Client is what a client reported.
type Client struct {
	Client    string `json:"client,omitempty"`   // its name
	Status    string `json:"status"`             // active or idle
	Timestamp int64  `json:"timestamp"`          // in Unix seconds
	Pushable  *bool  `json:"pushable,omitempty"` // always false; the aggregated one has none
}

// Slim is when a person's clients last reported each status, in Unix seconds; 0: never.
type Slim struct {
	Active int64 `json:"active_timestamp,omitempty"`
	Idle   int64 `json:"idle_timestamp,omitempty"`
}

func clients(reports Reports) Clients {
	pushable := false
	all := make(Clients, len(reports)+1)
	for name, r := range reports {
		all[name] = Client{Client: name, Status: string(r.Status), Timestamp: r.At, Pushable: &pushable}
	}
	newest := newest(reports)
	last := all[newest]
	last.Pushable = nil
	all[aggregated] = last
	return all
}

// newest returns the client that reported last. Among several at the same time, it prefers an active one.
func newest(reports Reports) string {
	names := slices.Sorted(maps.Keys(reports))
	return slices.MaxFunc(names, func(a, b string) int {
		if by := reports[a].At - reports[b].At; by != 0 {
			return int(by)
		}
		return activity(reports[a]) - activity(reports[b])
	})
}

func activity(r Report) int {
	if r.Status == Active {
		return 1
	}
	return 0
}

func slim(reports Reports) Slim {
	s := Slim{}
	for _, r := range reports {
		if r.Status == Active {
			s.Active = max(s.Active, r.At)
		} else {
			s.Idle = max(s.Idle, r.At)
		}
	}
	return s
}
