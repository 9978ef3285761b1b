package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroups is the file system of control groups. The cluster's groups are below one with its name. The node's own
// processes are in the leaf named node, since in version 2 only leaves have processes.
type cgroups struct{ root string }

// unified reports whether this is version 2, where all controllers share a hierarchy. A machine with both versions has
// its controllers in version 1.
func (c cgroups) unified() bool {
	_, err := os.Stat(filepath.Join(c.root, "cgroup.controllers"))
	return err == nil
}

// parents returns the cluster's groups, one for each hierarchy.
func (c cgroups) parents() ([]string, error) {
	if c.unified() {
		return []string{filepath.Join(c.root, clusterName)}, nil
	}
	entries, err := os.ReadDir(c.root)
	if err != nil {
		return nil, fmt.Errorf("list control groups: %w", err)
	}
	var parents []string
	for _, entry := range entries {
		// A link is the second name of two controllers that share a hierarchy.
		if entry.IsDir() {
			parents = append(parents, filepath.Join(c.root, entry.Name(), clusterName))
		}
	}
	if len(parents) == 0 {
		return nil, fmt.Errorf("%s has no control groups: mount version 1 or 2 there", c.root)
	}
	return parents, nil
}

// leaf returns the group of the node's own processes, in which the node is found.
func (c cgroups) leaf() string {
	if c.unified() {
		return filepath.Join(c.root, clusterName, "node")
	}
	return filepath.Join(c.root, "pids", clusterName, "node")
}

// make makes the groups that kubelet expects to find.
func (c cgroups) make() error {
	parents, err := c.parents()
	if err != nil {
		return err
	}
	for _, parent := range append(parents, c.leaf()) {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return fmt.Errorf("make a control group: %w", err)
		}
	}
	if c.unified() {
		return c.delegate()
	}
	// In version 1, a group without processors and memory accepts no processes.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		all, err := os.ReadFile(filepath.Join(c.root, "cpuset", file))
		if err != nil {
			return fmt.Errorf("list processors: %w", err)
		}
		if err := os.WriteFile(filepath.Join(c.root, "cpuset", clusterName, file), all, 0o644); err != nil {
			return fmt.Errorf("assign processors to the cluster's control group: %w", err)
		}
	}
	return nil
}

// delegate enables the machine's controllers in the cluster's group of version 2 and its children.
func (c cgroups) delegate() error {
	have, err := os.ReadFile(filepath.Join(c.root, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("list controllers: %w", err)
	}
	controllers := strings.Fields(string(have))
	for _, needed := range []string{"cpu", "cpuset", "memory", "pids"} {
		if !slices.Contains(controllers, needed) {
			return fmt.Errorf("%s lacks the controller %s, which kubelet needs", c.root, needed)
		}
	}
	for _, group := range []string{c.root, filepath.Join(c.root, clusterName)} {
		enable := "+" + strings.Join(controllers, " +")
		if err := os.WriteFile(filepath.Join(group, "cgroup.subtree_control"), []byte(enable), 0o644); err != nil {
			return fmt.Errorf("enable controllers for the cluster: %w", err)
		}
	}
	return nil
}

// adopt moves a process into the node's group; its children follow.
func (c cgroups) adopt(pid int) error {
	if err := os.WriteFile(filepath.Join(c.leaf(), "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644); err != nil {
		return fmt.Errorf("put the node into its control group: %w", err)
	}
	return nil
}

// members returns the IDs of the node's own processes; none if there is no node.
func (c cgroups) members() ([]int, error) {
	list, err := os.ReadFile(filepath.Join(c.leaf(), "cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the node: %w", err)
	}
	var pids []int
	for field := range strings.FieldsSeq(string(list)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("find the node: %w", err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// remove removes all of the cluster's groups. It retries for some seconds, because groups can be busy for a moment
// after their last process has ended.
func (c cgroups) remove() error {
	parents, err := c.parents()
	if err != nil {
		return err
	}
	for _, parent := range parents {
		err := removeGroups(parent)
		for try := 0; err != nil && try < 100; try++ {
			time.Sleep(50 * time.Millisecond)
			err = removeGroups(parent)
		}
		if err != nil {
			return fmt.Errorf("remove the cluster's control groups: %w", err)
		}
	}
	return nil
}

// removeGroups removes a group and those below it. os.RemoveAll would fail, because it would first remove the kernel's
// files in them.
func removeGroups(parent string) error {
	var groups []string
	err := filepath.WalkDir(parent, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			groups = append(groups, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	for _, group := range slices.Backward(groups) {
		if gone := syscall.Rmdir(group); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, &fs.PathError{Op: "rmdir", Path: group, Err: gone})
		}
	}
	return err
}
