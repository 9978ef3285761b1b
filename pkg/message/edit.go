package message

import (
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/id"
)

// Limits of a message's stored edits, the newest first. Every reader of the message gets them.
const (
	// MaxEdits is the maximum number of edits. The last one stands for all that are older than the others.
	MaxEdits = 100
	// MaxEditBytes is the maximum total size of the JSON of all but the last one, in bytes. A single edit may be larger.
	MaxEditBytes = 1 << 20
)

// Edit is one change of a message, as stored and as sent to clients (rest-api.md, section 2.1,
// edit_history). Properties that didn't change are omitted.
type Edit struct {
	// UserID is who changed it.
	UserID id.User `json:"user_id"`
	// Timestamp is when, in Unix seconds.
	Timestamp int64 `json:"timestamp"`
	// PrevSubject is the topic before.
	PrevSubject *string `json:"prev_subject,omitempty"`
	// PrevContent is the content before, as it was written.
	PrevContent *string `json:"prev_content,omitempty"`
	// PrevRenderedContent is the content before as HTML.
	PrevRenderedContent *string `json:"prev_rendered_content,omitempty"`
	// PrevRenderedContentVersion is the version of the renderer that made it.
	PrevRenderedContentVersion *int16 `json:"prev_rendered_content_version,omitempty"`
	// PrevStream is the stream before.
	PrevStream *id.Stream `json:"prev_stream,omitempty"`
}

// DecodeEdits decodes a message's stored edits, the newest first. raw is nil if it was never edited.
func DecodeEdits(raw []byte) (edits []Edit, err error) {
	if raw == nil {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &edits); err != nil {
		return nil, fmt.Errorf("decode edits: %w", err)
	}
	return edits, nil
}
