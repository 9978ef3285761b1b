package markdown

import "strings"

// href returns the URL of a link from typed text; ok is false if it must not be a link. Only
// http, https, ftp, mailto and bitcoin URLs, paths and fragments are links. Other text without a scheme is a
// web or mail address. URLs of this server become relative (rest-api.md, section 7.7).
func (p *page) href(typed string) (string, bool) {
	url := strings.TrimSpace(typed)
	if url == "" || strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	url = strings.ReplaceAll(url, " ", "%20")
	switch scheme, rest, found := splitScheme(url); {
	case found:
		if !allowed(scheme, rest) {
			return "", false
		}
	case url[0] == '#':
	case url[0] == '/':
		if strings.HasPrefix(url, "//") || strings.HasPrefix(url, `/\`) {
			return "", false
		}
	case mailAddress(url):
		url = "mailto:" + url
	default:
		if !alphanumeric(url[0]) && url[0] < 0x80 {
			return "", false
		}
		url = "http://" + url
	}
	return p.relative(url), true
}

// splitScheme finds the scheme of a URL as browsers do.
func splitScheme(url string) (scheme, rest string, found bool) {
	i := strings.IndexAny(url, ":/?#")
	if i < 0 || url[i] != ':' {
		return "", "", false
	}
	return strings.ToLower(url[:i]), url[i+1:], true
}

func allowed(scheme, rest string) bool {
	switch scheme {
	case "http", "https", "ftp":
		host, ok := strings.CutPrefix(rest, "//")
		return ok && host != "" && strings.IndexByte(`/\?#`, host[0]) < 0
	case "mailto", "bitcoin":
		return rest != ""
	}
	return false
}

func mailAddress(url string) bool {
	local, host, found := strings.Cut(url, "@")
	return found && local != "" && !strings.ContainsAny(url, "/?#") && knownDomain(host)
}

// relative makes URLs of this server relative, unless the result could be mistaken for a URL with a
// scheme or of another server.
func (p *page) relative(url string) string {
	if p.in.OrgURL == "" {
		return url
	}
	rest, ok := strings.CutPrefix(url, p.in.OrgURL+"/")
	if !ok || rest == "" || strings.IndexByte(`/\`, rest[0]) >= 0 {
		return url
	}
	if _, _, scheme := splitScheme(rest); scheme {
		return url
	}
	return rest
}
