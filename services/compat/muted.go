package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// mutedKey is the member as the answer has it. Within a string its first or its last quote would be
// behind a backslash, so wherever these bytes are, they are a member's name.
const mutedKey = `"muted_topics":`

// nameStreams gives the answer with the names of streams in all of its muted topics; topics of streams
// that streams, which is called at most once and only if there are any, doesn't know are left out.
func nameStreams(answer []byte, streams func() map[int64]string) []byte {
	streams = sync.OnceValue(streams)
	named := []byte(nil) // what was looked at, if anything was changed
	rest := answer
	for {
		at := bytes.Index(rest, []byte(mutedKey))
		if at < 0 {
			break
		}
		at += len(mutedKey)
		end, topics := nameList(rest[at:], streams)
		named = append(append(named, rest[:at]...), topics...)
		rest = rest[at+end:]
	}
	if named == nil {
		return answer
	}
	return append(named, rest...)
}

// nameList gives the list of muted topics that text begins with, as it is to be, and its length as it
// was. What isn't such a list stays as it is.
func nameList(text []byte, streams func() map[int64]string) (length int, named []byte) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	topics := [][3]json.RawMessage{}
	if err := decoder.Decode(&topics); err != nil || len(topics) == 0 {
		return 0, nil
	}
	list := [][3]any{}
	for _, topic := range topics {
		stream := int64(0)
		if err := json.Unmarshal(topic[0], &stream); err != nil {
			return 0, nil
		}
		if name, ok := streams()[stream]; ok {
			list = append(list, [3]any{name, topic[1], topic[2]})
		}
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		return 0, nil
	}
	return int(decoder.InputOffset()), encoded
}

// asker is what is needed of a request to ask something in its caller's name.
type asker struct{ host, remote, authorization, userAgent string }

func askerOf(r *http.Request) asker {
	return asker{r.Host, r.RemoteAddr, r.Header.Get("Authorization"), r.UserAgent()}
}

// streams gives the names of all streams that a caller may see, as the caller would ask for them; none
// where that fails.
func (h *handler) streams(ctx context.Context, as asker) map[int64]string {
	list := struct {
		Streams []struct {
			ID   int64  `json:"stream_id"`
			Name string `json:"name"`
		} `json:"streams"`
	}{}
	h.ask(ctx, as, "/api/v1/streams", &list)
	names := make(map[int64]string, len(list.Streams))
	for _, stream := range list.Streams {
		names[stream.ID] = stream.Name
	}
	return names
}

// ask decodes what a caller would be answered at a path, and leaves into as it is where that fails.
func (h *handler) ask(ctx context.Context, as asker, path string, into any) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return
	}
	r.Host, r.RemoteAddr, r.Header = as.host, as.remote, http.Header{
		"Authorization": {as.authorization}, "User-Agent": {as.userAgent},
	}
	answer := &answer{header: http.Header{}}
	h.next.ServeHTTP(answer, r)
	_ = json.Unmarshal(answer.body, into) // an error has none of the members
}
