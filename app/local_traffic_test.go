package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

func TestTheTrafficOfAServerCrossesToThePage(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("all", "ok", "", mcptest.Env("API_KEY", "sk-very-secret"))})
	out, err := r.CallTool(r.ctx(), "1", "all", "printenv", `{"name":"API_KEY"}`)
	if err != nil || out.Frame == 0 || out.Content[0].Text != "sk-very-secret" {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	page, err := r.Frames(r.ctx(), "all", 0)
	if err != nil || len(page.Frames) < 6 || page.Oldest != page.Frames[0].Seq-1 || page.Newest != page.Frames[len(page.Frames)-1].Seq {
		t.Fatalf("page %+v, %v", page, err)
	}
	asked, answer := Frame{}, Frame{}
	for _, f := range page.Frames {
		if f.Seq == out.Frame {
			asked = f
		}
		if f.Pair == out.Frame {
			answer = f
		}
	}
	if asked.Method != "tools/call" || asked.Subject != "printenv" || !asked.Out || answer.Kind != "response" || answer.Out || answer.TookMs <= 0 || answer.Method != "tools/call" {
		t.Errorf("the pair is %+v and %+v", asked, answer)
	}
	body, err := r.FrameBody(r.ctx(), "all", answer.Seq)
	if err != nil || body.Gone || body.Cut || !strings.Contains(body.Text, "•••") || strings.Contains(body.Text, "sk-very-secret") {
		t.Errorf("body %+v, %v", body, err)
	}
	if found, err := r.FindFrames(r.ctx(), "all", "PRINTENV", page.Oldest); err != nil || len(found) < 2 {
		t.Errorf("found %v, %v", found, err)
	}
	if next, err := r.Frames(r.ctx(), "all", page.Newest); err != nil || len(next.Frames) != 0 || next.Newest != page.Newest || next.Oldest != page.Oldest {
		t.Errorf("after the newest: %+v, %v", next, err)
	}
	if err := r.ClearFrames(r.ctx(), "all"); err != nil {
		t.Error(err)
	}
	if body, err := r.FrameBody(r.ctx(), "all", answer.Seq); err != nil || !body.Gone {
		t.Errorf("a cleared frame: %+v, %v", body, err)
	}
	if _, err := r.Frames(r.ctx(), "nobody", 0); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown server: %v", err)
	}
}

// saving is a desktop whose person saves to a path.
type saving struct {
	desktop
	path string
	err  error
}

func (s saving) pickSave(_, name string) (string, error) {
	if s.path == "" {
		return "", s.err
	}
	return filepath.Join(s.path, name), s.err
}

func TestTrafficIsExportedAsJSONLines(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("a/b", "ok", "", mcptest.Env("API_KEY", "sk-very-secret"))})
	folder := t.TempDir()
	export := func(d saving) (string, error) {
		m := &MCP{&core{ctx: t.Context(), backend: r.Local, desktop: d, logger: slog.New(slog.DiscardHandler), limit: callLimit}}
		return m.ExportFrames("a/b")
	}
	path, err := export(saving{path: folder})
	if err != nil || path != filepath.Join(folder, "a-b.jsonl") {
		t.Fatalf("exported to %q, %v", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := 0
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		var line struct{ Kind, Way string }
		if err := json.Unmarshal(scan.Bytes(), &line); err != nil || line.Kind == "" || line.Way == "" || strings.Contains(scan.Text(), "sk-very-secret") {
			t.Errorf("line %s: %v", scan.Text(), err)
		}
	}
	if lines < 4 {
		t.Errorf("%d lines", lines)
	}
	if path, err := export(saving{}); err != nil || path != "" {
		t.Errorf("nothing chosen: %q, %v", path, err)
	}
	if _, err := export(saving{path: filepath.Join(path, "no", "such", "folder\x00")}); err == nil {
		t.Error("a path that cannot be written is no error")
	}
	if _, err := r.ExportFrames(context.Background(), "nobody", io.Discard); err == nil {
		t.Error("an unknown server is exported")
	}
}
