package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

//go:embed config
var config embed.FS

// The paths in the node.
const (
	inside    = "/run/node"
	insideBin = "/run/bin"
	path      = insideBin + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	runtimeAt = "/run/containerd/containerd.sock"
)

// collect is the node's first process: it runs the second one, and reaps each ended process whose parent has ended.
// When collect returns, all processes in the node end.
func collect() error {
	// The process that made this namespace writes a byte when links and groups exist. If it fails, it closes the pipe
	// without writing.
	if n, err := os.NewFile(3, "go").Read(make([]byte, 1)); n != 1 {
		return fmt.Errorf("the host didn't finish setting up the node: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	second, err := os.StartProcess(self, []string{self, "node"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}, Env: os.Environ()})
	if err != nil {
		return fmt.Errorf("start the node: %w", err)
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("collect: %w", err)
		}
		if pid == second.Pid {
			return fmt.Errorf("the node ended, with code %d", status.ExitStatus())
		}
	}
}

// runInside is the node's second process: it prepares the namespaces and runs all programs.
func runInside(ctx context.Context, at layout) error {
	if err := prepareMounts(at); err != nil {
		return err
	}
	if err := prepareNetwork(ctx); err != nil {
		return err
	}
	if err := writeConfig(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, nil))
	group, ctx := errgroup.WithContext(ctx)
	keep := func(name string, args ...string) {
		group.Go(func() error { return keepRunning(ctx, log, name, args) })
	}
	keep("etcd", etcdArgs()...)
	keep("containerd", "--config", inside+"/containerd.toml")
	keep("kube-apiserver", apiServerArgs()...)

	client, err := newClient(pki + "admin.kubeconfig")
	if err != nil {
		return err
	}
	imported := make(chan error, 1)
	go func() { imported <- importImages(ctx, at) }()
	// Without the API server, these programs would end at once, again and again.
	if err := waitReady(ctx, client); err != nil {
		return err
	}
	keep("kube-controller-manager", controllerManagerArgs()...)
	keep("kube-scheduler", schedulerArgs()...)
	keep("kube-proxy", "--config="+inside+"/kube-proxy.yaml")
	// No pod can start without the image of its sandbox, and callers may use the other images, too, as soon as the node
	// is ready.
	if err := <-imported; err != nil {
		return err
	}
	keep("kubelet", kubeletArgs()...)
	group.Go(func() error { return keepVolumes(ctx, log, client) })
	return group.Wait()
}

// prepareMounts mounts the node's own /proc, /run and /etc/cni, and the cluster's files at paths that don't depend on
// the repository's.
func prepareMounts(at layout) error {
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		// Mounts in the node aren't visible outside. Within the node, mounts must be shared between containers for
		// kubelet.
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE},
		{"", "/", "", unix.MS_REC | unix.MS_SHARED},
		{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"tmpfs", "/run", "tmpfs", 0},
		{at.state, inside, "", unix.MS_BIND},
		{at.bin(), insideBin, "", unix.MS_BIND},
		{"tmpfs", "/var/log/containers", "tmpfs", 0},
		{"tmpfs", "/etc/cni", "tmpfs", 0},
	} {
		if err := os.MkdirAll(m.target, 0o755); err != nil {
			return fmt.Errorf("make a mount point: %w", err)
		}
		if err := unix.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	if err := os.MkdirAll("/run/lock", 0o755); err != nil { // of iptables
		return fmt.Errorf("make a folder for locks: %w", err)
	}
	if err := unix.Sethostname([]byte(nodeName)); err != nil {
		return fmt.Errorf("set the node's host name: %w", err)
	}
	return nil
}

// prepareNetwork sets up the node's end of the link.
func prepareNetwork(ctx context.Context) error {
	for _, line := range []string{
		"link set lo up",
		"address add " + nodeAddress + "/30 dev eth0",
		"link set eth0 up",
		"route add default via " + hostAddress,
	} {
		if err := command(ctx, "ip", strings.Fields(line)...); err != nil {
			return err
		}
	}
	// These settings belong to the network namespace. Without the second, an answer from a pod on the same bridge would
	// bypass the translation of the service's address.
	for _, setting := range []string{"ipv4/ip_forward", "bridge/bridge-nf-call-iptables", "bridge/bridge-nf-call-ip6tables"} {
		if err := os.WriteFile(filepath.Join("/proc/sys/net", setting), []byte("1"), 0o644); err != nil {
			return fmt.Errorf("set up the node's network: %w; it needs the kernel module br_netfilter", err)
		}
	}
	return nil
}

func writeConfig() error {
	for name, target := range map[string]string{
		"containerd.toml": inside + "/containerd.toml",
		"kubelet.yaml":    inside + "/kubelet.yaml",
		"kube-proxy.yaml": inside + "/kube-proxy.yaml",
		"cni.conflist":    "/etc/cni/net.d/10-pods.conflist",
	} {
		content, err := config.ReadFile("config/" + name)
		if err != nil {
			return fmt.Errorf("read the node's configuration: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("make a folder for the node's configuration: %w", err)
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return fmt.Errorf("write the node's configuration: %w", err)
		}
	}
	if err := os.WriteFile(inside+"/resolv.conf", nil, 0o644); err != nil {
		return fmt.Errorf("write the node's configuration: %w", err)
	}
	return nil
}

// keepRunning runs a program and restarts it when it ends, as the init system of an ordinary node does.
func keepRunning(ctx context.Context, log *slog.Logger, name string, args []string) error {
	output, err := os.OpenFile(filepath.Join(inside, "logs", name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open a log: %w", err)
	}
	defer output.Close() //nolint:errcheck // the program wrote to its own copy
	for ctx.Err() == nil {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Stdout, cmd.Stderr = output, output
		log.Info("start", slog.String("program", name))
		err := cmd.Run()
		log.Warn("ended", slog.String("program", name), slog.Any("error", err))
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// importImages imports all images into containerd as soon as containerd responds.
func importImages(ctx context.Context, at layout) error {
	err := poll(ctx, 30*time.Second, func() error { return command(ctx, "ctr", "--address", runtimeAt, "version") })
	if err != nil {
		return fmt.Errorf("wait for containerd: %w", err)
	}
	// The images exist: `up` has built them.
	files, err := buildImages(ctx, at, io.Discard)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := command(ctx, "ctr", "--address", runtimeAt, "--namespace", "k8s.io", "images", "import", file); err != nil {
			return err
		}
	}
	return nil
}

// poll calls try until it succeeds. After limit it returns try's last error.
func poll(ctx context.Context, limit time.Duration, try func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := try()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		if !pause(ctx, 100*time.Millisecond) {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// pause waits, and reports whether the whole time passed before the context was canceled.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// command runs a program to its end. The error has the program's output.
func command(ctx context.Context, name string, args ...string) error {
	output, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}
