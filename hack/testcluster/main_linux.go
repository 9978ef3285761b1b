package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// runNode runs the commands that work only on Linux. The commands start, init and node are internal: up runs start as
// root, start runs init, and init runs node.
func runNode(ctx context.Context, at layout, dir, name string, args []string) error {
	h := newHost(at)
	switch {
	case name == "build" && len(args) == 0:
		return build(ctx, at)
	case name == "up" && len(args) == 0:
		return up(ctx, at)
	case name == "start" && len(args) == 0:
		return start(ctx, h)
	case name == "init" && len(args) == 0:
		return collect()
	case name == "node" && len(args) == 0:
		return runInside(ctx, at)
	case name == "status" && len(args) == 0:
		return status(h)
	case name == "down" && len(args) == 0:
		return asRoot(ctx, "down", nil, func() error { return down(ctx, h) })
	case name == "load" && len(args) > 0:
		return load(ctx, h, dir, args)
	case name == "exec" && len(args) > 0:
		if args[0] == "--" {
			args = args[1:]
		}
		return asRoot(ctx, "exec", args, func() error { return execute(ctx, h, args) })
	default:
		return fmt.Errorf("%q isn't a command, or its arguments are wrong\n%s", name, usage)
	}
}

// asRoot runs a command as root, under sudo if the process isn't.
func asRoot(ctx context.Context, name string, args []string, do func() error) error {
	if os.Geteuid() == 0 {
		return do()
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if _, err := exec.LookPath("sudo"); err != nil {
		return fmt.Errorf("%s needs root, and there is no sudo: run it as root", name)
	}
	return attached(exec.CommandContext(ctx, "sudo", append([]string{self, name}, args...)...))
}

// attached runs a command on this program's own input and output.
func attached(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(cmd.Path), err)
	}
	return nil
}

// build builds everything that is missing.
func build(ctx context.Context, at layout) error {
	var all []string
	for _, p := range programs() {
		all = append(all, p.name)
	}
	if err := buildPrograms(ctx, at, os.Stderr, all...); err != nil {
		return err
	}
	_, err := buildImages(ctx, at, os.Stderr)
	return err
}

// up installs and builds missing programs as the current user, and starts the node as root.
func up(ctx context.Context, at layout) error {
	if err := attached(exec.CommandContext(ctx, "go", "run", "./hack/install", "-cluster")); err != nil {
		return err
	}
	if err := build(ctx, at); err != nil {
		return err
	}
	return asRoot(ctx, "start", nil, func() error { return start(ctx, newHost(at)) })
}

// start starts the node, and returns when the cluster is ready.
func start(ctx context.Context, h host) error {
	unlock, err := lock(h.at.state + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	pid, err := h.node()
	if err != nil {
		return err
	}
	if pid != 0 && h.complete() {
		fmt.Println("The cluster is up already.")
		printExport(h)
		return nil
	}
	started := time.Now()
	stage := func(what string) { fmt.Printf("%5.1f s  %s\n", time.Since(started).Seconds(), what) }
	if err := prepare(ctx, h); err != nil {
		return err
	}
	stage("certificates")
	if err := bringUp(ctx, h, stage); err != nil {
		// With a canceled context, sweep couldn't end the node.
		return errors.Join(err, h.sweep(context.WithoutCancel(ctx)), fmt.Errorf("the programs' logs are in %s", h.at.logs()))
	}
	printExport(h)
	return nil
}

func printExport(h host) { fmt.Printf("export KUBECONFIG=%s\n", h.at.kubeconfig()) }

// prepare removes the remains of an earlier node, and makes the files of a new one.
func prepare(ctx context.Context, h host) error {
	if err := h.sweep(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(h.at.state); err != nil {
		return fmt.Errorf("remove the last cluster's files: %w", err)
	}
	if err := os.MkdirAll(h.at.logs(), 0o755); err != nil {
		return fmt.Errorf("make the cluster's files: %w", err)
	}
	if err := writeCertificates(filepath.Join(h.at.state, "pki"), time.Now()); err != nil {
		return err
	}
	if err := h.saveSettings(); err != nil {
		return err
	}
	// If br_netfilter is a module, it may not be loaded yet.
	if _, err := os.Stat("/proc/sys/net/bridge"); err != nil {
		if err := command(ctx, "modprobe", "--all", "br_netfilter", "overlay"); err != nil {
			return fmt.Errorf("the pods' network needs the kernel module br_netfilter: %w", err)
		}
	}
	return h.groups.make()
}

// bringUp starts the node and waits until the cluster is ready.
func bringUp(ctx context.Context, h host, stage func(string)) error {
	node, err := h.spawn(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { cancel(fmt.Errorf("the node has ended: %w", node.Wait())) }()
	stage("node " + strconv.Itoa(node.Process.Pid))

	kubeconfig := filepath.Join(h.at.state, "pki", "admin.kubeconfig")
	client, err := newClient(kubeconfig)
	if err != nil {
		return err
	}
	if err := waitReady(ctx, client); err != nil {
		return err
	}
	stage("API server ready")
	kubectl := func(args ...string) error {
		return command(ctx, filepath.Join(h.at.bin(), "kubectl"), append([]string{"--kubeconfig", kubeconfig}, args...)...)
	}
	if err := kubectl("apply", "-f", filepath.Join(h.at.source, "config", "addons.yaml")); err != nil {
		return err
	}
	if err := poll(ctx, time.Minute, func() error { return kubectl("wait", "--for=condition=Ready", "node/"+nodeName, "--timeout=60s") }); err != nil {
		return err
	}
	stage("node ready")
	if err := kubectl("--namespace=kube-system", "rollout", "status", "deployment/coredns", "--timeout=90s"); err != nil {
		return err
	}
	// The kubeconfig is written last because complete checks for it.
	if err := publish(h, kubeconfig); err != nil {
		return err
	}
	stage("DNS ready")
	return nil
}

// publish writes the administrator's kubeconfig to its public path. Under sudo, the file belongs to the user who ran
// sudo.
func publish(h host, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	if err := os.WriteFile(h.at.kubeconfig(), content, 0o600); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	if uid, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil {
		if err := os.Chown(h.at.kubeconfig(), uid, -1); err != nil {
			return fmt.Errorf("change the owner of the kubeconfig: %w", err)
		}
	}
	return nil
}

// complete reports whether a start has succeeded.
func (h host) complete() bool {
	_, err := os.Stat(h.at.kubeconfig())
	return err == nil
}

var errDown = errors.New("the cluster isn't running: run hack/cluster up")

func status(h host) error {
	pid, err := h.node()
	if err != nil {
		return err
	}
	if pid == 0 {
		return errDown
	}
	if !h.complete() {
		return fmt.Errorf("the cluster is starting, or its start was interrupted: run hack/cluster up; its logs are in %s", h.at.logs())
	}
	fmt.Printf("The cluster is up. Its first process is %d, its logs are in %s.\n", pid, h.at.logs())
	printExport(h)
	return nil
}

// down ends the cluster and removes all of it, in whatever state it is.
func down(ctx context.Context, h host) error {
	unlock, err := lock(h.at.state + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	start := time.Now()
	if err := h.sweep(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(h.at.state); err != nil {
		return fmt.Errorf("remove the cluster's files: %w", err)
	}
	fmt.Printf("The cluster is down, after %.1f s.\n", time.Since(start).Seconds())
	return nil
}

// load puts images into the node. The file names are relative to dir.
func load(ctx context.Context, h host, dir string, files []string) error {
	for i, name := range files {
		if !filepath.IsAbs(name) {
			files[i] = filepath.Join(dir, name)
		}
	}
	return asRoot(ctx, "load", files, func() error { return loadAll(ctx, h, files) })
}

func loadAll(ctx context.Context, h host, files []string) error {
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("load an image: %w", err)
		}
		cmd, err := h.enter(ctx, "ctr", "images", "import", "-")
		if err != nil {
			return errors.Join(err, file.Close())
		}
		// The node doesn't see all of the host's files.
		cmd.Stdin, cmd.Stdout, cmd.Stderr = file, os.Stdout, os.Stderr
		err = cmd.Run()
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("load %s, which has to be what `docker save` writes or an OCI layout in a tar: %w", name, err)
		}
	}
	return nil
}

// execute runs a command in the node.
func execute(ctx context.Context, h host, args []string) error {
	cmd, err := h.enter(ctx, args...)
	if err != nil {
		return err
	}
	return attached(cmd)
}

// enter returns a command that runs in the node, with the cluster's programs in its PATH.
func (h host) enter(ctx context.Context, args ...string) (*exec.Cmd, error) {
	pid, err := h.node()
	if err != nil {
		return nil, err
	}
	if pid == 0 {
		return nil, errDown
	}
	// nsenter looks for the command in its own PATH.
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return nil, fmt.Errorf("enter the node: %w", err)
	}
	cmd := exec.CommandContext(ctx, nsenter, append([]string{"--target", strconv.Itoa(pid), "--mount", "--pid", "--net", "--uts", "--ipc", "--"}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+path, "KUBECONFIG="+inside+"/pki/admin.kubeconfig",
		"CONTAINERD_ADDRESS="+runtimeAt, "CONTAINERD_NAMESPACE=k8s.io")
	return cmd, nil
}
