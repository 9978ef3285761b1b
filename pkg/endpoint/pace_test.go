package endpoint_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/yield"
)

// A caller with a large response pauses after a while, and longer while small calls are in progress. Calls that make
// large responses, or wait for that, don't count.
func TestRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		work, rested := time.Duration(0), time.Duration(0)
		about := endpoint.About{Route: "POST /large", Who: permit.Anyone, Memory: 1}
		take := func(ctx context.Context, _ actor.Actor, _ none) (endpoint.Nothing, error) {
			time.Sleep(work)
			start := time.Now()
			yield.IfDue(ctx)
			rested = time.Since(start)
			return endpoint.Nothing{}, nil
		}
		large := endpoint.New(about, take)
		about.Route, about.Memory = "POST /small", 0
		small := endpoint.New(about, take)
		about.Route = "POST /wait"
		end := make(chan struct{})
		wait := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
			<-end
			return endpoint.Nothing{}, nil
		})
		about.Route, about.Memory = "POST /hold", 1
		hold := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
			<-end
			return endpoint.Nothing{}, nil
		})
		s := serveWith(t, endpoint.Config{Turns: 2, Now: time.Now}, large, small, wait, hold)
		call := func(path string) {
			if w := s.do(request(t, http.MethodPost, "/api/v1"+path, "")); w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		check := func(what, path string, works, want time.Duration) {
			t.Helper()
			work = works
			call(path)
			if rested != want {
				t.Errorf("%s: it works for %v and rests for %v, want %v", what, works, rested, want)
			}
		}
		check("alone", "/large", time.Millisecond/2, 0)
		check("alone", "/large", 2*time.Millisecond, 100*time.Microsecond)
		check("a small call", "/small", 2*time.Millisecond, 0)
		check("after a small call", "/large", 2*time.Millisecond, 100*time.Microsecond)
		go call("/hold")
		synctest.Wait()
		check("beside a large one", "/large", 2*time.Millisecond, 100*time.Microsecond)
		end <- struct{}{}
		go call("/wait")
		synctest.Wait()
		check("beside a small one", "/large", time.Millisecond/2, 0)
		check("beside a small one", "/large", 2*time.Millisecond, 6*time.Millisecond)
		check("beside a small one", "/large", time.Second, 10*time.Millisecond)
		end <- struct{}{}
	})
}
