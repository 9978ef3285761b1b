package presence

import (
	"maps"
	"slices"
)

// Listing is who was at their computer in the last two weeks: by the address that others see a [Clients]
// each, or in the slim form by id a [Slim] each. They are JSON already, since many answers share a listing.
// It must not be changed.
type Listing map[string]any

// Clients are what somebody's clients reported, by their names, and as [Aggregated] what the one that
// reported last said.
type Clients map[string]Client

// Client is what a client reported.
type Client struct {
	Client    string `json:"client,omitempty"`   // its name
	Status    string `json:"status"`             // active or idle
	Timestamp int64  `json:"timestamp"`          // in Unix seconds
	Pushable  *bool  `json:"pushable,omitempty"` // always false; the aggregated one has none
}

// Slim is when somebody's clients reported what, in Unix seconds; 0: none says that.
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
	all[Aggregated] = last
	return all
}

// newest is the client that reported last; of several the one that says active.
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
