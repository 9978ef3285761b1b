package endpoint_test

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// panics returns the value that f panics with.
func panics(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		text, _ = recover().(string)
	}()
	f()
	return ""
}

func declareWith[P any](about endpoint.About) func() {
	return func() {
		endpoint.New(about, func(context.Context, actor.Actor, P) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	}
}

func route[P any](route string) func() {
	return declareWith[P](endpoint.About{Route: route, Who: permit.Anyone})
}

func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		declare func()
		names   string
	}{
		"no Who": {declareWith[none](endpoint.About{Route: "GET /x"}), "Who is missing"},
		"large webhook": {func() {
			endpoint.Hook(endpoint.About{Route: "POST /x", Who: permit.Hook, Memory: 1}, answersRole)
		}, "Memory is for"},
		"a file of any size":    {uploads(endpoint.OneFile{Several: several, TooLarge: large}), "a file has a limit"},
		"a file that is larger": {uploads(endpoint.OneFile{MaxBytes: 25<<20 + 1, Several: several, TooLarge: large}), "a file has a limit"},
		"a file without faults": {uploads(endpoint.OneFile{MaxBytes: 1, Several: several}), "a file has a limit"},
		"no method":             {route[none]("/x"), "a route is"},
		"odd method":            {route[none]("BREW /x"), "a route is"},
		"relative path":         {route[none]("GET x"), "a route is"},
		"no struct":             {route[int]("GET /x"), "parameters are a struct"},
		"no tag": {route[struct {
			A string
		}]("GET /x"), "exactly one of the tags"},
		"misspelt tag": {route[struct {
			A string `param:"a" enums:"a"`
		}]("GET /x"), `unknown tag "enums"`},
		"unexported": {route[struct {
			a string `param:"a"`
		}]("GET /x"), "isn't exported"},
		"twice": {route[struct {
			A string `param:"a"`
			B string `param:"a"`
		}]("GET /x"), "there is"},
		"path not in route": {route[struct {
			A int `path:"a"`
		}]("GET /x"), `no parameter "a"`},
		"route not in struct": {route[none]("GET /x/{a}"), "the struct has 0"},
		"optional segment": {route[struct {
			A *int `path:"a"`
		}]("GET /x/{a}"), "always there"},
		"odd segment": {route[struct {
			A bool `path:"a"`
		}]("GET /x/{a}"), "string or an integer"},
		"default of a pointer": {route[struct {
			A *int `param:"a" default:"1"`
		}]("GET /x"), "needs no default"},
		"absent of what is always there": {route[struct {
			A struct {
				B string `json:"b" absent:"refused"`
			} `param:"a"`
		}]("GET /x"), "absent is for pointers"},
		"bad default": {route[struct {
			A int `param:"a" default:"x"`
		}]("GET /x"), "its default"},
		"bad max": {route[struct {
			A string `param:"a" max:"60"`
		}]("GET /x"), "max is"},
		"max of an integer": {route[struct {
			A int `param:"a" max:"60 characters"`
		}]("GET /x"), "max is"},
		"max of nothing": {route[struct {
			A string `param:"a" max:"0 characters"`
		}]("GET /x"), "max is"},
		"bad unit": {route[struct {
			A string `param:"a" max:"60 bytes"`
		}]("GET /x"), "max is"},
		"bad check": {route[struct {
			A string `param:"a" check:"colour"`
		}]("GET /x"), "check is"},
		"check of an integer": {route[struct {
			A int `param:"a" check:"color"`
		}]("GET /x"), "check is"},
		"enum of a boolean": {route[struct {
			A bool `param:"a" enum:"true"`
		}]("GET /x"), "enum is"},
		"bad nul": {route[struct {
			A string `param:"a" nul:"ok"`
		}]("GET /x"), "nul is"},
		"nul of an integer": {route[struct {
			A int `param:"a" nul:"passed"`
		}]("GET /x"), "nul is"},
		"body outside of webhooks": {route[struct {
			A payload `body:"json"`
		}]("POST /x"), "only webhooks"},
		"NNInt in JSON": {route[struct {
			A []endpoint.NNInt `param:"a"`
		}]("GET /x"), "whole parameter"},
		"type without JSON": {route[struct {
			A chan int `param:"a"`
		}]("GET /x"), "can't hold"},
		"member without tag": {route[struct {
			A struct{ B int } `param:"a"`
		}]("GET /x"), "needs a json tag"},
		"type that holds itself": {route[struct {
			A loop `param:"a"`
		}]("GET /x"), "holds itself"},
		"public with Who": {func() {
			endpoint.Public(endpoint.About{Route: "GET /x", Who: permit.Anyone},
				func(context.Context, endpoint.Request, none) (endpoint.Nothing, error) {
					return endpoint.Nothing{}, nil
				})
		}, "a public endpoint has none"},
		"reply without fields": {func() {
			endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone},
				func(context.Context, actor.Actor, none) ([]int, error) { return nil, nil })
		}, "a reply is a JSON object"},
		"the same route twice": {func() { serve(t, echo[none]("GET /x"), echo[none]("GET /x")) }, "declared twice"},
		"the zero endpoint":    {func() { serve(t, endpoint.Endpoint{}) }, "zero Endpoint"},
		"no limiter": {func() {
			endpoint.NewRouter(endpoint.Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Authenticator: members()},
				[]endpoint.Endpoint{endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone},
					func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })})
		}, "needs an authenticator"},
		"no clock":  {func() { endpoint.NewRouter(endpoint.Config{Logger: slog.New(slog.DiscardHandler)}, nil) }, "a clock"},
		"no logger": {func() { endpoint.NewRouter(endpoint.Config{Now: time.Now}, nil) }, "a logger"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := panics(t, c.declare); !strings.Contains(got, c.names) {
				t.Errorf("panic %q, want %q", got, c.names)
			}
		})
	}
}

type loop struct {
	Next []loop `json:"next"`
}

// Mute stands for a maker.
func Mute() endpoint.Endpoint {
	type reply struct {
		ID int `json:"id"`
	}
	return endpoint.New(endpoint.About{
		Route: "PATCH /streams/{stream_id}", Who: permit.Member, Faults: endpoint.Faults{errMuted},
	}, func(context.Context, actor.Actor, struct {
		Stream int      `path:"stream_id"`
		Topic  string   `param:"topic" alias:"subject" max:"60 characters"`
		Op     string   `param:"op" enum:"add,remove" default:"add"`
		IDs    *[]int64 `param:"ids"`
	},
	) (reply, error) {
		return reply{}, nil
	})
}

var errMuted = fault.Plain("Topic already muted")

func TestDescription(t *testing.T) {
	t.Parallel()
	e := Mute()
	if e.Method() != "PATCH" || e.Path() != "/api/v1/streams/{stream_id}" || e.Route() != "PATCH /api/v1/streams/{stream_id}" ||
		e.About().Who != permit.Member || e.Kind() != endpoint.KindNew || e.Reply().Name() != "reply" || len(e.About().Faults) != 1 {
		t.Errorf("%+v", e)
	}
	if got := e.Maker(); got != "chatserver.dev/pkg/endpoint_test.Mute" {
		t.Errorf("maker %q", got)
	}
	params := []endpoint.Param{
		{Name: "stream_id", In: endpoint.InPath, Required: true, Field: "Stream"},
		{Name: "topic", Alias: "subject", In: endpoint.InForm, Required: true, Max: 60, Field: "Topic"},
		{Name: "op", In: endpoint.InForm, Default: "add", Enum: []string{"add", "remove"}, Field: "Op"},
		{Name: "ids", In: endpoint.InForm, Encoded: true, Field: "IDs"},
	}
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[[]int64]()}
	got := e.Params()
	for i := range got {
		if got[i].Type != types[i] || got[i].Owner.NumField() != len(params) {
			t.Errorf("%s has type %v of %v", got[i].Name, got[i].Type, got[i].Owner)
		}
		got[i].Type, got[i].Owner = nil, nil
	}
	if diff := cmp.Diff(params, got); diff != "" {
		t.Error(diff)
	}
}

func TestAlternatives(t *testing.T) {
	t.Parallel()
	first, second, ok := endpoint.Alternatives(reflect.TypeFor[endpoint.Either[string, []int]]())
	if !ok || first != reflect.TypeFor[string]() || second != reflect.TypeFor[[]int]() {
		t.Errorf("%v %v %v", first, second, ok)
	}
	if _, _, ok := endpoint.Alternatives(reflect.TypeFor[string]()); ok {
		t.Error("a string has no alternatives")
	}
}
