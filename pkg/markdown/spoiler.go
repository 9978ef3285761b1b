package markdown

// spoiler writes a block whose content is hidden until the reader opens it (rest-api.md,
// section 7.3). It reports false for a spoiler without content, which isn't shown.
func (p *page) spoiler(f *fence) bool {
	p.write(`<div class="spoiler-block"><div class="spoiler-header">`, "\n")
	if f.header != "" {
		p.write("\n<p>")
		p.inline(f.header)
		p.write("</p>\n")
	}
	p.write(`</div><div class="spoiler-content" aria-hidden="true">`, "\n\n")
	mark := len(p.out)
	p.blocks(f)
	if len(p.out) == mark {
		return false
	}
	p.write("\n</div></div>")
	return true
}
