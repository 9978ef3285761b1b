package moving_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

// If the process of an import stands still, another one may continue the import. The first one can't write anything after that,
// when it goes on.
func TestImportTakenOver(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	const many = 3500 // more than the portions that the first process begins
	messages, want := rows{}, []string(nil)
	for i := range many {
		want = append(want, fmt.Sprintf("message %d", i))
		messages = append(messages, said(i+1, 1, 11, want[i]))
	}
	dir := write(t, map[string]rows{
		"zerver_userprofile": {person(1, "a@x.example", "Ann")}, "zerver_stream": {{"id": 1, "name": "hall"}},
		"zerver_recipient": {{"id": 11, "type": 2, "type_id": 1}},
	}, map[string]rows{"zerver_message": messages})
	in, err := archive.New(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	reached, open, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	stand := sync.OnceFunc(func() {
		close(reached)
		select {
		case <-open:
		case <-t.Context().Done():
		}
	})
	deps := w.Importer.ImporterDeps
	deps.Workers = 1
	go func() {
		_, _, err := transfer.NewImporter(deps).Import(t.Context(), transfer.Plan{Archive: in, Subdomain: "big", Progress: func(what string, done, _ int) {
			if what == "messages" && done > 0 {
				stand()
			}
		}})
		ended <- err
	}()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatal(err)
	}
	made, _, err := load(t, w, dir, "big")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	close(open)
	if err := <-ended; !errors.Is(err, transfer.ErrTaken) {
		t.Errorf("the first process ends with %v", err)
	}
	if diff := gocmp.Diff(want, storetest.Values[string](db, "select content from messages where org_id = $1 order by message_id", made)); diff != "" {
		t.Error(diff)
	}
}
