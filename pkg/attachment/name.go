package attachment

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxName is the maximum length of a name in bytes, as in most file systems.
	maxName = 255
	// maxExtension is the maximum length in bytes of an extension, with its dot, that is kept when a name is truncated.
	maxExtension = 20
	// unnamed is the name of a file whose own name has no usable character.
	unnamed = "uploaded-file"
)

// cleanName returns a file's name as shown: without folders, invisible characters, and those that change the direction of text.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(lastSegment(name), "\uFFFD"))
	return shortened(strings.TrimSpace(norm.NFC.String(name)))
}

// slugOf returns a file's name as it is in its address (rest-api.md, section 5.10).
func slugOf(name string) string {
	name = norm.NFKC.String(name)
	slug, gap := strings.Builder{}, false
	for _, r := range name {
		switch {
		case unicode.IsSpace(r), r == '-':
			gap = slug.Len() > 0
			continue
		case !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '_' && r != '.':
			continue
		case gap:
			slug.WriteByte('-')
			gap = false
		}
		slug.WriteRune(r)
	}
	if gap {
		slug.WriteByte('-')
	}
	return shortened(strings.TrimSpace(slug.String()))
}

// lastSegment returns what follows the last slash or backslash.
func lastSegment(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// shortened cuts a name that is too long, before its extension, and replaces one that is empty or only dots.
func shortened(name string) string {
	if strings.Trim(name, ".") == "" {
		return unnamed
	}
	if len(name) <= maxName {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	stem := name[:maxName-len(extension)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, " ") + extension
}

// extensionOf returns the extension of files of a media type, with its dot; empty: the type isn't known.
func extensionOf(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return map[string]string{
		"application/gzip": ".gz", "application/json": ".json", "application/msword": ".doc", "application/pdf": ".pdf", "application/zip": ".zip",
		"application/vnd.ms-excel": ".xls", "application/vnd.ms-powerpoint": ".ppt",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
		"audio/aac": ".aac", "audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/wav": ".wav", "audio/webm": ".weba",
		"image/bmp": ".bmp", "image/gif": ".gif", "image/heic": ".heic", "image/jpeg": ".jpg", "image/png": ".png", "image/svg+xml": ".svg",
		"image/tiff": ".tiff", "image/webp": ".webp",
		"text/calendar": ".ics", "text/csv": ".csv", "text/html": ".html", "text/markdown": ".md", "text/plain": ".txt",
		"video/mp4": ".mp4", "video/mpeg": ".mpeg", "video/ogg": ".ogv", "video/quicktime": ".mov", "video/webm": ".webm",
	}[strings.ToLower(strings.TrimSpace(mediaType))]
}
