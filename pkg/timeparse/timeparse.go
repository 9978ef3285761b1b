// Package timeparse parses times in the forms that people and programs use.
package timeparse

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxText is the maximum length of a text in bytes.
const maxText = 100

// maxAhead is the largest offset from UTC of any zone.
const maxAhead = 14 * time.Hour

// Parse parses a time in one of many forms. The result is in the zone of the text or, if it has none, in the zone in. If clocks
// show the time twice, at the end of daylight saving time, the result is the first. If clocks skip it, the result is as much later as they
// are put forward. ok is false if the text isn't a time in the years 1 to 9999, or its zone is none: more than 14 hours from UTC.
func Parse(typed string, in *time.Location) (at time.Time, ok bool) {
	typed = strings.TrimSpace(typed)
	if len(typed) > maxText {
		return time.Time{}, false
	}
	if fractional.MatchString(typed) {
		typed, _, _ = strings.Cut(typed, ".")
	}
	if seconds, err := strconv.ParseInt(typed, 10, 64); err == nil && len(typed) != 4 && len(typed) != 8 {
		return inRange(time.Unix(seconds, 0).UTC())
	}
	normal := strings.ToUpper(strings.Join(strings.Fields(strings.ReplaceAll(typed, ",", " ")), " "))
	normal = ordinal.ReplaceAllString(normal, "$1")
	normal = dayAndTime.ReplaceAllString(normal, "$1 $2")
	normal, east, zoned := cutZone(normal)
	if zoned {
		if east.Abs() > maxAhead {
			return time.Time{}, false
		}
		in = time.FixedZone("", int(east.Seconds()))
	}
	normal = halfDay.ReplaceAllString(normal, "$1${2}M")
	for _, layout := range layouts() {
		if clock, err := time.Parse(layout, normal); err == nil {
			return inRange(shown(clock, in))
		}
	}
	return time.Time{}, false
}

// shown returns when clocks in a zone show the time that those of UTC show at clock. [time.Date] doesn't say which of two times it is, or
// which one in place of a time that clocks skip.
func shown(clock time.Time, in *time.Location) time.Time {
	// What it would be by the offsets before and after a change, if there is one on that day.
	before, after := clock.Add(-ahead(clock.AddDate(0, 0, -1).In(in))), clock.Add(-ahead(clock.AddDate(0, 0, 1).In(in)))
	for _, at := range []time.Time{before.In(in), after.In(in)} {
		if at.Add(ahead(at)).Equal(clock) {
			return at
		}
	}
	return before.In(in)
}

// ahead returns the offset of a time's zone from UTC.
func ahead(at time.Time) time.Duration {
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second
}

// fractional matches seconds since 1970 as programs write them that count in fractions, such as JavaScript's Date.now()/1000.
var fractional = regexp.MustCompile(`^\d{9,}\.\d+$`)

var (
	ordinal    = regexp.MustCompile(`\b(\d{1,2})(?:ST|ND|RD|TH)\b`)
	dayAndTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d|\d{8})T(\d)`)
	halfDay    = regexp.MustCompile(`(\d) ?([AP])\.?M\b\.?`)
	offset     = regexp.MustCompile(`(:\d\d(?:\.\d+)?|[AP]M) ?(?:UTC|GMT)?([+-])(\d\d):?(\d\d)?\b`)
	zone       = regexp.MustCompile(`([\d:M]) ?([A-Z]{1,5})( \d{4})?$`)
)

// cutZone removes the zone, if any, from a time and returns its offset from UTC.
func cutZone(typed string) (rest string, ahead time.Duration, ok bool) {
	if at := offset.FindStringSubmatch(typed); at != nil {
		hours, _ := strconv.Atoi(at[3]) // digits, by the pattern
		minutes, _ := strconv.Atoi("0" + at[4])
		ahead := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if at[2] == "-" {
			ahead = -ahead
		}
		return offset.ReplaceAllString(typed, "$1"), ahead, true
	}
	if at := zone.FindStringSubmatch(typed); at != nil {
		if ahead, ok := zoneAhead(at[2]); ok {
			return zone.ReplaceAllString(typed, "$1$3"), ahead, true
		}
	}
	return typed, 0, false
}

// zoneAhead returns the offset from UTC of a zone by its abbreviation, which package time doesn't support. If several zones share the
// abbreviation, it is the zone with the most people.
func zoneAhead(name string) (time.Duration, bool) {
	for _, zone := range [...]struct {
		hours float64
		names string
	}{
		{0, "Z UTC GMT WET"},
		{1, "CET BST WEST MEZ"},
		{2, "CEST EET SAST CAT MESZ"},
		{3, "EEST MSK EAT TRT"},
		{4, "GST"},
		{5, "PKT"},
		{5.5, "IST"},
		{7, "WIB ICT"},
		{8, "HKT SGT AWST PHT"},
		{9, "JST KST"},
		{9.5, "ACST"},
		{10, "AEST"},
		{11, "AEDT"},
		{12, "NZST"},
		{13, "NZDT"},
		{-3, "ADT BRT ART"},
		{-4, "EDT AST"},
		{-5, "EST CDT"},
		{-6, "CST MDT"},
		{-7, "MST PDT"},
		{-8, "PST AKDT"},
		{-9, "AKST"},
		{-10, "HST"},
	} {
		if slices.Contains(strings.Fields(zone.names), name) {
			return time.Duration(zone.hours * float64(time.Hour)), true
		}
	}
	return 0, false
}

// layouts returns the forms, without commas and zones: each form of a day with each form of a time after it. In forms with
// numbers only, the month comes before the day.
func layouts() []string {
	days := [...]string{
		"2006-1-2", "2006/1/2", "20060102", "1/2/2006", "Jan 2 2006", "January 2 2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006",
		"Mon Jan 2 2006", "Mon 2 Jan 2006", "Monday January 2 2006", "Monday 2 January 2006", "2 Jan 06", "Monday 02-Jan-06",
	}
	all := []string{"Mon Jan 2 15:04:05 2006"}
	for _, day := range days {
		for _, clock := range [...]string{"", " 15:04:05", " 150405", " 15:04", " 3:04:05PM", " 3:04PM", " 3PM"} {
			all = append(all, day+clock)
		}
	}
	return all
}

func inRange(at time.Time) (time.Time, bool) {
	year := at.UTC().Year()
	return at, year >= 1 && year <= 9999
}
