package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// program is a program that is built from a pinned module.
type program struct {
	name   string
	module string // folder below hack/testcluster
	path   string // package
}

// programs returns all programs: first those for tests of controllers (envtest), and then the others for a node.
func programs() []program {
	list := []program{
		{"kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"},
		{"etcd", "etcd", "go.etcd.io/etcd/server/v3"},
		{"kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"},
	}
	if runtime.GOOS != "linux" {
		return list
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"} {
		list = append(list, program{name, "kubernetes", "k8s.io/kubernetes/cmd/" + name})
	}
	return append(list, program{"coredns", "coredns", "."}, program{"pause", "pause", "."})
}

// assets returns the programs that envtest needs.
func assets() []string { return []string{"kube-apiserver", "etcd", "kubectl"} }

// buildPrograms builds the programs that are missing, and writes each that it builds to out.
func buildPrograms(ctx context.Context, at layout, out io.Writer, names ...string) error {
	known := programs()
	for _, name := range names {
		i := slices.IndexFunc(known, func(p program) bool { return p.name == name })
		if i < 0 {
			all := make([]string, 0, len(known))
			for _, p := range known {
				all = append(all, p.name)
			}
			return fmt.Errorf("there is no program %q to build here: it is one of %s", name, strings.Join(all, ", "))
		}
		if err := known[i].build(ctx, at, out); err != nil {
			return err
		}
	}
	return nil
}

func (p program) build(ctx context.Context, at layout, out io.Writer) error {
	return makeOnce(filepath.Join(at.bin(), p.name), func(temporary string) error {
		start := time.Now()
		fmt.Fprintf(out, "Building %s: minutes, if Go's cache is cold.\n", p.name)
		dir := filepath.Join(at.source, p.module)
		flags, err := linkFlags(dir)
		if err != nil {
			return err
		}
		// Without cgo, no C compiler is needed, and the programs run in an empty image.
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", temporary, p.path)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build %s: %w", p.name, err)
		}
		fmt.Fprintf(out, "Built %s in %.0f s.\n", p.name, time.Since(start).Seconds())
		return nil
	})
}

// linkFlags returns linker flags that set the version of Kubernetes' programs, which isn't in their source. Clients
// compare it with their own.
func linkFlags(dir string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("read a pinned module: %w", err)
	}
	var flags strings.Builder
	flags.WriteString("-s -w")
	version := regexp.MustCompile(`k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)`).FindSubmatch(mod)
	if version == nil {
		return flags.String(), nil
	}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, value := range []string{
			"gitVersion=" + string(version[1]), "gitMajor=" + string(version[2]), "gitMinor=" + string(version[3]),
			"gitCommit=module", "gitTreeState=clean", "buildDate=1970-01-01T00:00:00Z",
		} {
			flags.WriteString(" -X " + pkg + "." + value)
		}
	}
	return flags.String(), nil
}
