package alerts_test

import (
	"math"
	"slices"
	"testing"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// series are what Prometheus has scraped, and a storage for its queries.
type series []storage.Series

// newSeries parses series in the notation of promtool. If several have the same labels, the first counts.
func newSeries(t *testing.T, descriptions []string) series {
	t.Helper()
	var result series
	for _, description := range descriptions {
		metric, values, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(description)
		if err != nil {
			t.Fatalf("%s: %v", description, err)
		}
		if slices.ContainsFunc(result, func(s storage.Series) bool { return labels.Equal(s.Labels(), metric) }) {
			continue
		}
		var samples []chunks.Sample
		for i, v := range values {
			at := int64(i) * step.Milliseconds()
			switch {
			case !v.Omitted:
				samples = append(samples, sample{at, v.Value})
			case i > 0 && !values[i-1].Omitted: // Prometheus notes that a series has ended
				samples = append(samples, sample{at, math.Float64frombits(value.StaleNaN)})
			}
		}
		result = append(result, storage.NewListSeries(metric, samples))
	}
	return result
}

// Querier is part of [storage.Queryable].
func (s series) Querier(int64, int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		matching := &set{}
		for _, one := range s {
			if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(one.Labels().Get(m.Name)) }) {
				matching.series = append(matching.series, one)
			}
		}
		return matching
	}}, nil
}

// set is the result of a query.
type set struct {
	series
	next int
}

func (s *set) Next() bool                        { s.next++; return s.next <= len(s.series) }
func (s *set) At() storage.Series                { return s.series[s.next-1] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

// sample is a value at a time in milliseconds.
type sample struct {
	at    int64
	value float64
}

func (s sample) T() int64                      { return s.at }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
