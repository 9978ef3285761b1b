//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// row is one goal: a quantity of ours against the floor's.
type row struct {
	Goal  string
	What  string
	Unit  string
	Ours  []float64
	Floor []float64 // of the same pairs; none where the limit is absolute
	Reach reach
	Note  string
}

// reach is what a ratio, or where there is no floor the value itself, must be; the zero value is for
// what is only reported.
type reach struct {
	Least float64
	Most  float64 // 0: no limit
}

func (r reach) String() string {
	switch {
	case r == reach{}:
		return "–"
	case r.Most == 0:
		return fmt.Sprintf("≥ %g", r.Least)
	case r.Least == 0:
		return fmt.Sprintf("≤ %g", r.Most)
	default:
		return fmt.Sprintf("%g to %g", r.Least, r.Most)
	}
}

func (r reach) holds(value float64) bool {
	return value >= r.Least && (r.Most == 0 || value <= r.Most)
}

// addPair adds what was measured in one turn.
func (r *row) addPair(ours, floor float64) {
	r.Ours = append(r.Ours, ours)
	r.Floor = append(r.Floor, floor)
}

// ratio is the median of the pairs' ratios: what else runs changes between pairs more than within one.
func (r row) ratio() float64 {
	ratios := make([]float64, 0, len(r.Ours))
	for i := range min(len(r.Ours), len(r.Floor)) {
		ratios = append(ratios, r.Ours[i]/r.Floor[i])
	}
	return median(ratios)
}

// table is everything that was measured, in order.
type table []*row

// print writes Markdown. busy is the share of the machine that was in use.
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
