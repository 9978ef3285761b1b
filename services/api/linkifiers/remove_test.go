package linkifiers_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	first, second := w.add(ticket, address), w.add(`a(?P<b>b)`, "https://x.example/%(b)s")
	renders(t, w.mia, "#7", "https://tickets.example/7", true)
	watch := w.gus.Watch("realm_filters")
	remove := func(by servicetest.Account, number any) servicetest.Answer {
		return by.Do(http.MethodDelete, fmt.Sprintf("/realm/filters/%v", number), nil)
	}
	w.refused(func(by servicetest.Account) servicetest.Answer { return remove(by, first) })
	remove(w.stranger, first).Fails(400, "", "Filter not found")
	remove(w.ada, 99999).Fails(400, "", "Filter not found")
	servicetest.Same(t, "events of what was refused", []string{}, watch.Events())
	remove(w.ada, first).OK()
	servicetest.Same(t, "event", []string{fmt.Sprintf(`{"type":"realm_filters","realm_filters":[["a(?P<b>b)","https://x.example/%%(b)s",%d]]}`, second)}, watch.Events())
	remove(w.ada, first).Fails(400, "", "Filter not found")
	renders(t, w.mia, "#7", "https://tickets.example/7", false)
}
