package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// layout has the paths of the cluster's files.
type layout struct {
	source string // hack/testcluster
	state  string // the running cluster's files
	built  string // programs and images; the folder is named by the sum of their sources
}

func (l layout) bin() string        { return filepath.Join(l.built, "bin") }
func (l layout) images() string     { return filepath.Join(l.built, "images") }
func (l layout) logs() string       { return filepath.Join(l.state, "logs") }
func (l layout) kubeconfig() string { return filepath.Join(l.state, "kubeconfig") }

// findLayout returns the layout in the repository with this root.
func findLayout(root string) (layout, error) {
	source := filepath.Join(root, "hack", "testcluster")
	sum, err := sumOf(source)
	if errors.Is(err, os.ErrNotExist) {
		return layout{}, fmt.Errorf("run this from the root of the repository, as hack/cluster does: %w", err)
	}
	if err != nil {
		return layout{}, err
	}
	local := filepath.Join(root, ".local", "cluster")
	if err := os.MkdirAll(local, 0o755); err != nil {
		return layout{}, fmt.Errorf("make the cluster's folder: %w", err)
	}
	// The node mounts it by its path, which therefore must not contain links.
	if local, err = filepath.EvalSymlinks(local); err != nil {
		return layout{}, fmt.Errorf("find the cluster's folder: %w", err)
	}
	return layout{source: source, state: filepath.Join(local, "run"), built: filepath.Join(local, sum)}, nil
}

// sumOf returns a short sum of the inputs of the build: the files of the pinned modules, the version of Go, and the
// system and architecture.
func sumOf(source string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, module := range []string{"coredns", "etcd", "kubernetes", "pause"} {
		files, err := filepath.Glob(filepath.Join(source, module, "*"))
		if err != nil {
			return "", fmt.Errorf("list module %s: %w", module, err)
		}
		if !slices.Contains(files, filepath.Join(source, module, "go.mod")) {
			return "", fmt.Errorf("module %s of the test cluster: %w", module, os.ErrNotExist)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return "", fmt.Errorf("read the pinned modules: %w", err)
			}
			fmt.Fprintln(hash, module, filepath.Base(file), len(content))
			if _, err := hash.Write(content); err != nil {
				return "", fmt.Errorf("sum %s: %w", file, err)
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// makeOnce makes the target unless it exists: write writes a temporary file, which makeOnce then renames. If several
// processes call it at once, one makes the target and the others wait.
func makeOnce(target string, write func(temporary string) error) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	unlock, err := lock(filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	temporary := target + ".part"
	defer os.RemoveAll(temporary) //nolint:errcheck // the next one overwrites it
	if err := write(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, target); err != nil {
		return fmt.Errorf("move it to its final path: %w", err)
	}
	return nil
}

// lock waits until no other process holds the file, and holds it until unlock is called.
func lock(name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a lock: %w", err)
	}
	if err := flock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), file.Close())
	}
	return func() { _ = file.Close() }, nil // nothing was written
}
