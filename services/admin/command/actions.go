package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/services/admin"
)

// action is an operation of the interface as a command.
type action struct {
	admin.Operation

	name string   // noun and verb
	keys []string // names of the arguments that identify the object
}

// find returns the action at the beginning of the arguments, and the remaining arguments.
func find(args []string) (todo action, rest []string, err error) {
	words := strings.Join(args, " ") + " "
	for _, o := range admin.Operations(nil) {
		if a := newAction(o); strings.HasPrefix(words, a.name+" ") {
			return a, args[len(strings.Fields(a.name)):], nil
		}
	}
	return action{}, nil, fmt.Errorf("unknown command %q\n%s", "admin "+strings.Join(args, " "), usage)
}

// newAction names an operation by its path: "PUT /organizations/{organization}/bots/{key}" is "bot put" with the keys
// ORGANIZATION and KEY.
func newAction(o admin.Operation) action {
	a, noun := action{Operation: o}, ""
	for _, part := range parts(o) {
		key, isKey := strings.CutPrefix(strings.TrimSuffix(part, "}"), "{")
		switch {
		case isKey:
			a.keys = append(a.keys, strings.ToUpper(key))
		case part != apiKey:
			noun = strings.TrimSuffix(part, "s")
		}
	}
	switch verb := strings.ToLower(o.Method); {
	case len(a.keys) == 0:
		a.name = strings.TrimPrefix(o.Path, "/")
	case !strings.HasSuffix(o.Path, apiKey):
		a.name = noun + " " + verb
	case o.Method == http.MethodPost:
		a.name = noun + " rotate-key"
	default:
		a.name = noun + " revoke-key"
	}
	if len(a.keys) == 1 {
		a.keys[0] = "KEY"
	}
	return a
}

// apiKey is the last part of the paths of API keys.
const apiKey = "api-key"

func parts(o admin.Operation) []string { return strings.Split(strings.TrimPrefix(o.Path, "/"), "/") }

// call calls the operation, and returns the reply. The deletion of an organization is repeated until it is complete.
func (a action) call(ctx context.Context, c *adminclient.Client, keys []string, document []byte) (any, error) {
	if a.name == "organization delete" {
		rows, err := c.DeleteWholeOrganization(ctx, keys[0])
		return adminapi.Deletion{Done: true, Rows: rows}, err
	}
	path := parts(a.Operation)
	for i, part := range path {
		if strings.HasPrefix(part, "{") {
			path[i], keys = keys[0], keys[1:]
		}
	}
	text, err := c.Call(ctx, a.Method, document, path...)
	if err != nil {
		return nil, err
	}
	reply := reflect.New(a.Reply)
	if err := json.Unmarshal(text, reply.Interface()); err != nil {
		return nil, fmt.Errorf("decode the response: %w", err)
	}
	return reply.Elem().Interface(), nil
}
