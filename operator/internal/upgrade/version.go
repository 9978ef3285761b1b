package upgrade

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

func before(a, b string) bool { return semver.Compare("v"+a, "v"+b) < 0 }

// skips reports whether a minor version would be left out on the way up. A new major version is reached
// from any one before, at its first minor version; its notes say which one that has to be.
func skips(from, to string) bool {
	fromMajor, fromMinor := parts(from)
	toMajor, toMinor := parts(to)
	switch toMajor {
	case fromMajor:
		return toMinor > fromMinor+1
	case fromMajor + 1:
		return toMinor > 0
	}
	return toMajor > fromMajor
}

// step is the next version on the way, without its patch.
func step(from, to string) string {
	fromMajor, fromMinor := parts(from)
	if toMajor, _ := parts(to); toMajor > fromMajor {
		return fmt.Sprintf("%d.0", fromMajor+1)
	}
	return fmt.Sprintf("%d.%d", fromMajor, fromMinor+1)
}

// parts are major and minor of a version, which the schema has checked; a number that is too large is the largest.
func parts(version string) (major, minor int) {
	numbers := strings.SplitN(version, ".", 3)
	if len(numbers) < 2 {
		return 0, 0
	}
	major, _ = strconv.Atoi(numbers[0])
	minor, _ = strconv.Atoi(numbers[1])
	return major, minor
}
