// Command images builds the images of chatserver, without Docker and without a base image:
//
//	images -version 1.2.3 [flag...] [component...]
//
// Without -push it writes an archive of each image, for the architecture of this machine, to .local/images/, with its
// bill of materials (SPDX) beside it. `hack/cluster load`, `kind load image-archive` and `docker load` read such
// archives. With -push it pushes images for all architectures, and their bills of materials, to the registry.
//
// Equal sources produce equal images: the same version built twice has the same digest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"

	"chatserver.dev/hack/images/component"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		cancel()
		os.Exit(1)
	}
}

// options are the values of flags.
type options struct {
	root       string // of the repository
	version    string
	tags       []string
	revision   string // of the sources; empty: left out
	repository string // prefix of the component's name
	folder     string // for archives, bills of materials and references
	push       bool
	platforms  []string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	chosen, o, err := parse(args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return fmt.Errorf("make the folder for images: %w", err)
	}
	for _, c := range chosen {
		reference, err := build(ctx, o, c)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, reference)
	}
	return nil
}

// versionPattern matches a semantic version without build metadata, because tags can't have a plus sign.
const versionPattern = `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`

func parse(args []string) ([]component.Component, options, error) {
	o := options{}
	flags := flag.NewFlagSet("images", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "the repository's root")
	flags.StringVar(&o.version, "version", "", "semantic version that is built in, and the images' tag")
	tag := flags.String("tag", "", "another tag for the images")
	flags.StringVar(&o.revision, "revision", "", "revision of the sources, for the label")
	flags.StringVar(&o.repository, "repository", "", "what comes before the component's name, such as registry.example/chat")
	flags.StringVar(&o.folder, "folder", ".local/images", "where archives, bills of materials and references go")
	flags.BoolVar(&o.push, "push", false, "push to the registry instead of writing archives")
	platforms := flags.String("platforms", "", "such as linux/amd64,linux/arm64; by default this machine's, and with -push all")
	if err := flags.Parse(args); err != nil {
		return nil, o, err
	}
	if !regexp.MustCompile(versionPattern).MatchString(o.version) {
		return nil, o, fmt.Errorf("-version %q is not a semantic version that can be a tag: make it like 1.2.3 or 1.2.3-rc.1", o.version)
	}
	if _, err := name.NewRepository(o.repository); err != nil {
		return nil, o, fmt.Errorf("-repository %s: %w", o.repository, err)
	}
	o.tags = []string{o.version}
	if *tag != "" {
		o.tags = append(o.tags, *tag)
	}
	switch {
	case *platforms != "":
		o.platforms = strings.Split(*platforms, ",")
	case o.push:
		o.platforms = []string{"linux/amd64", "linux/arm64"}
	default:
		o.platforms = []string{"linux/" + runtime.GOARCH}
	}
	if !o.push && len(o.platforms) > 1 {
		return nil, o, errors.New("an archive has the image of one platform: name one with -platforms, or use -push")
	}
	for _, path := range []*string{&o.root, &o.folder} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return nil, o, err
		}
		*path = absolute
	}
	chosen, err := choose(flags.Args())
	return chosen, o, err
}

// choose returns the components of these names; without names, all that aren't local.
func choose(names []string) ([]component.Component, error) {
	all := component.All()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(c component.Component) bool { return c.Local }), nil
	}
	var chosen []component.Component
	for _, name := range names {
		i := slices.IndexFunc(all, func(c component.Component) bool { return c.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for i, c := range all {
				known[i] = c.Name
			}
			return nil, fmt.Errorf("there is no component %q; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
