package mcpconf

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestResolveDecidesInTheOrderOfTheContract(t *testing.T) {
	defs := Definitions{Servers: []Definition{
		{Name: "off", Invalid: "x"}, {Name: "untrusted", Invalid: "x"}, {Name: "paused", Invalid: "x"},
		{Name: "invalid", Invalid: "x"}, {Name: "good"}, {Name: "Case"},
	}}
	enabled := Enablement{Names: []EnabledName{
		{"gone2", 3}, {"good", 4}, {"invalid", 5}, {"paused", 6}, {"untrusted", 7}, {"case", 8}, {"gone1", 9}, {"good", 10}, {"gone1", 11},
	}}
	trusted := func(name string) bool { return name != "untrusted" && name != "gone2" }
	var paused PauseSet
	paused = paused.With("paused", "off", "untrusted", "gone1", "x").Without("x")
	var got []string
	for _, r := range Resolve(defs, enabled, trusted, paused) {
		got = append(got, fmt.Sprintf("%s %s enabled=%t trusted=%t paused=%t line=%d defined=%t", r.Name, r.State, r.Enabled, r.Trusted, r.Paused, r.Line, r.Definition != nil))
	}
	want := []string{
		"off disabled enabled=false trusted=true paused=false line=0 defined=true",
		"untrusted disabled enabled=true trusted=false paused=true line=7 defined=true",
		"paused paused enabled=true trusted=true paused=true line=6 defined=true",
		"invalid error enabled=true trusted=true paused=false line=5 defined=true",
		"good wanted enabled=true trusted=true paused=false line=4 defined=true",
		"Case disabled enabled=false trusted=true paused=false line=0 defined=true",
		"gone2 missing enabled=true trusted=false paused=false line=3 defined=false",
		"case missing enabled=true trusted=true paused=false line=8 defined=false",
		"gone1 missing enabled=true trusted=true paused=false line=9 defined=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNameSetIsImmutable(t *testing.T) {
	var empty PauseSet
	one := empty.With("a")
	two := one.With("b", "a")
	if none := two.Without("a", "b", "c"); empty.Len() != 0 || one.Len() != 1 || !slices.Equal(two.Names(), []string{"a", "b"}) || none.Len() != 0 {
		t.Errorf("empty %v, one %v, two %v, none %v", empty.Names(), one.Names(), two.Names(), none.Names())
	}
	if !two.Has("b") || two.Has("c") || empty.Without("a").Len() != 0 {
		t.Error("Has or Without on the empty set is wrong")
	}
}

func TestExpand(t *testing.T) {
	env := ExpandEnv{
		LookupEnv: func(n string) (string, bool) {
			v, ok := map[string]string{"SET": "s", "EMPTY": "", "REF": "${SET}"}[n]
			return v, ok
		},
		Keyring: func(n string) (string, error) {
			if n == "gh" {
				return "k", nil
			}
			return "", errors.New("no such item")
		},
		Workspace: "/ws", Home: "/home/u",
	}
	tests := []struct {
		name, in, want, wantArg string // in env and in args
		missing                 []string
	}{
		{"plain", "a$b{c}$", "a$b{c}$", "a$b{c}$", nil},
		{"env", "<${env:SET}>", "<s>", "<s>", nil},
		{"short", "${SET}${SET}", "ss", "ss", nil},
		{"default", "${NONE:-d e}${env:NONE:-}${EMPTY:-f}${SET:-x}", "d efs", "d efs", nil},
		{"empty is set", "[${EMPTY}]", "[]", "[]", nil},
		{"no second round", "${REF}", "${SET}", "${SET}", nil},
		{"literal", "$${SET} $$${SET}", "${SET} $${SET}", "${SET} $${SET}", nil},
		{"workspace", "${workspace}/x", "/ws/x", "/ws/x", nil},
		{"keyring", "Bearer ${keyring:gh}", "Bearer k", "Bearer k", nil},
		{"home", "~/x", "/home/u/x", "/home/u/x", nil},
		{"home keeps what follows", "~/x/", "/home/u/x/", "/home/u/x/", nil},
		{"home alone", "~", "/home/u", "/home/u", nil},
		{"no home inside", "a~/x", "a~/x", "a~/x", nil},
		{"other users are not ours", "~bob/x", "~bob/x", "~bob/x", nil},
		{"no name", "${a b} ${} ${1x} ${x.y}", "${a b} ${} ${1x} ${x.y}", "${a b} ${} ${1x} ${x.y}", nil},
		{"unset", "${B} ${env:A} ${B}", "", "${B} ${env:A} ${B}", []string{"A", "B"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Expand(Definition{Name: "s", Type: SSE, Args: []string{tt.in}}, env)
			if err != nil || got.Args[0] != tt.wantArg {
				t.Errorf("in args: %q, %v; want %q", got.Args, err, tt.wantArg)
			}
			got, err = Expand(Definition{Name: "s", Type: SSE, Env: map[string]string{"K": tt.in}}, env)
			var missing *EnvMissingError
			if errors.As(err, &missing) != (tt.missing != nil) || missing != nil && !slices.Equal(missing.Names, tt.missing) {
				t.Fatalf("in env: %v, want missing %v", err, tt.missing)
			}
			if tt.missing == nil && got.Env["K"] != tt.want {
				t.Errorf("in env: %q, want %q", got.Env["K"], tt.want)
			}
		})
	}
	t.Run("every field, and cwd", func(t *testing.T) {
		in := Definition{Name: "s", Type: Stdio, Command: "~/bin/${SET}", URL: "http://${SET}", CWD: "sub", Headers: map[string]string{"A": "${SET}"}}
		got, err := Expand(in, env)
		want := Definition{Name: "s", Type: Stdio, Command: "/home/u/bin/s", URL: "http://s", CWD: "/ws/sub", Headers: map[string]string{"A": "s"}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if in.Headers["A"] != "${SET}" {
			t.Error("Expand changed its argument")
		}
		if got, err = Expand(Definition{Name: "s", Type: Stdio, Command: "x"}, env); err != nil || got.CWD != "/ws" {
			t.Errorf("default cwd = %q, %v; want the workspace", got.CWD, err)
		}
	})
	t.Run("what a plain chat has not", func(t *testing.T) {
		_, err := Expand(Definition{Name: "s", Args: []string{"${workspace}", "${keyring:gh}"}}, ExpandEnv{})
		if want := "s refers to keyring:gh, workspace, which is not set: set it, or write a default as in ${NAME:-default}"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err = Expand(Definition{Name: "s", Args: []string{"${keyring:none}"}}, env); err == nil || err.Error() != "expand s: read none from the keyring: no such item" {
			t.Errorf("got %v", err)
		}
	})
}

// Every field of Definition either changes the key or is listed here as not deciding how a
// server is connected: a new field must be considered.
func TestConnectionKeyCoversEveryField(t *testing.T) {
	free := map[string]bool{"Tools": true, "Line": true, "Warnings": true}
	base := Definition{}
	typ := reflect.TypeFor[Definition]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		d := base
		v := reflect.ValueOf(&d).Elem().Field(i)
		switch v.Interface().(type) {
		case string, Transport:
			v.SetString("x")
		case int:
			v.SetInt(7)
		case []string:
			v.Set(reflect.ValueOf([]string{"x"}))
		case map[string]string:
			v.Set(reflect.ValueOf(map[string]string{"x": "y"}))
		case ToolRules:
			v.Set(reflect.ValueOf(ToolRules{Exclude: []string{"x"}}))
		default:
			if f.Name != "Auth" {
				t.Fatalf("field %s has a type that this test does not know", f.Name)
			}
			v.SetBytes([]byte(`{"x":1}`))
		}
		if same := d.ConnectionKey() == base.ConnectionKey(); same != free[f.Name] {
			t.Errorf("a change of %s: same key = %t, want %t", f.Name, same, free[f.Name])
		}
	}
	if (Definition{Args: []string{}}).ConnectionKey() != base.ConnectionKey() {
		t.Error("no arguments and an empty list of them have different keys")
	}
	if (Definition{Auth: []byte("{")}).ConnectionKey() == base.ConnectionKey() {
		t.Error("an auth that is no JSON is not part of the key")
	}
}
