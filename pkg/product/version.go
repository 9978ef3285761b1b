package product

import (
	"runtime/debug"
	"strings"
)

// unreleased is the version of what wasn't built from a released module.
const unreleased = "0.0.0-dev"

// stamped is the version that the linker sets in an image; see hack/images.
var stamped string //nolint:gochecknoglobals // The linker writes it, and nothing else does.

// Version is the semantic version that was built in; for what wasn't released it says which revision
// it was built from.
func Version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unreleased
	}
	if version, ok := strings.CutPrefix(info.Main.Version, "v"); ok {
		return version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return unreleased + "+" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	return unreleased
}
