package upgrade

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

func before(a, b string) bool { return semver.Compare("v"+a, "v"+b) < 0 }

// skips reports whether an upgrade skips a minor version. It allows the first minor version of the next major version
// after any version; release notes state the actual requirement.
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

// step returns the next version that an upgrade must not skip, without its patch number.
func step(from, to string) string {
	fromMajor, fromMinor := parts(from)
	if toMajor, _ := parts(to); toMajor > fromMajor {
		return fmt.Sprintf("%d.0", fromMajor+1)
	}
	return fmt.Sprintf("%d.%d", fromMajor, fromMinor+1)
}

// parts returns the major and minor version, which the schema has validated. A number that is too large becomes the largest.
func parts(version string) (major, minor int) {
	numbers := strings.SplitN(version, ".", 3)
	if len(numbers) < 2 {
		return 0, 0
	}
	major, _ = strconv.Atoi(numbers[0])
	minor, _ = strconv.Atoi(numbers[1])
	return major, minor
}
