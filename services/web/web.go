package web

import (
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/services/static"
)

// Where the client is, in the form of http.ServeMux: at the host, beside /api/v1.
const pageRoute = "GET /{$}"

// ManifestRoute is what says of the client how it is installed.
const ManifestRoute = "GET /manifest.webmanifest"

// files is the folder of everything that has a hash in its name.
const files = "assets"

// styles is what the file of [Style] is called, with its hash.
const styles = "dist/" + files + "/pages-*.css"

// policy lets the client use what this server serves, and nothing else. It has no script and no style inline. What becomes
// part of the page as HTML, and the address of the worker, have to come through the policies of src/html/trusted.ts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; worker-src 'self'; manifest-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types message-html worker"

// workerPolicy lets the service worker load files of this server, and nothing else.
const workerPolicy = "default-src 'none'; connect-src 'self'; img-src 'self'"

//go:embed dist
var dist embed.FS

// Config is what operators choose.
type Config struct {
	// Enabled says whether there is a client. Other programs work without it.
	Enabled bool `env:"WEB_ENABLED" envDefault:"true"`
}

// Style is the path of the style of pages that aren't the client's, and look like it.
func Style() string {
	found, err := fs.Glob(dist, styles)
	if err != nil || len(found) == 0 {
		return ""
	}
	return "/" + files + "/" + path.Base(found[0])
}

// Manifest is the manifest of clients of whatever organization.
func Manifest() []byte {
	manifest, _ := dist.ReadFile("dist/manifest.webmanifest") // what is embedded can be read
	return manifest
}

// icon is the name of the product's picture.
const icon = "dist/icon-192.png"

// Pages are the page and its files by their routes, or without a client the file at [Style] and the product's emoji alone. Unknown files, such as
// those that a client of another version asks for, are left to the interface, which answers with a 404 of its own form; whoever opens one in a
// browser sees a page.
func Pages(c Config) map[string]http.Handler {
	// What is embedded can be read.
	picture, _ := dist.ReadFile(icon)
	pages := map[string]http.Handler{"GET " + markdown.ProductEmojiPath: &static.File{Kind: kind(icon), Plain: picture}}
	_ = fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if shared, _ := path.Match(styles, name); !shared && !c.Enabled {
			return nil
		}
		content, err := dist.ReadFile(name)
		file := &static.File{Kind: kind(name), Plain: content}
		switch name {
		case "dist/index.html":
			file.Policy = policy
			pages[pageRoute] = file
			return err
		case "dist/worker.js":
			file.Policy = workerPolicy
		}
		file.Forever = path.Dir(name) == "dist/"+files
		pages["GET "+strings.TrimPrefix(name, "dist")] = file
		return err
	})
	return pages
}

// kind is the Content-Type of a file.
func kind(name string) string {
	switch ending := path.Ext(name); ending {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2" // some systems don't know it
	default:
		return mime.TypeByExtension(ending)
	}
}
