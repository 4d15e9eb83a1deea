package tool_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"patchbay/backend/tool"
)

var modelName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func TestT05Names(t *testing.T) {
	long := strings.Repeat("a", 65)
	tests := []struct {
		name     string
		in, want []string // want with * stands for one that is only checked against the pattern
	}{
		{"fits", []string{"read_file", "a-b", "X"}, []string{"read_file", "a-b", "X"}},
		{"dot, slash, space", []string{"calendar.create", "user/update", "list files"}, []string{"calendar_create", "user_update", "list_files"}},
		{"runs", []string{"a . b"}, []string{"a_b"}},
		{"fall together", []string{"a.b", "a/b"}, []string{"*", "*"}},
		{"one that fits keeps its name", []string{"a.b", "a_b"}, []string{"*", "a_b"}},
		{"fall together in another case", []string{"A.b", "a_B"}, []string{"*", "a_B"}},
		{"Chinese", []string{"查询", "删除"}, []string{"*", "*"}},
		{"partly Chinese", []string{"查询a", "删除a"}, []string{"*", "*"}},
		{"as long as may be", []string{long[:64]}, []string{long[:64]}},
		{"too long", []string{long + "1", long + "2"}, []string{"*", "*"}},
		{"equal stay equal", []string{"a.b", "a.b"}, []string{"a_b", "a_b"}},
		{"no name stays none", []string{""}, []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tool.MapNames(tt.in)
			for i, want := range tt.want {
				if want != "*" && got[i] != want || want == "*" && !modelName.MatchString(got[i]) {
					t.Errorf("MapNames(%q)[%d] = %q, want %q", tt.in, i, got[i], want)
				}
			}
		})
	}
}

// A saved conversation and a grant hold the mapped name: it must not change with a version.
func TestT05SuffixesAreStable(t *testing.T) {
	got := tool.MapNames([]string{"查询", "a.b", "a_b", strings.Repeat("x", 70)})
	want := []string{"tool_bcd6771e", "a_b_2e7336dc", "a_b", strings.Repeat("x", 55) + "_c71bd109"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestT05NamesProperties(t *testing.T) {
	name := rapid.OneOf(
		rapid.StringMatching(`[aAbB._ /查-]{1,5}`),
		rapid.StringMatching(`[aA.]{60,70}`),
		rapid.StringN(1, 10, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 1, 12, strings.ToLower).Draw(t, "names")
		before := slices.Clone(names)
		got := tool.MapNames(names)
		if !slices.Equal(before, names) {
			t.Fatal("the input was changed")
		}
		owner := map[string]string{}
		for i, mapped := range got {
			if !modelName.MatchString(mapped) {
				t.Fatalf("%q became %q", names[i], mapped)
			}
			if modelName.MatchString(names[i]) && mapped != names[i] {
				t.Fatalf("%q fits and became %q", names[i], mapped)
			}
			if other, taken := owner[strings.ToLower(mapped)]; taken {
				t.Fatalf("%q and %q both became %q", names[i], other, mapped)
			}
			owner[strings.ToLower(mapped)] = names[i]
		}
		order := rapid.Permutation(names).Draw(t, "order")
		for i, mapped := range tool.MapNames(order) {
			if want := got[slices.Index(names, order[i])]; mapped != want {
				t.Fatalf("%q became %q, and %q in another order", order[i], want, mapped)
			}
		}
	})
}
