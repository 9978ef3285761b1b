package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// version1 makes a tree like that of a machine that has each controller in its own hierarchy, and version 2 without
// controllers next to them.
func version1(t *testing.T) cgroups {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"cpu,cpuacct", "cpuset", "memory", "pids", "systemd", "unified"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("cpu,cpuacct", filepath.Join(root, "cpu")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "unified", "cgroup.controllers"), "")
	write(t, filepath.Join(root, "cpuset", "cpuset.cpus"), "0-1\n")
	write(t, filepath.Join(root, "cpuset", "cpuset.mems"), "0\n")
	return cgroups{root: root}
}

// version2 makes a tree like that of a machine that has all controllers in one hierarchy.
func version2(t *testing.T, controllers string) cgroups {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "cgroup.controllers"), controllers)
	return cgroups{root: root}
}

func TestCgroupsVersion1(t *testing.T) {
	t.Parallel()
	groups := version1(t)
	if err := groups.make(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(groups.root, "cpuset", clusterName, "cpuset.cpus")); got != "0-1\n" {
		t.Errorf("processors %q", got)
	}
	if err := groups.adopt(42); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(groups.root, "pids", clusterName, "node", "cgroup.procs")); got != "42" {
		t.Errorf("processes in the leaf: %q", got)
	}
	parents, err := groups.parents()
	if err != nil {
		t.Fatal(err)
	}
	for i, parent := range parents {
		if parents[i], err = filepath.Rel(groups.root, parent); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"cpu,cpuacct", "cpuset", "memory", "pids", "systemd", "unified"}
	for i := range want {
		want[i] += "/" + clusterName
	}
	if !slices.Equal(parents, want) {
		t.Errorf("groups %q, want %q", parents, want)
	}
}

func TestCgroupsVersion2(t *testing.T) {
	t.Parallel()
	groups := version2(t, "cpuset cpu io memory hugetlb pids\n")
	if err := groups.make(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", clusterName} {
		got := read(t, filepath.Join(groups.root, dir, "cgroup.subtree_control"))
		if want := "+cpuset +cpu +io +memory +hugetlb +pids"; got != want {
			t.Errorf("enabled in %q: %q, want %q", dir, got, want)
		}
	}
	if err := groups.adopt(42); err != nil {
		t.Fatal(err)
	}
	// A group that delegates controllers has no processes.
	if got := read(t, filepath.Join(groups.root, clusterName, "node", "cgroup.procs")); got != "42" {
		t.Errorf("processes in the leaf: %q", got)
	}
	members, err := groups.members()
	if err != nil || !slices.Equal(members, []int{42}) {
		t.Errorf("members %v, %v", members, err)
	}
}

func TestCgroupsVersion2LacksController(t *testing.T) {
	t.Parallel()
	err := version2(t, "cpu io memory pids").make()
	if err == nil || !strings.Contains(err.Error(), "lacks the controller cpuset") {
		t.Errorf("error %v", err)
	}
}

func TestCgroupsGone(t *testing.T) {
	t.Parallel()
	for name, groups := range map[string]cgroups{"1": version1(t), "2": version2(t, "cpu")} {
		if members, err := groups.members(); err != nil || members != nil {
			t.Errorf("version %s: members %v, %v", name, members, err)
		}
		if err := groups.remove(); err != nil {
			t.Errorf("version %s: %v", name, err)
		}
		parents, err := groups.parents()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(parents[0], "kubepods", "burstable", "pod1"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := groups.remove(); err != nil {
			t.Errorf("version %s: %v", name, err)
		}
		if _, err := os.Stat(parents[0]); !os.IsNotExist(err) {
			t.Errorf("version %s: %s is still there: %v", name, parents[0], err)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
