package smoke

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// stream receives event streams until a message with the mark has come. It fails if a proxy between it and the server
// buffers events.
func (t *trial) stream(ctx context.Context, mark string) error {
	return repeat(ctx, func() error {
		for {
			if found, err := t.oneStream(ctx, mark); found || err != nil {
				return err
			}
		}
	})
}

// oneStream receives a stream until a message with the mark has come, or the stream ends.
func (t *trial) oneStream(ctx context.Context, mark string) (found bool, err error) {
	query := url.Values{"queue_id": {t.queue}, "last_event_id": {strconv.FormatInt(t.last, 10)}}
	response, err := t.begin(ctx, http.MethodGet, t.at(t.Events, "/events")+"?"+query.Encode(), http.Header{"Accept": {"text/event-stream"}}, "")
	if err != nil {
		return false, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		return false, fmt.Errorf("the response is %s, not a stream", kind)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		e := received{}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return false, fmt.Errorf("read an event: %w", err)
		}
		if t.has(e, mark) {
			return true, nil
		}
	}
	return false, lines.Err()
}
