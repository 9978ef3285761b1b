// Command install installs missing programs that this repository needs, with the system's package manager: PostgreSQL
// and Redis; with -race also a C compiler, which Go's race detector needs on Linux; with -clients also the programs on
// which hack/clients runs clients. With -cluster it installs only the programs that nodes of hack/cluster need. It
// prints each step before it runs it, and prevents the packages from creating or starting system services. It does
// nothing if nothing is missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"chatserver.dev/pkg/localserver"
)

func main() {
	race := flag.Bool("race", false, "also install a C compiler, for the race detector")
	clients := flag.Bool("clients", false, "also install what hack/clients runs clients with: Python, Node.js, tmux, Chromium and nginx")
	cluster := flag.Bool("cluster", false, "install what hack/cluster needs on Linux, and nothing else")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, *race, *clients, *cluster); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		cancel()
		os.Exit(1)
	}
}

// need is a program that may have to be installed.
type need struct {
	missing   error  // nil when it is there
	apt, brew string // names of the packages
}

func run(ctx context.Context, race, clients, cluster bool) error {
	if cluster {
		return install(ctx, nodeNeeds, nodeByHand)
	}
	return install(ctx, func() []need { return serverNeeds(ctx, race, clients) }, byHand)
}

// serverNeeds returns the needs of the product and its tests.
func serverNeeds(ctx context.Context, race, clients bool) []need {
	needs := []need{
		{localserver.CheckPostgres(ctx), "postgresql", "postgresql@17"},
		{localserver.CheckRedis(ctx), "redis-server", "redis"},
	}
	if race && runtime.GOOS == "linux" && !has("gcc") && !has("cc") && !has("clang") {
		needs = append(needs, need{missing: errors.New("gcc: not installed, and the race detector needs a C compiler"), apt: "gcc libc6-dev"})
	}
	if clients {
		needs = append(needs, clientNeeds(ctx)...)
	}
	return needs
}

// clientNeeds returns the needs of hack/clients.
func clientNeeds(ctx context.Context) []need {
	var needs []need
	// Debian has venv and ensurepip in a separate package.
	if err := exec.CommandContext(ctx, "python3", "-c", "import venv, ensurepip").Run(); err != nil {
		needs = append(needs, need{fmt.Errorf("python3 with venv: %w", err), "python3 python3-venv", "python3"})
	}
	for _, n := range []struct{ program, apt, brew string }{
		{"node", "nodejs", "node"},
		{"npm", "npm", "node"},
		{"tmux", "tmux", "tmux"},
		{"chromium", "chromium fonts-noto-color-emoji", "chromium"},
		{"nginx", "nginx", "nginx"},
	} {
		// Not everybody has nginx' folder in the path.
		if !has(n.program) && !has("/usr/sbin/"+n.program) {
			needs = append(needs, need{fmt.Errorf("%s: not installed, and clients run on it", n.program), n.apt, n.brew})
		}
	}
	return needs
}

// nodeNeeds returns the needs of a node of hack/cluster.
func nodeNeeds() []need {
	var needs []need
	for _, n := range []struct{ program, apt string }{
		{"containerd", "containerd"},
		{"runc", "runc"},
		{"/usr/lib/cni/bridge", "containernetworking-plugins"},
		{"iptables", "iptables"},
		{"nft", "nftables"},
		{"ip", "iproute2"},
	} {
		// Not everybody has this folder in the path.
		if !has(n.program) && !has("/usr/sbin/"+n.program) {
			needs = append(needs, need{missing: fmt.Errorf("%s: not installed, and the test cluster runs on it", n.program), apt: n.apt})
		}
	}
	return needs
}

// install installs the missing needs, and checks that none is missing afterwards.
func install(ctx context.Context, check func() []need, byHand string) error {
	needs := missing(check)
	if len(needs) == 0 {
		return nil
	}
	for _, n := range needs {
		fmt.Println(n.missing)
	}
	var todo steps
	switch {
	case has("apt-get"):
		todo = apt(needs)
	case runtime.GOOS == "darwin" && has("brew") && !slices.ContainsFunc(needs, func(n need) bool { return n.brew == "" }):
		todo = brew(needs)
	default:
		return errors.New("neither apt-get nor brew was found: " + byHand)
	}
	if err := todo.do(ctx); err != nil {
		return fmt.Errorf("%w; if it cannot work here, %s", err, byHand)
	}
	var still []error
	for _, n := range missing(check) {
		still = append(still, n.missing)
	}
	return errors.Join(still...)
}

func missing(check func() []need) []need {
	return slices.DeleteFunc(check(), func(n need) bool { return n.missing == nil })
}

// byHand is the instruction if no package manager can install the needs.
const byHand = "install PostgreSQL 15 or later, Redis 7 or later and, on Linux, gcc by hand, then run this again. " +
	"`make run` also takes servers from elsewhere: set DATABASE_URL and REDIS_URL"

const nodeByHand = "install containerd, runc, the CNI plugins in /usr/lib/cni, iptables, nft and ip by hand, then run this again"

func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// step is a shell command and its purpose.
type step struct{ why, command string }

type steps []step

// do prints the steps and runs them as root. It stops at the first that fails.
func (s steps) do(ctx context.Context) error {
	for _, step := range s {
		fmt.Printf("%s\n  $ %s\n", step.why, step.command)
		args := []string{"/bin/sh", "-c", step.command}
		// Homebrew refuses root; everything else here needs it.
		if os.Geteuid() != 0 && runtime.GOOS != "darwin" {
			if !has("sudo") {
				return errors.New("this needs root, and there is no sudo: run the lines above as root")
			}
			args = slices.Insert(args, 0, "sudo")
		}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", step.command, err)
		}
	}
	return nil
}

// apt returns the steps on Debian and its derivatives.
func apt(needs []need) steps {
	const install = "DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "
	todo := steps{{"Reading the lists of packages.", "apt-get update -q"}}
	var packages []string
	for _, n := range needs {
		packages = append(packages, n.apt)
		if n.apt == "postgresql" {
			todo = append(
				todo,
				step{"Installing what PostgreSQL packages share.", install + "postgresql-common"},
				step{
					"Keeping the PostgreSQL package from making a cluster of the system.",
					`sed -i -E 's/^#?(create_main_cluster) *=.*/\1 = false/' /etc/postgresql-common/createcluster.conf`,
				},
			)
		}
	}
	command := install + strings.Join(packages, " ")
	// Packages run this program before they start a service.
	const policy = "/usr/sbin/policy-rc.d"
	if _, err := os.Stat(policy); errors.Is(err, os.ErrNotExist) {
		command = `trap 'rm -f ` + policy + `' EXIT; printf '#!/bin/sh\nexit 101\n' >` + policy +
			`; chmod 755 ` + policy + `; ` + command
	}
	todo = append(todo, step{"Installing the packages; no service is started.", command})
	for _, server := range []string{"redis-server", "nginx"} {
		if slices.Contains(packages, server) && has("systemctl") {
			todo = append(todo, step{"Keeping " + server + " from being started with the system.", "systemctl disable " + server + ".service"})
		}
	}
	return todo
}

// brew returns the steps on macOS.
func brew(needs []need) steps {
	var packages []string
	for _, n := range needs {
		packages = append(packages, n.brew)
	}
	return steps{{"Installing the packages; no service is started.", "brew install " + strings.Join(packages, " ")}}
}
