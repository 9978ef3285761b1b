package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// host is the parts of the machine that the cluster changes.
type host struct {
	at     layout
	groups cgroups
}

func newHost(at layout) host { return host{at: at, groups: cgroups{root: "/sys/fs/cgroup"}} }

// node returns the process ID of the node's first process, or 0 if there is no node. It finds the process in the
// control group, so it doesn't need the cluster's files.
func (h host) node() (int, error) {
	members, err := h.groups.members()
	if err != nil {
		return 0, err
	}
	for _, pid := range members {
		status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if err != nil {
			continue // it has just ended
		}
		if firstOfNamespace(string(status)) {
			return pid, nil
		}
	}
	return 0, nil
}

// firstOfNamespace reports, from /proc/PID/status, whether a process is the first of a PID namespace directly below the
// host's. Namespaces of containers are further below.
func firstOfNamespace(status string) bool {
	for line := range strings.Lines(status) {
		if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(ids)
			return len(fields) == 2 && fields[1] == "1"
		}
	}
	return false
}

// spawn starts the node's first process in new namespaces, in the node's control group and with a link to this machine.
func (h host) spawn(ctx context.Context) (*exec.Cmd, error) {
	log, err := os.Create(filepath.Join(h.at.logs(), "node.log"))
	if err != nil {
		return nil, fmt.Errorf("make the node's log: %w", err)
	}
	defer log.Close() //nolint:errcheck // the node has its own copy
	wait, finished, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer wait.Close()     //nolint:errcheck // the node has its own copy
	defer finished.Close() //nolint:errcheck // what was written has arrived
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	// The command doesn't use the context because the node outlives this program.
	cmd := exec.Command(self, "init") //nolint:noctx // see above
	cmd.Env = []string{"PATH=" + path, "HOME=/root"}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{wait}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the node: %w", err)
	}
	err = errors.Join(h.groups.adopt(cmd.Process.Pid), link(ctx, cmd.Process.Pid))
	if err == nil {
		_, err = finished.Write([]byte{1})
	}
	if err != nil {
		_ = finished.Close() // which ends the node
		return nil, errors.Join(fmt.Errorf("start the node: %w", err), cmd.Wait())
	}
	return cmd, nil
}

// unreachable returns the routes that are used when there is no link to the node. Without them, requests would leave by
// the default route, and another machine might answer.
func unreachable() []string {
	var routes []string
	for _, net := range []string{linkNet, podNet, serviceNet} {
		routes = append(routes, "unreachable "+net+" metric 4096")
	}
	return routes
}

func link(ctx context.Context, pid int) error {
	var lines []string
	for _, route := range unreachable() {
		lines = append(lines, "route add "+route)
	}
	lines = append(lines,
		fmt.Sprintf("link add %s type veth peer name eth0 netns %d", hostLink, pid),
		"address add "+hostAddress+"/30 dev "+hostLink,
		"link set "+hostLink+" up",
		"route add "+podNet+" via "+nodeAddress,
		"route add "+serviceNet+" via "+nodeAddress,
	)
	for _, line := range lines {
		if err := command(ctx, "ip", strings.Fields(line)...); err != nil {
			return err
		}
	}
	return nil
}

// settings returns the kernel settings of the whole machine that kubelet changes.
func settings() []string {
	return []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"}
}

func (h host) settingsFile() string { return filepath.Join(h.at.state, "settings.json") }

func (h host) saveSettings() error {
	values := map[string]string{}
	for _, name := range settings() {
		value, err := os.ReadFile(filepath.Join("/proc/sys", name))
		if err != nil {
			return fmt.Errorf("read a setting: %w", err)
		}
		values[name] = string(value)
	}
	content, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("note the settings: %w", err)
	}
	if err := os.WriteFile(h.settingsFile(), content, 0o644); err != nil {
		return fmt.Errorf("note the settings: %w", err)
	}
	return nil
}

func (h host) restoreSettings() error {
	content, err := os.ReadFile(h.settingsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the noted settings: %w", err)
	}
	values := map[string]string{}
	if err := json.Unmarshal(content, &values); err != nil {
		return fmt.Errorf("read the noted settings: %w", err)
	}
	for name, value := range values {
		if err := os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0o644); err != nil {
			return fmt.Errorf("restore a setting: %w", err)
		}
	}
	return nil
}

// sweep ends the node, if there is one, and removes all remains except its files.
func (h host) sweep(ctx context.Context) error {
	for try := 0; ; try++ {
		members, err := h.groups.members()
		if err != nil {
			return err
		}
		if len(members) == 0 {
			break
		}
		if try == 200 {
			return fmt.Errorf("processes %v of the node don't end", members)
		}
		// If the first process ends, the kernel ends all others. If it is already gone, the others must be ended one by
		// one.
		first, err := h.node()
		if err != nil {
			return err
		}
		if first != 0 {
			members = []int{first}
		}
		for _, pid := range members {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end the node: %w", err)
			}
		}
		if !pause(ctx, 50*time.Millisecond) {
			return fmt.Errorf("wait for the node's end: %w", context.Cause(ctx))
		}
	}
	// Errors are ignored: the link and the routes may not exist.
	_ = command(ctx, "ip", "link", "delete", hostLink)
	for _, route := range unreachable() {
		_ = command(ctx, "ip", append([]string{"route", "delete"}, strings.Fields(route)...)...)
	}
	return errors.Join(h.groups.remove(), h.restoreSettings())
}
