package hook

import "strings"

// maxCells is the maximum number of a table's columns.
const maxCells = 20

// Table returns rows of cells as a table, whose first row is its head. Each cell is one line. A table has at most
// maxCells columns and maxItems rows below the head; the number of the others is mentioned below it.
func Table(rows ...[]Markdown) Markdown {
	columns := 0
	for _, row := range rows {
		columns = max(columns, min(len(row), maxCells))
	}
	if columns == 0 {
		return Markdown{}
	}
	lines := []string(nil)
	for i, row := range rows[:min(len(rows), maxItems+1)] {
		line := strings.Builder{}
		for at := range columns {
			cell := ""
			if at < len(row) {
				cell = strings.ReplaceAll(strings.Join(strings.Fields(row[at].text), " "), "|", `\|`)
			}
			line.WriteString("| " + cell + " ")
		}
		lines = append(lines, line.String()+"|")
		if i == 0 {
			lines = append(lines, strings.Repeat("|---", columns)+"|")
		}
	}
	table := Markdown{strings.Join(lines, "\n")}
	if left := len(rows) - maxItems - 1; left > 0 {
		return Join("\n\n", table, Format("… and %d more", left))
	}
	return table
}
