package timeparse_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/timeparse"
)

func TestParse(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"2020-08-01 18:00":              "2020-08-01T18:00:00+02:00",
		"2020-12-01 18:00":              "2020-12-01T18:00:00+01:00",
		"2020-08-01T18:00:00Z":          "2020-08-01T18:00:00Z",
		"2020-08-01T18:00:00.123+05:30": "2020-08-01T18:00:00+05:30",
		"2020-08-01T18:00:00-0330":      "2020-08-01T18:00:00-03:30",
		"Aug 1 2020 6pm":                "2020-08-01T18:00:00+02:00",
		"1 August 2020, 18:00 EST":      "2020-08-01T18:00:00-05:00",
		"1596297600":                    "2020-08-01T16:00:00Z",
		"2021-03-28 02:30":              "2021-03-28T03:30:00+02:00", // clocks skip it
		"2021-10-31 02:30":              "2021-10-31T02:30:00+01:00", // clocks show it twice
		"2021-10-31 02:30 CET":          "2021-10-31T02:30:00+01:00",
		"0001-01-01 12:00 +00:00":       "0001-01-01T12:00:00Z",
		"9999-12-31 23:59":              "9999-12-31T23:59:00+01:00",
	} {
		if got, ok := timeparse.Parse(typed, berlin); !ok || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v, want %s", typed, got.Format(time.RFC3339), ok, want)
		}
	}
	for _, typed := range []string{
		"", "soon", "2020-13-01 18:00", "2020-02-30", "2020-08-01 25:00", "18:00", "99999999999999999999", "9999999999999", "2020-08-01 18:00 XYZ",
		"10000-01-01 00:00", "9999-12-31T23:59:00-05:00", strings.Repeat(" ", 50) + "2020-08-01" + strings.Repeat("0", 100), "2020-08-01\x0018:00",
	} {
		if got, ok := timeparse.Parse(typed, berlin); ok {
			t.Errorf("%q: %s", typed, got)
		}
	}
}

// A formatted time is parsed as the same time, in any zone.
func TestWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-14*4, 14*4).Draw(t, "quarters")*900)
		at := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds"), 0).In(zone)
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05-07:00", "2 January 2006, 15:04:05 -0700"} {
			if got, ok := timeparse.Parse(at.Format(layout), time.UTC); !ok || !got.Equal(at) {
				t.Errorf("%s: %s, %v", at.Format(layout), got, ok)
			}
		}
	})
}
