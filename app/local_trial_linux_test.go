package app

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

// carrying lists the living processes with an entry in their environment.
func carrying(name, value string) []string {
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range paths {
		env, err := os.ReadFile(path) // gone meanwhile, or another user's
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+name+"="+value+"\x00")) {
			found = append(found, filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}

// TestNoTrialLeavesAProcessBehind: however a trial ends, all that it started is gone.
func TestNoTrialLeavesAProcessBehind(t *testing.T) {
	ends := map[string]func(*changeRig){
		"by itself": func(r *changeRig) { state, _ := r.Trials().Get(); r.over(state.ID) },
		"stopped": func(r *changeRig) {
			if err := r.StopTrial(r.ctx()); err != nil {
				r.t.Error(err)
			}
		},
		"replaced": func(r *changeRig) {
			r.try(formOf(mcpconf.Definition{Name: "next", Type: mcpconf.Stdio, Command: "false"}), "")
		},
		"closed": func(r *changeRig) {
			if err := r.Close(); err != nil {
				r.t.Error(err)
			}
		},
	}
	for _, tt := range []struct{ mode, end string }{
		{"ok", "by itself"}, {"ignoreterm", "by itself"}, {"exit1", "by itself"}, {"grandchild", "by itself"},
		{"hang", "stopped"}, {"deaf", "stopped"}, {"hanglist", "replaced"}, {"deaf", "replaced"}, {"hang", "closed"}, {"deaf", "closed"},
	} {
		t.Run(tt.mode+" "+tt.end, func(t *testing.T) {
			r := newServerRig(t, nil)
			const mark = "PATCHBAY_TRIAL_TEST"
			starts := filepath.Join(r.folder, "starts")
			def := fake("new", tt.mode, "", mcptest.Env(mark, r.folder), mcptest.Starts(starts))
			if _, err := r.StartTrial(r.ctx(), formOf(def), ""); err != nil {
				t.Fatal(err)
			}
			r.eventually("it was started", func() bool { return mcptest.Count(starts) > 0 })
			if slices.Contains([]string{"hang", "deaf"}, tt.mode) && len(carrying(mark, r.folder)) == 0 {
				t.Fatal("the rig does not see the process that hangs")
			}
			ends[tt.end](r)
			if tt.end == "stopped" || tt.end == "closed" {
				if left := carrying(mark, r.folder); len(left) > 0 {
					t.Errorf("processes %v are left", left)
				}
				return
			}
			r.eventually("its processes are gone", func() bool { return len(carrying(mark, r.folder)) == 0 })
		})
	}
}
