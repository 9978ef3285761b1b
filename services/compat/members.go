package compat

import (
	"encoding/json"
	"net/http"
	"strings"
)

// membersOf reports whether the answer to a request is the subscribers of a stream.
func membersOf(r *http.Request) bool {
	number, found := strings.CutPrefix(r.URL.Path, "/api/v1/streams/")
	return found && r.Method == http.MethodGet && strings.HasSuffix(number, "/members")
}

// members answers with the subscribers' addresses in place of their ids. Who has none that the caller may
// see is left out.
func (h *handler) members(w http.ResponseWriter, r *http.Request) {
	answer := &answer{header: w.Header()}
	h.next.ServeHTTP(answer, r)
	list := struct {
		Result      string  `json:"result"`
		Msg         string  `json:"msg"`
		Subscribers []int64 `json:"subscribers"`
	}{}
	if answer.status != http.StatusOK || json.Unmarshal(answer.body, &list) != nil {
		answer.send(w)
		return
	}
	known := struct {
		Members []struct {
			ID    int64  `json:"user_id"`
			Email string `json:"email"`
		} `json:"members"`
	}{}
	h.ask(r.Context(), askerOf(r), "/api/v1/users", &known)
	addresses := make(map[int64]string, len(known.Members))
	for _, member := range known.Members {
		addresses[member.ID] = member.Email
	}
	emails := []string{}
	for _, subscriber := range list.Subscribers {
		if email, ok := addresses[subscriber]; ok {
			emails = append(emails, email)
		}
	}
	body, err := json.Marshal(map[string]any{"result": list.Result, "msg": list.Msg, "subscribers": emails})
	if err == nil { // these types have a form in JSON
		answer.body = append(body, '\n')
	}
	answer.send(w)
}
