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
		"1596297600.75":                 "2020-08-01T16:00:00Z",
		"20200801T160000Z":              "2020-08-01T16:00:00Z",
		"20200801T160000":               "2020-08-01T16:00:00+02:00",
		"2021-03-28 02:30":              "2021-03-28T03:30:00+02:00", // clocks skip it
		"2021-10-31 02:30":              "2021-10-31T02:30:00+02:00", // clocks show it twice
		"2021-10-31 03:30":              "2021-10-31T03:30:00+01:00",
		"2021-10-31 02:30 CET":          "2021-10-31T02:30:00+01:00",
		"0001-01-01 12:00 +00:00":       "0001-01-01T12:00:00Z",
		"9999-12-31 23:59":              "9999-12-31T23:59:00+01:00",
	} {
		if got, ok := timeparse.Parse(typed, berlin); !ok || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v, want %s", typed, got.Format(time.RFC3339), ok, want)
		}
	}
	for _, typed := range []string{
		"", "soon", "18.30", "1596297600.", "1596297600.7x", "1596297600.7.5", "20200801.5", "20200801T256161Z", "2020-13-01 18:00", "2020-02-30", "2020-08-01 25:00", "18:00", "99999999999999999999", "9999999999999", "2020-08-01 18:00 XYZ",
		"2020-08-01T18:00:00+14:15", "2020-08-01T18:00:00-99:99", "10000-01-01 00:00", "9999-12-31T23:59:00-05:00", strings.Repeat(" ", 50) + "2020-08-01" + strings.Repeat("0", 100), "2020-08-01\x0018:00",
	} {
		if got, ok := timeparse.Parse(typed, berlin); ok {
			t.Errorf("%q: %s", typed, got)
		}
	}
}

// Where clocks skip a time, it is as much later as they are put forward; where they show it twice, it is the first.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]map[string]string{
		"America/New_York":    {"2027-03-14 02:30": "2027-03-14T03:30:00-04:00", "2027-11-07 01:30": "2027-11-07T01:30:00-04:00"},
		"Australia/Lord_Howe": {"2027-10-03 02:15": "2027-10-03T02:45:00+11:00", "2027-04-04 01:45": "2027-04-04T01:45:00+11:00"},
		"Pacific/Apia":        {"2011-12-30 12:00": "2011-12-31T12:00:00+14:00"}, // a whole day
		"Asia/Kathmandu":      {"2027-03-14 02:30": "2027-03-14T02:30:00+05:45"},
	} {
		in, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for typed, want := range times {
			if got, ok := timeparse.Parse(typed, in); !ok || got.Format(time.RFC3339) != want {
				t.Errorf("%s in %s: %s, %v, want %s", typed, name, got.Format(time.RFC3339), ok, want)
			}
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
