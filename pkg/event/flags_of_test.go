package event_test

import (
	"encoding/json"
	"maps"
	"testing"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// The JSON of flags by account is that of a map, which other releases write and read.
func TestFlagsOf(t *testing.T) {
	t.Parallel()
	for _, flags := range []event.FlagsOf{{}, {7: event.Read}, {7: 0, 11: event.Read | event.Historical, 1 << 40: 1<<16 - 1}} {
		var byOthers map[id.User]event.Flags
		text, err := json.Marshal(event.Audience{FlagsOf: flags}.FlagsOf)
		if err == nil {
			err = json.Unmarshal(text, &byOthers)
		}
		if err != nil || !maps.Equal(byOthers, flags) {
			t.Errorf("%v is written as %s, which others read as %v, %v", flags, text, byOthers, err)
		}
		var again event.FlagsOf
		if text, err = json.Marshal(map[id.User]event.Flags(flags)); err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !maps.Equal(again, flags) {
			t.Errorf("%s is read as %v, %v", text, again, err)
		}
	}
	for _, text := range []string{`[]`, `""`, `7`, `{"7": 1}`, `{"a":1}`, `{"7":-1}`, `{"7":65536}`, `{"7":"1"}`, `{"7":1,"8":{}}`, `{"7,8":1}`} {
		if flags := (event.FlagsOf{}); json.Unmarshal([]byte(text), &flags) == nil {
			t.Errorf("%s is read as %v", text, flags)
		}
	}
}
