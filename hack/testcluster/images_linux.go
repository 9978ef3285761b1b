package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// image is the recipe of an image, of a program of this repository or of Debian packages.
type image struct {
	Name    string // of the file
	Tag     string
	Program string // built by buildPrograms; the only file of the image

	Packages []string          // unpacked with all dependencies
	Remove   []string          // patterns of files that aren't needed
	Write    []string          // folders that anyone may write to
	Link     map[string]string // name to target
	Accounts map[string]string // /etc/passwd and the like
	Start    string            // the script /entrypoint.sh

	Config v1.Config
}

//go:embed images/postgres.sh
var postgresScript string

//go:embed images/redis.sh
var redisScript string

// images returns the images that every node has from the start.
func images() []image {
	return []image{
		{
			Name: "pause", Tag: "chatserver.test/pause:1", Program: "pause",
			Config: v1.Config{User: "65532:65532", Entrypoint: []string{"/pause"}},
		},
		{
			Name: "coredns", Tag: "chatserver.test/coredns:1", Program: "coredns",
			Config: v1.Config{User: "65532:65532", Entrypoint: []string{"/coredns"}},
		},
		{
			Name: "postgres", Tag: "chatserver.test/postgres:15",
			Packages: []string{"postgresql-15", "postgresql-client-15", "libnss-wrapper", "dash", "coreutils"},
			Remove: append(notNeeded(),
				// The JIT compiler of queries takes two thirds of the size.
				"usr/lib/postgresql/15/lib/llvmjit*", "usr/lib/postgresql/15/lib/bitcode", "usr/lib/*/libLLVM*", "usr/lib/llvm-*",
				"usr/share/postgresql/15/man", "usr/lib/python3*"),
			Write:    []string{"tmp", "run/postgresql", "var/lib/postgresql", "var/lib/postgresql/data"},
			Link:     map[string]string{"var/run": "../run", "bin/sh": "dash"},
			Accounts: accounts("postgres", "/var/lib/postgresql"),
			Start:    postgresScript,
			Config: v1.Config{
				User: "999:999", Entrypoint: []string{"/entrypoint.sh"}, Cmd: []string{"postgres"},
				Env: []string{"PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin", "LANG=C.UTF-8", "PGDATA=/var/lib/postgresql/data"},
			},
		},
		{
			Name: "redis", Tag: "chatserver.test/redis:7",
			Packages: []string{"redis-server", "redis-tools", "dash"},
			Remove:   notNeeded(),
			Write:    []string{"tmp", "data"},
			Link:     map[string]string{"bin/sh": "dash"},
			Accounts: accounts("redis", "/data"),
			Start:    redisScript,
			Config: v1.Config{
				User: "999:999", Entrypoint: []string{"/entrypoint.sh"}, Cmd: []string{"redis-server"},
				Env: []string{"PATH=/usr/bin:/bin"}, WorkingDir: "/data",
			},
		},
	}
}

// notNeeded returns patterns of files in packages that no image needs.
func notNeeded() []string {
	return []string{
		"usr/share/doc", "usr/share/doc-base", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian",
		"usr/share/bash-completion", "usr/share/zoneinfo-icu", "usr/share/common-licenses", "var/cache", "var/run",
		"usr/share/perl*", "usr/lib/*/perl*", "usr/bin/perl*",
	}
}

func accounts(user, home string) map[string]string {
	return map[string]string{
		"passwd": fmt.Sprintf("root:x:0:0::/:/bin/sh\n%s:x:999:999::%s:/bin/sh\n", user, home),
		"group":  fmt.Sprintf("root:x:0:\n%s:x:999:\n", user),
	}
}

// file returns the path of the image, which is different for each recipe.
func (i image) file(at layout) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", i))
	return filepath.Join(at.images(), fmt.Sprintf("%s-%x.tar", i.Name, sum[:4]))
}

// buildImages builds the missing images, and returns the files of all images.
func buildImages(ctx context.Context, at layout, out io.Writer) ([]string, error) {
	var files []string
	for _, i := range images() {
		file := i.file(at)
		err := makeOnce(file, func(temporary string) error {
			start := time.Now()
			fmt.Fprintf(out, "Making image %s.\n", i.Tag)
			if err := i.build(ctx, at, temporary); err != nil {
				return fmt.Errorf("make image %s: %w", i.Tag, err)
			}
			fmt.Fprintf(out, "Made image %s in %.0f s.\n", i.Tag, time.Since(start).Seconds())
			return nil
		})
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (i image) build(ctx context.Context, at layout, file string) error {
	dir, err := os.MkdirTemp(at.images(), "."+i.Name+"-*")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in nobody's way
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if i.Program != "" {
		if err := os.Link(filepath.Join(at.bin(), i.Program), filepath.Join(root, i.Program)); err != nil {
			return fmt.Errorf("copy the program: %w", err)
		}
		return writeImage(file, i.Tag, root, i.Config)
	}
	if err := unpack(ctx, dir, root, i.Packages); err != nil {
		return err
	}
	if err := i.arrange(root); err != nil {
		return err
	}
	return writeImage(file, i.Tag, root, i.Config)
}

// unpack unpacks the packages and all their dependencies, which apt determines as if no package was installed, into a
// folder. It runs no scripts of packages, and changes nothing else on the machine.
func unpack(ctx context.Context, dir, root string, packages []string) error {
	archives := filepath.Join(dir, "archives")
	if err := os.MkdirAll(filepath.Join(archives, "partial"), 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	status := filepath.Join(dir, "status")
	if err := os.WriteFile(status, nil, 0o644); err != nil {
		return fmt.Errorf("write apt's empty list of installed packages: %w", err)
	}
	args := []string{
		"-qq", "-y", "--download-only", "-o", "Dir::State::status=" + status, "-o", "Dir::Cache::archives=" + archives,
		"-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "-o", "APT::Install-Recommends=false", "install",
	}
	if output, err := exec.CommandContext(ctx, "apt-get", append(args, packages...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("download packages %s: %w\n%s\nDebian 12 has them; `apt-get update`, by root, may help",
			strings.Join(packages, " "), err, output)
	}
	debs, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return fmt.Errorf("list packages: %w", err)
	}
	for _, deb := range debs {
		if output, err := exec.CommandContext(ctx, "dpkg", "-x", deb, root).CombinedOutput(); err != nil {
			return fmt.Errorf("unpack %s: %w\n%s", filepath.Base(deb), err, output)
		}
	}
	return nil
}

// arrange removes and adds files as the recipe says.
func (i image) arrange(root string) error {
	for _, pattern := range i.Remove {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("find %s: %w", pattern, err)
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("leave out %s: %w", pattern, err)
			}
		}
	}
	for _, dir := range append([]string{"etc", "proc", "sys", "dev"}, i.Write...) {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return fmt.Errorf("make /%s: %w", dir, err)
		}
	}
	for _, dir := range i.Write {
		if err := os.Chmod(filepath.Join(root, dir), 0o777|os.ModeSticky); err != nil {
			return fmt.Errorf("open /%s: %w", dir, err)
		}
	}
	for name, target := range i.Link {
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			return fmt.Errorf("link /%s: %w", name, err)
		}
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return fmt.Errorf("link /%s: %w", name, err)
		}
	}
	for name, content := range i.Accounts {
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("write /etc/%s: %w", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "entrypoint.sh"), []byte(i.Start), 0o755); err != nil {
		return fmt.Errorf("write the script that starts it: %w", err)
	}
	return nil
}
