package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// startLatest is when servers start though the page has not said that it has rendered.
const startLatest = time.Second

// closeLimit bounds the end of the window: the process is gone soon after it.
const closeLimit = 15 * time.Second

// App is bound: the page's word about itself.
type App struct{ core *core }

// Ready says that the page has rendered: servers start now.
func (a *App) Ready() error {
	a.core.logger.Info("the page is ready")
	return do(a.core, "Ready", func(context.Context) error { a.core.ready(); return nil })
}

// Focused says whether the window has the person's attention: without it, what needs them
// is told by the desktop.
func (a *App) Focused(focused bool) error {
	return do(a.core, "Focused", func(context.Context) error { a.core.focused.Store(focused); return nil })
}

// CopyText puts text on the clipboard.
func (a *App) CopyText(text string) error {
	return do(a.core, "CopyText", func(context.Context) error { return a.core.desktop.copyText(text) })
}

// Options say what the window is made of.
type Options struct {
	Assets   fs.FS // the built page, rooted at frontend/dist
	Backend  Backend
	Instance *Instance // nil in tests of the window alone
	Logger   *slog.Logger
	// ReadyLimit is how long the page may take before the window asks what to do; 0 is 15 s.
	ReadyLimit time.Duration
}

// Run opens the window and returns when it is closed and the backend with it.
func Run(o Options) error {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	tameWebKit()
	return wails.Run(newWindow(o).options())
}

// Bindings writes the page's bindings in a program built with tag bindings; no method is
// called there, so that there is no backend.
func Bindings(assets fs.FS) error {
	return wails.Run(newWindow(Options{Assets: assets, Logger: slog.New(slog.DiscardHandler)}).options())
}

// window owns the lifecycle. It is not bound: none of its methods can be called by the page.
type window struct {
	assets   fs.FS
	instance *Instance
	logger   *slog.Logger
	core     *core
	life     context.Context // of the forwarders and bound calls
	end      context.CancelCauseFunc
	started  sync.Once
	recovery *recovery
	teller   *teller
	shown    atomic.Bool // the window is there
	page     *gate       // open while the page can take events
	tidy     *tidier
	wg       sync.WaitGroup
}

var errClosing = errors.New("the window is closing")

func newWindow(o Options) *window {
	w := &window{assets: o.Assets, instance: o.Instance, logger: o.Logger, page: newGate(), tidy: newTidier()}
	w.life, w.end = context.WithCancelCause(context.Background())
	w.core = &core{ctx: w.life, backend: o.Backend, logger: o.Logger, limit: callLimit, desktop: system{w.life}, focused: &atomic.Bool{}}
	w.core.focused.Store(true)
	w.core.ready = func() {
		w.serve()
		w.recovery.ready()
	}
	w.teller = newTeller(w.core)
	w.recovery = newRecovery(o.Logger, o.ReadyLimit)
	return w
}

// serve lets servers start.
func (w *window) serve() { w.started.Do(w.core.backend.Start) }

func (w *window) options() *options.App {
	return w.open(&options.App{
		Title: "Patchbay", Width: 1280, Height: 800, MinWidth: 720, MinHeight: 480,
		BackgroundColour: options.NewRGB(24, 26, 30),
		AssetServer:      &assetserver.Options{Assets: w.assets, Handler: w.media(), Middleware: protect},
		Logger:           logger.NewDefaultLogger(),
		LogLevel:         logger.WARNING, LogLevelProduction: logger.ERROR,
		OnStartup:      w.startup,
		OnDomReady:     w.domReady,
		OnBeforeClose:  w.beforeClose,
		OnShutdown:     w.shutdown,
		ErrorFormatter: formatError,
		// GPU policy: the zero value of linux.Options would mean "always", which blanks the
		// window on some NVIDIA drivers (wails issue 2977) and costs 80 MiB everywhere.
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever, ProgramName: "patchbay-window"},
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: false},
		Bind: []any{
			&App{w.core}, &MCP{w.core}, &Chat{w.core}, &Sessions{w.core}, &Settings{w.core},
		},
		EnumBind: []any{
			AllServerStates, AllServerLayers, AllServerActions, AllApprovalDecisions,
			AllApprovalModes, AllChatKinds, AllConfigFiles, AllAskKinds, AllAskStages, AllAskActions,
			AllSignInStates,
		},
	})
}

// startup runs once, before the page loads.
func (w *window) startup(wails context.Context) {
	desktop := system{wails}
	w.core.desktop = desktop
	w.core.backend.BrowseWith(browse(w.logger))
	w.recovery.open(nativeShell{desktop})
	hardenNative(w)
	if p := w.core.backend.Place(); p.Width > 0 && !p.Maximised {
		placeNative(desktop, p)
	}
	w.shown.Store(true)
	w.run(func(topic string, data any) {
		if w.page.wait(w.life) {
			runtime.EventsEmit(wails, topic, data)
		}
	})
	if w.instance != nil {
		w.wg.Go(func() { w.instance.serve(w.life, w.second(desktop)) })
	}
}

// domReady runs after every load of the page; before it, Wails' own script is not there and
// an event would be an error in the page.
func (w *window) domReady(context.Context) { w.page.open() }

// loading says that the page is loaded, for the first time or again.
func (w *window) loading() {
	w.page.shut()
	w.recovery.loading()
}

// drawn says that much of the page was drawn anew: what that took is garbage soon.
func (w *window) drawn() { w.tidy.stir() }

// gone says that the page's process ended.
func (w *window) gone(reason string) {
	w.page.shut()
	w.recovery.gone(reason)
}

// run starts one forwarder per topic and the timer that starts the servers.
func (w *window) run(emit emitter) {
	b, ctx := w.core.backend, w.life
	events := make(chan ChatEvent, 256)
	w.onceLoaded(func() { forward(ctx, topicMCP, b.Servers(), stampMCP, emit) })
	w.onceLoaded(func() { forward(ctx, topicSessions, b.SessionList(), stampSessions, emit) })
	w.onceLoaded(func() { forward(ctx, topicApprovals, b.Questions(), stampApprovals, emit) })
	w.onceLoaded(func() { forward(ctx, topicSettings, b.SettingsValue(), stampSettings, emit) })
	w.onceLoaded(func() { forward(ctx, topicAsks, b.Asks(), stampAsks, emit) })
	w.onceLoaded(func() { forward(ctx, topicTrial, b.Trials(), stampTrial, emit) })
	w.onceLoaded(func() { forwardChat(ctx, events, emit) })
	w.wg.Go(func() { w.followChat(events) })
	w.wg.Go(func() { w.tidy.run(ctx, giveBack) })
	w.wg.Go(func() { w.tidy.follow(ctx, b.Servers()) })
	w.wg.Go(func() { w.teller.follow(ctx) })
	w.wg.Go(func() { w.teller.followAsks(ctx) })
	w.wg.Go(func() { w.teller.show(ctx, newNotifier(w.logger)) })
	w.wg.Go(func() {
		if pause(ctx, startLatest) {
			w.serve()
		}
	})
}

// onceLoaded runs f in a goroutine of the window when the page is there.
func (w *window) onceLoaded(f func()) {
	w.wg.Go(func() {
		if w.page.wait(w.life) {
			f()
		}
	})
}

func (w *window) followChat(events chan<- ChatEvent) {
	err := w.core.backend.FollowChat(w.life, func(e ChatEvent) {
		w.teller.event(e)
		select {
		case events <- e:
		case <-w.life.Done():
		}
	})
	if err != nil && w.life.Err() == nil {
		w.logger.Error("the conversation is no longer followed", "error", err)
	}
}

// second answers a second start: its workspace is shown here and the window comes forward.
func (w *window) second(d desktop) func(workspace string) error {
	return func(workspace string) error {
		d.raise()
		if workspace == "" {
			return nil
		}
		return do(w.core, "ShowWorkspace", func(ctx context.Context) error { return w.core.backend.ShowWorkspace(ctx, workspace) })
	}
}

// shutdown ends what the window started, servers included, within closeLimit.
func (w *window) shutdown(context.Context) {
	w.recovery.close()
	w.end(errClosing)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.wg.Wait()
		if err := w.core.backend.Close(); err != nil {
			w.logger.Error("close", "error", err)
		}
	}()
	select {
	case <-done:
	case <-time.After(closeLimit):
		w.logger.Error("the backend did not close in time; the watchdog ends what is left", "limit", closeLimit)
	}
}
