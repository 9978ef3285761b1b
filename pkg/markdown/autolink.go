package markdown

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

const (
	// maxURL is the longest link, in bytes.
	maxURL = 2000
	// maxLocalPart is the longest name before the @ of an e-mail address, in bytes.
	maxLocalPart = 64
	// maxHost is the longest domain name, in bytes.
	maxHost = 253
	// minBitcoin and maxBitcoin are the lengths of the shortest and the longest bitcoin address.
	minBitcoin = 26
	maxBitcoin = 90
	// maxParentheses is how deep parentheses may be nested in an address.
	maxParentheses = 6
)

// bareURL reads an address with a scheme; i is at its first colon (rest-api.md, section 7.7).
func (s *scanner) bareURL(i int) int {
	if s.inLink {
		return 0
	}
	start := i
	for start > s.done && i-start < len("bitcoin") && alphanumeric(s.text[start-1]) {
		start--
	}
	next := 0
	switch strings.ToLower(s.text[start:i]) {
	case "http", "https":
		next = s.hostAndPath(i)
	case "bitcoin":
		next = s.bitcoinAddress(i)
	}
	if next == 0 || !s.opens(start) {
		return 0
	}
	return s.autolink(start, next, s.text[start:next])
}

// hostAndPath returns the end of an address whose scheme ends at i, or 0 if there is no host.
func (s *scanner) hostAndPath(i int) int {
	if !strings.HasPrefix(s.text[i:s.end], "://") || i+3 >= s.end || !alphanumeric(s.text[i+3]) && s.text[i+3] < 0x80 {
		return 0
	}
	next := s.urlEnd(i + 3)
	if next == i+3 {
		return 0
	}
	return next
}

// bitcoinAddress returns the end of a bitcoin address, or 0 if there is none; i is at the colon before it.
func (s *scanner) bitcoinAddress(i int) int {
	next := s.urlEnd(i + 1)
	if length := next - i - 1; length < minBitcoin || length > maxBitcoin || !only(s.text[i+1:next], alphanumeric) {
		return 0
	}
	return next
}

// bareDomain reads an address without a scheme, or an e-mail address with a dot in front of its @;
// i is at a dot.
func (s *scanner) bareDomain(i int) int {
	if s.inLink || i < s.noDomain || i+1 >= s.end || !alphanumeric(s.text[i+1]) {
		return 0
	}
	start := s.hostStart(i)
	end := s.hostEnd(i)
	s.noDomain = end // all dots up to there are in this name
	if start == i || !s.opens(start) || end < s.end && s.text[end] == '@' {
		return 0
	}
	host := strings.TrimRight(s.text[start:end], ".-")
	end = start + len(host)
	if !knownDomain(host) {
		return 0
	}
	next := end
	if next < s.end && s.text[next] == ':' {
		port := next + 1
		for port < s.end && port-next < 6 && digit(s.text[port]) {
			port++
		}
		if port > next+1 {
			next = port
		}
	}
	if next < s.end && strings.IndexByte("/?#", s.text[next]) >= 0 {
		path := next
		if next = s.urlEnd(path); next == path && s.text[path] == '/' {
			return 0
		}
	}
	return s.autolink(start, next, "http://"+s.text[start:next])
}

// email reads an e-mail address; i is at its @.
func (s *scanner) email(i int) int {
	if s.inLink {
		return 0
	}
	start := i
	for start > s.done && i-start < maxLocalPart && localPart(s.text[start-1]) {
		start--
	}
	if start == i || !s.opens(start) {
		return 0
	}
	host := strings.TrimRight(s.text[i+1:s.hostEnd(i+1)], ".-")
	if !knownDomain(host) {
		return 0
	}
	next := i + 1 + len(host)
	return s.autolink(start, next, "mailto:"+s.text[start:next])
}

func (s *scanner) autolink(start, next int, url string) int {
	href, ok := s.p.href(url)
	if !ok {
		return 0
	}
	return s.anchor(start, next, link{href: href, alone: s.whole(start, next)})
}

// whole reports whether the range is the whole text of the block.
func (s *scanner) whole(start, next int) bool {
	return s.depth == 0 && start == s.start && next == s.end
}

func (s *scanner) hostStart(i int) int {
	start := i
	for start > s.done && i-start < maxHost && hostByte(s.text[start-1]) {
		start--
	}
	return start
}

func (s *scanner) hostEnd(i int) int {
	end := i
	for end < s.end && end-i < maxHost && hostByte(s.text[end]) {
		end++
	}
	return end
}

// urlEnd returns the end of an address that continues at i.
func (s *scanner) urlEnd(i int) int {
	return i + urlLength(s.text[i:s.wordEnd(i)])
}

// urlByte reports whether an address may contain a byte.
func urlByte(c byte) bool {
	return c > ' ' && c != 0x7f && c != '<' && c != '>' && c != '"' && c != '`'
}

// urlLength returns the size of the rest of an address at the start of a word: without punctuation at
// its end, with balanced parentheses. It is 0 for one that is too long.
func urlLength(word string) int {
	if len(word) >= maxURL {
		return 0
	}
	end := balanced(word)
	for end > 0 && strings.IndexByte("!:;?,.'*~", word[end-1]) >= 0 {
		end--
	}
	return end
}

// balanced returns the size of the longest prefix of s with balanced parentheses, which ends
// before one that is never opened or closed. It is 0 if they are nested too deep, since a part of such an
// address would lead elsewhere.
func balanced(s string) int {
	var opened [maxParentheses]int
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			if depth == maxParentheses {
				return 0
			}
			opened[depth] = i
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	if depth > 0 {
		return opened[0]
	}
	return len(s)
}

// knownDomain reports whether the name ends in a top-level domain. It excludes two of them that are
// far more often extensions of files (rest-api.md, section 7.7).
func knownDomain(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || host[0] == '.' || host[0] == '-' || strings.Contains(host, "..") {
		return false
	}
	domain := strings.ToLower(host[dot+1:])
	if domain == "py" || domain == "md" {
		return false
	}
	_, known := publicsuffix.PublicSuffix(domain)
	return known
}

func hostByte(c byte) bool { return alphanumeric(c) || c == '.' || c == '-' }

// only reports whether ok holds for all bytes of s.
func only(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func localPart(c byte) bool { return hostByte(c) || strings.IndexByte("_+%", c) >= 0 }
