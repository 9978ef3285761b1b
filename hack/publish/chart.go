package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// charts returns the names of the charts in the folder charts.
func charts() []string { return []string{"chatserver-operator", "chatserver"} }

var digest = regexp.MustCompile(`(?m)^Digest: (sha256:[0-9a-f]{64})$`)

// pushCharts packages and pushes the charts, and returns their references with their digests.
func pushCharts(ctx context.Context, o options) ([]string, error) {
	folder, err := os.MkdirTemp("", "charts-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for charts: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is in the folder for temporary files
	references := []string(nil)
	for _, chart := range charts() {
		if _, err := helm(ctx, o, "package", filepath.Join(o.root, "charts", chart), "--version", o.version, "--app-version", o.version, "--destination", folder); err != nil {
			return nil, err
		}
		said, err := helm(ctx, o, "push", filepath.Join(folder, chart+"-"+o.version+".tgz"), "oci://"+o.repository+"/charts")
		if err != nil {
			return nil, err
		}
		found := digest.FindStringSubmatch(said)
		if found == nil {
			return nil, fmt.Errorf("helm push printed no digest of the chart %s: %s", chart, said)
		}
		references = append(references, fmt.Sprintf("%s/charts/%s:%s@%s", o.repository, chart, o.version, found[1]))
	}
	return references, nil
}

// helm runs Helm, and returns its output.
func helm(ctx context.Context, o options, args ...string) (string, error) {
	if args[0] == "push" && plain(o.repository) {
		args = append(args, "--plain-http")
	}
	said, err := exec.CommandContext(ctx, o.helm, args...).CombinedOutput() //nolint:gosec // the pinned Helm, with arguments of ours.
	if err != nil {
		return "", fmt.Errorf("helm %s: %w\n%s", args[0], err, said)
	}
	return string(said), nil
}
