//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// row is the result for one goal: a quantity of the server, and of the floor.
type row struct {
	Goal  string
	What  string
	Unit  string
	Ours  []float64
	Floor []float64 // of the same pairs; none if the limit is absolute
	Reach reach
	Note  string
}

// reach is the goal for a ratio or, without a floor, for the value itself. The zero value is for quantities that are
// only reported.
type reach struct {
	Min float64
	Max float64 // 0: no limit
}

func (r reach) String() string {
	switch {
	case r == reach{}:
		return "–"
	case r.Max == 0:
		return fmt.Sprintf("≥ %g", r.Min)
	case r.Min == 0:
		return fmt.Sprintf("≤ %g", r.Max)
	default:
		return fmt.Sprintf("%g to %g", r.Min, r.Max)
	}
}

func (r reach) holds(value float64) bool {
	return value >= r.Min && (r.Max == 0 || value <= r.Max)
}

// addPair adds the measurements of one pair.
func (r *row) addPair(ours, floor float64) {
	r.Ours = append(r.Ours, ours)
	r.Floor = append(r.Floor, floor)
}

// ratio returns the median of the pairs' ratios: the load of the machine changes more between pairs than within one.
func (r row) ratio() float64 {
	ratios := make([]float64, 0, len(r.Ours))
	for i := range min(len(r.Ours), len(r.Floor)) {
		ratios = append(ratios, r.Ours[i]/r.Floor[i])
	}
	return median(ratios)
}

// table has all results, in order.
type table []*row

// print writes the table as Markdown. busy is the share of the machine's processors that was in use.
func (t table) print(w io.Writer, busy float64) {
	var out strings.Builder
	out.WriteString("| goal | what | ours (n) | floor (n) | ratio | reach | holds |\n|---|---|---|---|---|---|---|\n")
	for _, r := range t {
		if len(r.Ours) == 0 {
			continue
		}
		value, ratio, floor, unit := median(r.Ours), "–", "–", ""
		if len(r.Floor) > 0 {
			value = r.ratio()
			ratio = number(value) + " ×"
			floor = fmt.Sprintf("%s (%d)", number(median(r.Floor)), len(r.Floor))
			unit = " ×"
		}
		verdict := "**no**"
		switch {
		case r.Reach == reach{}:
			verdict, unit = "–", ""
		case r.Reach.holds(value):
			verdict = "yes"
		}
		what := r.What
		if r.Unit != "" {
			what += ", " + r.Unit
		}
		fmt.Fprintf(&out, "| %s | %s | %s (%d) | %s | %s | %s%s | %s |\n",
			r.Goal, what, number(median(r.Ours)), len(r.Ours), floor, ratio, r.Reach, unit, verdict)
	}
	out.WriteString("\nMedians of n runs; the ratio is the median of the ratios of floor and ours measured in turns.\n")
	fmt.Fprintf(&out, "%.0f %% of the machine was in use, by whatever ran on it.\n", 100*busy)
	for _, r := range t {
		if r.Note != "" {
			fmt.Fprintf(&out, "%s, %s: %s\n", r.Goal, r.What, r.Note)
		}
	}
	fmt.Fprint(w, out.String())
}

// number writes three significant digits.
func number(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}
