package product

import (
	"runtime/debug"
	"strings"
)

// unreleased is the version of builds that aren't from a released module.
const unreleased = "0.0.0-dev"

// stamped is the version that the linker sets in images; see hack/images.
var stamped string //nolint:gochecknoglobals // The linker writes it, and nothing else does.

// Version returns the semantic version of the program. For an unreleased build it contains the revision.
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
