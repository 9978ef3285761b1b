package drafts_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// A change replaces all of a draft, and only its author can make it.
func TestChange(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	hall := ann.StreamID("hall")
	placed := object{"type": "stream", "to": []any{hall}, "topic": "t", "content": "x", "timestamp": 1}
	ids := add(ann, placed, text("y"))
	private := object{"type": "private", "to": []any{int64(bob.ID)}, "topic": "", "content": "z", "timestamp": 2.5}
	ann.Do(http.MethodPatch, path(ids[0]), params{"draft": private}).OK()
	ann.Do(http.MethodPatch, path(ids[1]), params{"draft": placed}).OK()
	before := list(ann)
	shown := []object{}
	for _, id := range ids {
		shown = append(shown, before[path(id)[len("/drafts/"):]])
	}
	servicetest.Same(t, "changed drafts", []object{
		{"type": "private", "to": []any{float64(bob.ID)}, "topic": "", "content": "z", "timestamp": 2.5},
		{"type": "stream", "to": []any{float64(hall)}, "topic": "t", "content": "x", "timestamp": 1.0},
	}, shown)
	bob.Do(http.MethodPatch, path(ids[0]), params{"draft": text("mine")}).Fails(http.StatusNotFound, "", "Draft does not exist")
	ann.Do(http.MethodPatch, path(ids[1]+1000), params{"draft": text("mine")}).Fails(http.StatusNotFound, "", "Draft does not exist")
	servicetest.Same(t, "after refused changes", before, list(ann))
}
