package markdown

import (
	"regexp"
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
	normal := strings.ToUpper(strings.Join(strings.Fields(strings.ReplaceAll(typed, ",", " ")), " "))
	normal = ordinal.ReplaceAllString(normal, "$1")
	normal = dayAndTime.ReplaceAllString(normal, "$1 $2")
	normal, ahead := cutZone(normal)
	normal = halfDay.ReplaceAllString(normal, "$1${2}M")
	for _, layout := range layouts() {
		if at, err := time.ParseInLocation(layout, normal, time.UTC); err == nil {
			return inRange(at.Add(-ahead))
		}
	}
	return time.Time{}, false
}

var (
	ordinal    = regexp.MustCompile(`\b(\d{1,2})(?:ST|ND|RD|TH)\b`)
	dayAndTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d|\d{8})T(\d)`)
	halfDay    = regexp.MustCompile(`(\d) ?([AP])\.?M\b\.?`)
	offset     = regexp.MustCompile(`(:\d\d(?:\.\d+)?|[AP]M) ?(?:UTC|GMT)?([+-])(\d\d):?(\d\d)?\b`)
	zone       = regexp.MustCompile(`([\d:M]) ?([A-Z]{1,5})( \d{4})?$`)
)

// cutZone takes the zone out of a time, and returns how far it is ahead of UTC.
func cutZone(typed string) (string, time.Duration) {
	if at := offset.FindStringSubmatch(typed); at != nil {
		hours, _ := strconv.Atoi(at[3]) // digits, by the pattern
		minutes, _ := strconv.Atoi("0" + at[4])
		ahead := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if at[2] == "-" {
			ahead = -ahead
		}
		return offset.ReplaceAllString(typed, "$1"), ahead
	}
	if at := zone.FindStringSubmatch(typed); at != nil {
		if minutes, ok := zoneMinutes(at[2]); ok {
			return zone.ReplaceAllString(typed, "$1$3"), time.Duration(minutes) * time.Minute
		}
	}
	return typed, 0
}

// zoneMinutes returns how many minutes a zone is ahead of UTC, by its usual abbreviation: package time
// knows none. Of zones that share one, it is that of the most people.
func zoneMinutes(name string) (int, bool) {
	const hour = 60
	switch name {
	case "Z", "UTC", "GMT", "WET":
		return 0, true
	case "CET", "BST", "WEST", "MEZ":
		return hour, true
	case "CEST", "EET", "SAST", "CAT", "MESZ":
		return 2 * hour, true
	case "EEST", "MSK", "EAT", "TRT":
		return 3 * hour, true
	case "GST":
		return 4 * hour, true
	case "PKT":
		return 5 * hour, true
	case "IST":
		return 5*hour + 30, true
	case "WIB", "ICT":
		return 7 * hour, true
	case "HKT", "SGT", "AWST", "PHT":
		return 8 * hour, true
	case "JST", "KST":
		return 9 * hour, true
	case "ACST":
		return 9*hour + 30, true
	case "AEST":
		return 10 * hour, true
	case "AEDT":
		return 11 * hour, true
	case "NZST":
		return 12 * hour, true
	case "NZDT":
		return 13 * hour, true
	case "ADT", "BRT", "ART":
		return -3 * hour, true
	case "EDT", "AST":
		return -4 * hour, true
	case "EST", "CDT":
		return -5 * hour, true
	case "CST", "MDT":
		return -6 * hour, true
	case "MST", "PDT":
		return -7 * hour, true
	case "PST", "AKDT":
		return -8 * hour, true
	case "AKST":
		return -9 * hour, true
	case "HST":
		return -10 * hour, true
	}
	return 0, false
}

// layouts lists the forms, without commas and zones: the ways to write a day, each with the ways to
// write a time behind it. Where only numbers say which is the month, it is the first.
func layouts() []string {
	days := [...]string{
		"2006-1-2", "2006/1/2", "20060102", "1/2/2006", "Jan 2 2006", "January 2 2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006",
		"Mon Jan 2 2006", "Mon 2 Jan 2006", "Monday January 2 2006", "Monday 2 January 2006", "2 Jan 06", "Monday 02-Jan-06",
	}
	all := []string{"Mon Jan 2 15:04:05 2006"}
	for _, day := range days {
		for _, clock := range [...]string{"", " 15:04:05", " 15:04", " 3:04:05PM", " 3:04PM", " 3PM"} {
			all = append(all, day+clock)
		}
	}
	return all
}

func inRange(at time.Time) (time.Time, bool) {
	at = at.UTC()
	return at, at.Year() >= 1 && at.Year() <= 9999
}
