package emoji

import "fmt"

// ByName returns the code of the emoji with a canonical or other name. Names are case-sensitive.
func ByName(name string) (code string, ok bool) {
	code, ok = load().codes[name]
	return code, ok
}

// Canonical returns the canonical name of the emoji with a code.
func Canonical(code string) (name string, ok bool) {
	name, ok = load().names[code]
	return name, ok
}

// ByRune returns the code and canonical name of a character in the usual emoji blocks (rest-api.md, section 7.6).
// Characters outside of them that people type as text, such as © and digits, have names but aren't converted.
func ByRune(r rune) (code, name string, ok bool) {
	if !inBlocks(r) {
		return "", "", false
	}
	code = fmt.Sprintf("%04x", r)
	name, ok = Canonical(code)
	return code, name, ok
}

func inBlocks(r rune) bool {
	switch {
	case r < 0x2000:
		return false
	case r == 0x203c, r == 0x2049, r >= 0x2300 && r <= 0x27bf, r >= 0x2900 && r <= 0x297f,
		r >= 0x2b00 && r <= 0x2bff, r >= 0x3000 && r <= 0x303f, r >= 0x3200 && r <= 0x32ff,
		r >= 0x1f000 && r <= 0x1faff:
		return true
	}
	return false
}
