package smoke

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// event is what is looked at in an event.
type event struct {
	ID      int64  `json:"id"`
	Type    string `json:"type"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
}

// follow polls until a message with the mark has come.
func (t *trial) follow(ctx context.Context, mark string) error {
	for {
		reply := struct {
			Events []event `json:"events"`
		}{}
		err := t.call(ctx, request{
			method: http.MethodGet, url: t.at(t.Events, "/events"),
			query: url.Values{"queue_id": {t.queue}, "last_event_id": {strconv.FormatInt(t.last, 10)}},
		}, &reply)
		if err != nil {
			return err
		}
		for _, e := range reply.Events {
			t.last = max(t.last, e.ID)
			if e.Type == "message" && strings.Contains(e.Message.Content, mark) {
				return nil
			}
		}
	}
}
