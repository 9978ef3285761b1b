package events_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// fullOrganization creates an organization with the maximum number of streams, each with 20 subscribers, and returns
// Ann, who is subscribed to all of them.
func fullOrganization(b *testing.B) servicetest.Account {
	b.Helper()
	w := servicetest.New(b)
	ann := w.Person("Ann", actor.Member)
	db := storetest.Connect(b, w.DatabaseURL)
	db.Exec(`insert into users (org_id, email, full_name) select $1, 'u' || n || '@chat.example', 'User ' || n from generate_series(1, 1000) n`, w.Org.ID)
	db.Exec(`insert into streams (org_id, name, description, rendered_description, created_at)
		select $1, 'stream ' || n, repeat('What it is about. ', 5), '<p>' || repeat('What it is about. ', 5) || '</p>', now() - interval '40 days'
		from generate_series(1, $2) n`, w.Org.ID, org.Defaults().MaxStreams)
	db.Exec(`insert into subscriptions (org_id, stream_id, user_id, color)
		select $1, s.stream_id, u.user_id, '#76ce90' from streams s join users u using (org_id)
		where s.org_id = $1 and not u.system and (u.user_id = $2 or (u.user_id * 31 + s.stream_id * 17) % 1000 < 19)`, w.Org.ID, ann.ID)
	db.Exec("analyze")
	return ann
}

// sink discards an answer.
type sink struct {
	header http.Header
	status int
	size   int64
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.size += int64(len(b)); return len(b), nil }

// BenchmarkFullOrganization measures the largest lists of streams, in an organization with the maximum of streams: for
// one call, and for 16 at a time. No call may be refused.
func BenchmarkFullOrganization(b *testing.B) {
	ann := fullOrganization(b)
	for _, call := range []struct{ name, method, path, params string }{
		{"streams", http.MethodGet, "/streams", ""},
		{"subscriptions", http.MethodGet, "/users/me/subscriptions", "include_subscribers=true"},
		{"register", http.MethodPost, "/register", "include_subscribers=true"},
	} {
		for _, together := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", call.name, together), func(b *testing.B) {
				b.ReportAllocs()
				size := atomic.Int64{}
				for b.Loop() {
					calls := sync.WaitGroup{}
					for range together {
						calls.Go(func() {
							answer := &sink{header: http.Header{}}
							ann.Send(answer, call.method, call.path, call.params)
							size.Store(answer.size)
							if answer.status != http.StatusOK {
								b.Errorf("status %d", answer.status)
							}
						})
					}
					calls.Wait()
				}
				b.ReportMetric(float64(size.Load()), "answer-B")
			})
		}
	}
}
