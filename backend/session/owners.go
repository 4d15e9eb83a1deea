package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"patchbay/backend/approval"
	"patchbay/backend/ask"
	"patchbay/backend/builtin"
	"patchbay/backend/fsx"
	"patchbay/backend/history"
	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/model"
	"patchbay/backend/model/openai"
	"patchbay/backend/model/practice"
	"patchbay/backend/proc"
	"patchbay/backend/settings"
	"patchbay/backend/tool"
	"patchbay/backend/watch"
)

// owners are the owners of state that all sessions of a process share.
type owners struct {
	Options
	Store     *mcpconf.Store
	Trust     *mcpconf.Trust
	Settings  *settings.Store
	History   *history.Store // nil when ephemeral
	Approvals *approval.Service
	Asks      *ask.Service
	procs     *proc.Supervisor
	env       *proc.Environment
	versions  *proc.Versions
	host      *mcphost.Host
	keys      *settings.Keys
	kept      *signInStore
	signIns   *mcpauth.Manager
	signing   sync.WaitGroup // sign-ins that run

	named      sync.Mutex
	signInKeys map[string]string // by definition as it is written
	dirs       fsx.Dirs
	home       string
	publish    func() // the session list is to be published again
	sweeping   sync.WaitGroup
	swept      *watch.Value[string] // a sentence about what an earlier process left behind
}

func openOwners(o Options, publish func(), concerned func(mcphost.Asking) []string) (*owners, error) {
	home, err := fsx.Home()
	if err != nil {
		return nil, err
	}
	w := &owners{Options: o, dirs: fsx.AppDirs(), home: home, publish: publish, swept: watch.NewValue(""), signInKeys: map[string]string{}}
	w.keys = settings.NewKeys(filepath.Join(w.dirs.Config, "keys.json"))
	w.Settings = settings.Open(filepath.Join(w.dirs.Config, "settings.json"), w.keys)
	files := w.confOptions()
	if w.Store, err = mcpconf.OpenStore(mcpconf.StorePath(home), files); err != nil {
		return nil, err
	}
	if w.Trust, err = mcpconf.OpenTrust(files); err != nil {
		w.Store.Close()
		return nil, err
	}
	if !o.Ephemeral {
		if w.History, err = history.Open(filepath.Join(w.dirs.Data, "sessions.db")); err != nil {
			w.Store.Close()
			w.Trust.Close()
			return nil, err
		}
	}
	w.openRuntime(concerned)
	return w, nil
}

func (w *owners) confOptions() mcpconf.Options {
	return mcpconf.Options{State: w.dirs.State, Runtime: w.dirs.Runtime, Logger: w.Logger}
}

func (w *owners) openRuntime(concerned func(mcphost.Asking) []string) {
	w.procs = proc.NewSupervisor(proc.SupervisorOptions{WatchdogCommand: watchdogCommand(), Records: filepath.Join(w.dirs.Runtime, "procs"), Logger: w.Logger})
	w.sweeping.Go(func() {
		if text := proc.EndedText(w.procs.Sweep()); text != "" {
			w.swept.Set(text)
		}
	})
	w.env = proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Supervisor: w.procs, Logger: w.Logger})
	w.versions = proc.NewVersions(w.procs)
	w.kept = newSignInStore(w.keys, w.Settings)
	w.signIns = mcpauth.New(mcpauth.Options{Store: w.kept, Lock: w.lockSignIn, Open: w.Browse, Logger: w.Logger})
	w.host = mcphost.NewHost(mcphost.HostOptions{
		Dialer: mcpconn.NewDialer(mcpconn.Options{
			Version: w.Version, Supervisor: w.procs, Environment: w.env, Logger: w.Logger,
			Eras: filepath.Join(w.dirs.State, "eras.json"), Auth: w.signIns,
		}),
		Expand:   w.expand,
		Reserved: builtin.Names(),
		Person:   w.openAsks(concerned),
		Logger:   w.Logger,
	})
	w.Approvals = approval.NewService(approval.Options{
		Path: filepath.Join(w.dirs.State, "grants.json"), Runtime: w.dirs.Runtime, Deny: w.Headless,
		Mode: w.mode,
	})
}

// watchdogCommand is the command line run as the watchdog. Without a path to it (a deleted
// binary) servers still end with an orderly quit.
func watchdogCommand() []string {
	program, err := fsx.CommandLine()
	if err != nil {
		return nil
	}
	return []string{program, "watchdog"}
}

// mode is when to ask: the option's, else the settings'.
func (w *owners) mode() approval.Mode {
	if w.Mode != "" {
		return w.Mode
	}
	v, _ := w.Settings.Value().Get()
	return v.Mode
}

// expand replaces the references of a definition when its server starts.
func (w *owners) expand(def mcpconf.Definition, workspace string) (mcpconf.Definition, error) {
	env := w.env.Environ(context.Background())
	expanded, err := mcpconf.Expand(def, mcpconf.ExpandEnv{
		LookupEnv: func(name string) (string, bool) { return lookup(env, name) },
		Keyring:   w.secret,
		Workspace: workspace,
		Home:      w.home,
	})
	if err == nil {
		w.noteSignInKey(def, expanded, workspace)
	}
	return expanded, err
}

// lookup finds the last value of name, as a child process would see it.
func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(env[i], "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// ModelInfo is the model that answers, without its key.
type ModelInfo struct {
	Source  settings.Source
	Name    string
	BaseURL string
}

// ModelInfo tells which model would answer now, or why none can.
func (m *Manager) ModelInfo() (ModelInfo, error) {
	chosen, err := m.owners.Settings.Choose(os.Getenv)
	return ModelInfo{Source: chosen.Source, Name: chosen.Name, BaseURL: chosen.BaseURL}, err
}

// client returns the model that answers the next turn.
func (w *owners) client() (model.Client, ModelInfo, error) {
	chosen, err := w.Settings.Choose(os.Getenv)
	if err != nil {
		return nil, ModelInfo{}, err
	}
	info := ModelInfo{Source: chosen.Source, Name: chosen.Name, BaseURL: chosen.BaseURL}
	if chosen.Source == settings.Practice {
		return practice.New(), info, nil
	}
	client, err := openai.New(openai.Options{BaseURL: chosen.BaseURL, Key: chosen.Key, Model: chosen.Name, RepairSchema: tool.RepairStrict})
	if err != nil {
		return nil, info, fmt.Errorf("open the model %s: %w", chosen.Name, err)
	}
	return client, info, nil
}

// close ends everything the process started, then the files.
func (w *owners) close() error {
	w.Asks.Close()
	w.signIns.Close()
	w.signing.Wait()
	err := w.host.Close()
	w.sweeping.Wait()
	w.procs.Close()
	w.Approvals.Close()
	w.Store.Close()
	w.Trust.Close()
	if w.History != nil {
		err = errors.Join(err, w.History.Close())
	}
	return err
}
