// Command publish pushes the Helm charts to a registry. It then signs the charts, and the images that `make images`
// pushed, with a cosign key:
//
//	make publish REPOSITORY=registry.example/chatserver VERSION=0.1.0 KEY=cosign.key
//
// Signatures are stored beside the images and charts, where cosign looks for them. The command uses cosign's packages,
// and is a separate module to keep them out of the product's dependencies. It writes no entry to a transparency log.
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
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv("COSIGN_PASSWORD"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

// options are the values of flags.
type options struct {
	root       string // of the repository
	images     string // folder with the references of the pushed images
	components string // names of images, with spaces between
	repository string // where they were pushed to, and where charts go, below charts
	version    string // of the charts
	helm       string // the Helm program
	key        string // the file with the private key
}

func run(ctx context.Context, args []string, password string, output io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	signer, err := loadKey(o.key, password)
	if err != nil {
		return err
	}
	references, err := pushed(o)
	if err != nil {
		return err
	}
	charts, err := pushCharts(ctx, o)
	if err != nil {
		return err
	}
	for _, reference := range slices.Concat(references, charts) {
		if err := sign(ctx, signer, reference); err != nil {
			return err
		}
		fmt.Fprintln(output, reference)
	}
	return nil
}

func parse(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("publish", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", "../..", "root of the repository")
	flags.StringVar(&o.images, "images", "../../.local/images", "folder with the references of the pushed images: NAME.ref")
	flags.StringVar(&o.components, "components", "api events operator webhook", "images to sign")
	flags.StringVar(&o.repository, "repository", "", "where images were pushed to; charts go below it: registry.example/chatserver")
	flags.StringVar(&o.version, "version", "", "version of the charts and images")
	flags.StringVar(&o.helm, "helm", "helm", "the Helm program")
	flags.StringVar(&o.key, "key", "", "file with a private key in PEM, as cosign generate-key-pair makes it; its password is in COSIGN_PASSWORD")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.repository == "" || o.version == "" || o.key == "" || flags.NArg() > 0 {
		return o, errors.New("-repository, -version and -key are required, and no other arguments are allowed; `make publish` passes them")
	}
	return o, nil
}

// pushed returns the references of the images, with their digests. It fails if the last build of an image was for
// another repository or version.
func pushed(o options) ([]string, error) {
	references := []string(nil)
	for _, component := range strings.Fields(o.components) {
		text, err := os.ReadFile(filepath.Join(o.images, component+".ref"))
		if err != nil {
			return nil, fmt.Errorf("read the reference of the pushed image of %s, which `make images PUSH=1` writes: %w", component, err)
		}
		reference := strings.TrimSpace(string(text))
		want := o.repository + "/" + component + ":" + o.version + "@sha256:"
		if !strings.HasPrefix(reference, want) {
			return nil, fmt.Errorf("the image of %s that was built last is %s, not %s…: run `make images PUSH=1` with the same REPOSITORY and VERSION", component, reference, want)
		}
		references = append(references, reference)
	}
	return references, nil
}
