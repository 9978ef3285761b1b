package markdown

import (
	"strconv"
	"strings"
	"time"
)

// maxTime is the longest text of a time, in bytes.
const maxTime = 100

// timeTag reads `<time:TEXT>` (rest-api.md, section 7.4).
func (s *scanner) timeTag(i int) int {
	const open = "<time:"
	if !strings.HasPrefix(s.text[i:s.end], open) {
		return 0
	}
	start := i + len(open)
	rest := s.text[start:min(s.end, start+maxTime)]
	n := strings.IndexAny(rest, ">\n")
	if n <= 0 || rest[n] != '>' {
		return 0
	}
	typed := rest[:n]
	s.take(i, start+n+1)
	if at, ok := parseTime(typed); ok {
		s.p.write(`<time datetime="`, at.Format("2006-01-02T15:04:05Z"), `">`)
		s.p.verbatim(typed)
		s.p.write("</time>")
	} else {
		s.p.write(`<span class="timestamp-error">Invalid time format: `)
		s.p.verbatim(typed)
		s.p.write("</span>")
	}
	return start + n + 1
}

// parseTime reads a time in one of many forms. Without a zone it is in UTC.
func parseTime(typed string) (time.Time, bool) {
	typed = strings.TrimSpace(typed)
	if seconds, err := strconv.ParseInt(typed, 10, 64); err == nil && len(typed) != 4 && len(typed) != 8 {
		return inRange(time.Unix(seconds, 0))
	}
	normal := strings.Join(strings.Fields(strings.ReplaceAll(typed, ",", " ")), " ")
	if len(normal) > 10 && (normal[10] == 'T' || normal[10] == 't') && normal[4] == '-' {
		normal = normal[:10] + " " + normal[11:]
	}
	if rest, ok := strings.CutSuffix(normal, "z"); ok {
		normal = rest + "Z"
	}
	for _, day := range dayLayouts() {
		for _, layout := range day {
			at, err := time.ParseInLocation(layout, normal, time.UTC)
			if err == nil {
				return inRange(withZone(at))
			}
		}
	}
	return time.Time{}, false
}

// dayLayouts lists the forms, without commas: the ways to write a day, each with the ways to write
// a time after it.
func dayLayouts() [][]string {
	clock := []string{"", " 15:04:05Z07:00", " 15:04:05 Z07:00", " 15:04:05 -0700", " 15:04:05-0700", " 15:04:05Z07", " 15:04:05 MST", " 15:04:05", " 15:04Z07:00", " 15:04 Z07:00", " 15:04 -0700", " 15:04-0700", " 15:04Z07", " 15:04 MST", " 15:04", " 3:04 PM", " 3:04PM", " 3 PM", " 3PM"}
	days := []string{"2006-01-02", "2006/01/02", "20060102", "Jan 2 2006", "January 2 2006", "2 Jan 2006", "2 January 2006", "Mon Jan 2 2006", "Mon 2 Jan 2006", "Monday January 2 2006", "Monday 2 January 2006", "2 Jan 06", "Monday 02-Jan-06"}
	layouts := make([][]string, 0, len(days)+1)
	for _, day := range days {
		forms := make([]string, 0, len(clock))
		for _, c := range clock {
			forms = append(forms, day+c)
		}
		layouts = append(layouts, forms)
	}
	return append(layouts, []string{time.ANSIC, time.UnixDate, time.RubyDate, "Mon Jan 2 15:04:05 2006 -0700"})
}

// withZone gives North American abbreviations their meaning, as RFC 822 does; the time package
// knows no abbreviation but UTC.
func withZone(at time.Time) time.Time {
	name, offset := at.Zone()
	if offset != 0 {
		return at
	}
	hours := 0
	switch name {
	case "EDT":
		hours = 4
	case "EST", "CDT":
		hours = 5
	case "CST", "MDT":
		hours = 6
	case "MST", "PDT":
		hours = 7
	case "PST":
		hours = 8
	}
	return at.Add(time.Duration(hours) * time.Hour)
}

func inRange(at time.Time) (time.Time, bool) {
	at = at.UTC()
	return at, at.Year() >= 1 && at.Year() <= 9999
}
