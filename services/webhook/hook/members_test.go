package hook_test

import "testing"

func TestMembers(t *testing.T) {
	t.Parallel()
	d := document(t, `{"a":{"x; y=1.1":{"n":1},"b":2},"z":[3]}`)
	if m := d.Members("a"); len(m) != 2 || m[0].Number("") != 2 || m[1].Number("n") != 1 {
		t.Errorf("members are %v", m)
	}
	if m := append(d.Members("z"), d.Members("no")...); len(m) != 0 {
		t.Errorf("members of no object are %v", m)
	}
}
