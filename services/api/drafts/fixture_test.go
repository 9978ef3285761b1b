package drafts_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/services/servicetest"
)

type (
	params = servicetest.Params
	object = map[string]any
)

type listed struct {
	Count  int               `json:"count"`
	Drafts map[string]object `json:"drafts"`
}

// list returns an account's drafts.
func list(of servicetest.Account) map[string]object {
	reply := listed{}
	of.Do(http.MethodGet, "/drafts", nil).OK().Decode(&reply)
	return reply.Drafts
}

// add stores drafts, and returns their ids.
func add(by servicetest.Account, drafts ...object) (ids []int64) {
	reply := struct{ IDs []int64 }{}
	by.Do(http.MethodPost, "/drafts", params{"drafts": drafts}).OK().Decode(&reply)
	return reply.IDs
}

// stream returns the id of a stream.
// path returns the path of a draft.
func path(draft int64) string { return fmt.Sprintf("/drafts/%d", draft) }

// text returns a draft that isn't placed yet.
func text(content string) object {
	return object{"type": "", "to": []any{}, "topic": "", "content": content}
}
