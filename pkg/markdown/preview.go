package markdown

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// maxPreviews is the maximum number of different URLs with a preview. If a text has more, none has one (rest-api.md,
// section 7.9).
const maxPreviews = 5

// uploads is the prefix of the paths of uploaded files, after an optional slash.
const uploads = "user_uploads/"

// preview is the preview of a link below its block.
type preview struct {
	link

	video string // the ID of a YouTube video, "" for an image
	src   string // URL of the image on this server
	full  string // URL of the image in full size, "" if src has it
}

// found adds a link to the result, and to the previews if the block has them.
func (p *page) found(l link) {
	p.result.HasLink = true
	file, upload := strings.CutPrefix(strings.TrimPrefix(l.href, "/"), uploads)
	p.result.HasAttachment = p.result.HasAttachment || upload
	path, ours := uploadPath(file)
	ours = ours && upload
	if ours && !slices.Contains(p.result.Uploads, path) {
		p.result.Uploads = append(p.result.Uploads, path)
	}
	image := imageLink(l.href, upload)
	p.result.HasImage = p.result.HasImage || image

	if !p.collect || !p.in.Previews || p.quotes > 0 {
		return
	}
	video, src := "", l.href
	if !image {
		if video = youTubeVideo(l.href); video == "" {
			return
		}
		src = "https://i.ytimg.com/vi/" + video + "/default.jpg"
		l.alone = false // the link stays
	}
	if !upload {
		if src = p.imageSource(src); src == "" {
			return
		}
	}
	if slices.Contains(p.previewed, l.href) || len(p.previewed) > maxPreviews {
		return
	}
	p.previewed = append(p.previewed, l.href)
	full := ""
	if ours {
		src, full = thumbnail(file, "thumbnail"), thumbnail(file, "full")
	}
	p.pending = append(p.pending, preview{link: l, video: video, src: src, full: full})
}

func (p *page) flushPreviews() {
	for _, v := range p.pending {
		class := "message_inline_image"
		if v.video != "" {
			class = "youtube-video message_inline_image"
		}
		p.write(`<div class="`, class, `"><a`)
		if v.video != "" {
			p.attribute("data-id", v.video)
		}
		p.attribute("href", v.href)
		if v.video == "" && v.text != "" {
			p.attribute("title", v.text)
		}
		p.write("><img")
		if v.full != "" {
			p.attribute("data-src-fullsize", v.full)
		}
		p.attribute("src", v.src)
		p.write("></a></div>")
	}
	p.pending = p.pending[:0]
}

// imageSource returns the URL on this server of an image of another server, or "", see [Config.ImageSource].
func (p *page) imageSource(address string) string {
	if p.renderer.config.ImageSource == nil {
		return ""
	}
	return p.renderer.config.ImageSource(address)
}

// uploadPath returns the first three segments of an uploaded file's path, which the server has generated.
func uploadPath(address string) (path string, ok bool) {
	segments := strings.SplitN(address, "/", 4)
	if len(segments) < 4 {
		return "", false
	}
	path = strings.Join(segments[:3], "/")
	return path, only(path, func(c byte) bool { return alphanumeric(c) || c == '/' })
}

// thumbnail returns the URL of an uploaded file as an image of a size.
func thumbnail(file, size string) string {
	if i := strings.IndexAny(file, "?#"); i >= 0 {
		file = file[:i]
	}
	return "/thumbnail?url=" + url.QueryEscape(uploads+file) + "&size=" + size
}

// imageLink reports whether a URL is that of an image, by the extension of its path.
func imageLink(href string, upload bool) bool {
	scheme, _, _ := splitScheme(href)
	if scheme != "http" && scheme != "https" && !upload {
		return false
	}
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	switch strings.ToLower(path.Ext(href)) {
	case ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp":
		return true
	}
	return false
}

// youTubeVideo returns the ID of the video at a URL, or "".
func youTubeVideo(href string) string {
	if !strings.Contains(href, "youtu") {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	video := ""
	switch strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Host), "www."), "m.") {
	case "youtu.be":
		video = strings.TrimPrefix(u.Path, "/")
	case "youtube.com", "youtube-nocookie.com":
		kind, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
		switch kind {
		case "watch":
			video = u.Query().Get("v")
		case "embed", "v", "shorts", "live":
			video = rest
		}
	}
	if len(video) != 11 || !only(video, func(c byte) bool { return alphanumeric(c) || c == '_' || c == '-' }) {
		return ""
	}
	return video
}
