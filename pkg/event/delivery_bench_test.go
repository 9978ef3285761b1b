package event_test

import (
	"testing"

	"chatserver.dev/pkg/event"
)

// BenchmarkAppend measures a message's encoding for one of its receivers.
func BenchmarkAppend(b *testing.B) {
	r := event.Decode([]byte(`{"type":"message","message":{"id":7,"timestamp":8},"raw":"Hello","rendered":"<p>Hello</p>","avatar_url":"/a.png","avatar_hosted":false}`))
	for name, flags := range map[string]event.Flags{"unread": 0, "read": event.Read} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				body := []byte(nil)
				for i := int64(0); pb.Next(); i++ {
					var err error
					if body, err = r.Append(body[:0], event.Form{Markdown: true}, event.Copy{ID: 1000 * i, Flags: flags}); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
