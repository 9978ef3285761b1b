package testcluster_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/internal/testcluster"
	"chatserver.dev/pkg/testbed"
)

// folderOf is set for the process that is killed.
const folderOf = "TEST_OWNER_OF_A_CLUSTER"

// Nothing of a cluster stays when its owner is killed.
func TestAClusterEndsWithItsOwner(t *testing.T) {
	if os.Getenv(folderOf) != "" {
		if _, err := testcluster.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Print("\nstarted\n")
		time.Sleep(time.Hour)
	}
	testbed.Slow(t)
	temporary := t.TempDir()
	owner := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAClusterEndsWithItsOwner$")
	owner.Stderr = t.Output()
	owner.Env = append(os.Environ(), folderOf+"=1", "TMPDIR="+temporary)
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() && lines.Text() != "started" {
		continue
	}
	programs := func() string {
		found, _ := exec.CommandContext(t.Context(), "pgrep", "-f", "--", "-dir="+temporary).Output() // it fails if there are none
		return string(found)
	}
	if n := len(strings.Fields(programs())); n != 2 {
		t.Errorf("%d programs are running, not etcd and kube-apiserver", n)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	testbed.Until(t, "programs and files are gone", func() bool {
		files, err := filepath.Glob(filepath.Join(temporary, "*"))
		return err == nil && len(files) == 0 && programs() == ""
	})
}
