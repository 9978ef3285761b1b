package markdown_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLexTime(t *testing.T) {
	r := renderer()
	in := office()
	langs := strings.Fields("bash c c++ c# go javascript typescript python ruby rust yaml docker make haskell kotlin powershell terraform diff java json css scss sql toml ini lua perl r scala swift dart elixir erlang clojure ocaml nix protobuf graphql xml nginx tex matlab julia groovy fortran awk vim")
	pats := append(nasty(), "\"", "'", "a ", " ", "/*", "{", "<a ", "\\\"", "a=", "a:", "//", "#", "((", "x(\n", "'''", "${", "%{", "0", ".", "a\n\n", strings.Repeat("\n",190)+"a", strings.Repeat(" ",190)+"a", strings.Repeat(" \n",95)+"a", "\"\n", "/* \n", "a b c d\n","<<A\n","q(")
	for _, l := range langs {
		var worst time.Duration; wp := ""
		t0 := time.Now()
		for _, p := range pats {
			if time.Since(t0) > 12*time.Second { break }
			// lines of at most 450 bytes
			line := strings.Repeat(p, max(1, 450/len(p)))
			src := strings.Repeat(line+"\n", 4980/(len(line)+1))
			start := time.Now()
			r.Render("```"+l+"\n"+src, in)
			if d := time.Since(start); d > worst { worst, wp = d, p }
		}
		fmt.Printf("%s worst %v %q total %v\n", l, worst, wp, time.Since(t0))
		if time.Since(t0) > 30*time.Second { break }
	}
}
