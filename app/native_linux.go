//go:build linux && (production || dev)

package app

/*
#cgo pkg-config: webkit2gtk-4.1 javascriptcoregtk-4.1
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gtk/gtk.h>
#include <jsc/jsc.h>
#include <webkit2/webkit2.h>

// JavaScriptCore installs its handlers for SIGSEGV and SIGBUS without SA_ONSTACK when it
// first runs. Go's runtime then ends the process at the next nil dereference, recovered or
// not (wails issues 3965 and 5506). So make it install them now and add the flag. SIGUSR1
// and SIGUSR2 are left alone: JavaScriptCore's collector stops threads with SIGUSR1 and
// backs off for ever on an alternate stack.
static void patchbay_fix_signals(void) {
	static gboolean done = FALSE;
	if (done) return;
	done = TRUE;
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGCHLD,
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGURG, SIGXCPU, SIGXFSZ};
	JSCContext *context = jsc_context_new();
	JSCValue *value = jsc_context_evaluate(context, "1+1", -1);
	if (value != NULL) g_object_unref(value);
	g_object_unref(context);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action;
		if (sigaction(signals[i], NULL, &action) != 0) continue;
		action.sa_flags |= SA_ONSTACK;
		sigaction(signals[i], &action, NULL);
	}
}

static gboolean patchbay_fix_signals_idle(gpointer data) {
	(void)data;
	patchbay_fix_signals();
	return G_SOURCE_REMOVE;
}

// The window draws without a GPU, so this process needs no EGL, only WebKit's processes do:
// without its drivers (LLVM among them) it starts 20 ms sooner. The loader of EGL's drivers
// reads where they are when it is first asked, and the processes that are started later
// must find them: so it is asked here, while there are none.
static void patchbay_without_egl(void) {
	static const char *where = "__EGL_VENDOR_LIBRARY_FILENAMES";
	if (g_getenv(where) != NULL) return;
	void *egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_GLOBAL);
	if (egl == NULL) return;
	const char *(*query)(void *, int) = (const char *(*)(void *, int))dlsym(egl, "eglQueryString");
	if (query == NULL) return;
	g_setenv(where, "/dev/null", TRUE);
	query(NULL, 0x3055); // EGL_EXTENSIONS of no display
	g_unsetenv(where);
}

// A foreign page in the window could call every bound method (wails issue 3162), and a
// content policy does not stop a navigation. So only our own addresses are loaded, in
// frames too.
static gboolean patchbay_decide(WebKitWebView *view, WebKitPolicyDecision *decision,
		WebKitPolicyDecisionType type, gpointer own) {
	(void)view;
	if (type != WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION &&
		type != WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION) return FALSE;
	WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(
		WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	WebKitURIRequest *request = webkit_navigation_action_get_request(action);
	const char *uri = request == NULL ? NULL : webkit_uri_request_get_uri(request);
	if (uri != NULL && strncmp(uri, own, strlen(own)) == 0) return FALSE;
	webkit_policy_decision_ignore(decision);
	return TRUE;
}

static gboolean patchbay_deny(WebKitWebView *view, WebKitPermissionRequest *request, gpointer data) {
	(void)view; (void)data;
	webkit_permission_request_deny(request);
	return TRUE;
}

static void patchbay_find(GtkWidget *widget, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		*(GtkWidget **)found = widget;
		return;
	}
	if (GTK_IS_CONTAINER(widget)) gtk_container_forall(GTK_CONTAINER(widget), patchbay_find, found);
}

// The view and its window live as long as the program.
static WebKitWebView *patchbay_view(void) {
	GtkWidget *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w != NULL; w = w->next) patchbay_find(GTK_WIDGET(w->data), &view);
	g_list_free(windows);
	return view == NULL ? NULL : WEBKIT_WEB_VIEW(view);
}

extern void patchbayLoading(uintptr_t handle);
extern void patchbayGone(uintptr_t handle, int reason);
extern void patchbayAnswer(uintptr_t handle, int reload);
extern void patchbayDrawn(uintptr_t handle);

static void patchbay_load(WebKitWebView *view, WebKitLoadEvent event, gpointer handle) {
	(void)view;
	if (event != WEBKIT_LOAD_STARTED) return;
	patchbay_fix_signals(); // comes before every message of the page
	patchbayLoading((uintptr_t)handle);
}

static void patchbay_gone(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer handle) {
	(void)view;
	patchbayGone((uintptr_t)handle, reason);
}

// A large part of the page was drawn anew, as while it is scrolled; a blinking caret is none.
static gboolean patchbay_draw(GtkWidget *view, cairo_t *cr, gpointer handle) {
	static gint64 told = 0;
	GdkRectangle drawn;
	if (!gdk_cairo_get_clip_rectangle(cr, &drawn)) return FALSE;
	gint64 now = g_get_monotonic_time();
	gint64 whole = (gint64)gtk_widget_get_allocated_width(view) * gtk_widget_get_allocated_height(view);
	if (now - told < G_USEC_PER_SEC / 2 || (gint64)drawn.width * drawn.height * 4 < whole) return FALSE;
	told = now;
	patchbayDrawn((uintptr_t)handle);
	return FALSE;
}

typedef struct { char *own; uintptr_t handle; } patchbay_guarded;

static gboolean patchbay_guard(gpointer data) {
	patchbay_guarded *g = data;
	WebKitWebView *view = patchbay_view();
	if (view == NULL) return G_SOURCE_CONTINUE;
	g_signal_connect(view, "decide-policy", G_CALLBACK(patchbay_decide), g->own);
	g_signal_connect(view, "permission-request", G_CALLBACK(patchbay_deny), NULL);
	g_signal_connect(view, "load-changed", G_CALLBACK(patchbay_load), (gpointer)g->handle);
	g_signal_connect(view, "draw", G_CALLBACK(patchbay_draw), (gpointer)g->handle);
	g_signal_connect(view, "web-process-terminated", G_CALLBACK(patchbay_gone), (gpointer)g->handle);
	g_free(g);
	return G_SOURCE_REMOVE;
}

// own is kept for the life of the program.
static void patchbay_harden(char *own, uintptr_t handle) {
	patchbay_guarded *g = g_new(patchbay_guarded, 1);
	g->own = own;
	g->handle = handle;
	// While the page's process starts there is time for it; see patchbay_load for the latest moment.
	g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, patchbay_fix_signals_idle, NULL, NULL);
	g_timeout_add_full(G_PRIORITY_HIGH, 1, patchbay_guard, g, NULL);
}

static gboolean patchbay_reload_now(gpointer data) {
	(void)data;
	WebKitWebView *view = patchbay_view();
	if (view != NULL) webkit_web_view_reload(view);
	return G_SOURCE_REMOVE;
}

// Behind the messages that wait for the page: they are lost with the old one.
static void patchbay_reload(void) { g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, patchbay_reload_now, NULL, NULL); }

typedef struct { char *title, *text; uintptr_t handle; } patchbay_question;

static void patchbay_response(GtkDialog *dialog, int response, gpointer handle) {
	gtk_widget_destroy(GTK_WIDGET(dialog));
	patchbayAnswer((uintptr_t)handle, response == GTK_RESPONSE_ACCEPT ? 1 : response == GTK_RESPONSE_REJECT ? 0 : -1);
}

static const char *patchbay_dialog = "patchbay-recovery";

static gboolean patchbay_dismiss_now(gpointer data) {
	(void)data;
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w != NULL; w = w->next)
		if (strcmp(gtk_widget_get_name(GTK_WIDGET(w->data)), patchbay_dialog) == 0)
			gtk_dialog_response(GTK_DIALOG(w->data), GTK_RESPONSE_NONE);
	g_list_free(windows);
	return G_SOURCE_REMOVE;
}

static void patchbay_dismiss(void) { g_idle_add_full(G_PRIORITY_DEFAULT, patchbay_dismiss_now, NULL, NULL); }

// A dialog with a loop of its own would keep the window from closing.
static gboolean patchbay_ask_now(gpointer data) {
	patchbay_question *q = data;
	WebKitWebView *view = patchbay_view();
	GtkWidget *window = view == NULL ? NULL : gtk_widget_get_toplevel(GTK_WIDGET(view));
	GtkWidget *dialog = gtk_message_dialog_new(window == NULL ? NULL : GTK_WINDOW(window),
		GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_WARNING, GTK_BUTTONS_NONE, "%s", q->title);
	gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", q->text);
	gtk_dialog_add_buttons(GTK_DIALOG(dialog), "Quit", GTK_RESPONSE_REJECT, "Reload", GTK_RESPONSE_ACCEPT, NULL);
	gtk_dialog_set_default_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT);
	gtk_widget_set_name(dialog, patchbay_dialog);
	gtk_window_set_title(GTK_WINDOW(dialog), "Patchbay");
	g_signal_connect(dialog, "response", G_CALLBACK(patchbay_response), (gpointer)q->handle);
	gtk_window_present(GTK_WINDOW(dialog));
	free(q->title);
	free(q->text);
	g_free(q);
	return G_SOURCE_REMOVE;
}

// title and text are freed.
static void patchbay_ask(char *title, char *text, uintptr_t handle) {
	patchbay_question *q = g_new(patchbay_question, 1);
	*q = (patchbay_question){title, text, handle};
	g_idle_add_full(G_PRIORITY_DEFAULT, patchbay_ask_now, q, NULL);
}

// The window is moved only where its title bar can be reached: the screen it was on may be
// gone. One that is larger than its screen is made to fit.
static gboolean patchbay_place_now(gpointer data) {
	GdkRectangle *at = data;
	WebKitWebView *view = patchbay_view();
	GtkWindow *window = view == NULL ? NULL : GTK_WINDOW(gtk_widget_get_toplevel(GTK_WIDGET(view)));
	GdkDisplay *display = gdk_display_get_default();
	for (int i = 0; window != NULL && i < gdk_display_get_n_monitors(display); i++) {
		GdkRectangle area, seen, bar = {at->x, at->y, at->width, 40};
		gdk_monitor_get_workarea(gdk_display_get_monitor(display, i), &area);
		if (!gdk_rectangle_intersect(&bar, &area, &seen) || seen.width < 80 || seen.height < 20) continue;
		if (at->width > area.width || at->height > area.height)
			gtk_window_resize(window, MIN(at->width, area.width), MIN(at->height, area.height));
		gtk_window_move(window, at->x, at->y);
		break;
	}
	g_free(at);
	return G_SOURCE_REMOVE;
}

// Behind Wails' own centring, which is idle work of the default priority.
static void patchbay_place(int x, int y, int width, int height) {
	GdkRectangle *at = g_new(GdkRectangle, 1);
	*at = (GdkRectangle){x, y, width, height};
	g_idle_add_full(G_PRIORITY_DEFAULT_IDLE + 1, patchbay_place_now, at, NULL);
}
*/
import "C"

import (
	"os"
	"runtime/cgo"

	"patchbay/backend/settings"
)

// nativeShell is the shell of GTK. Its functions return at once; what they ask for is done
// on the window's own thread.
type nativeShell struct{ system }

// hardenNative puts right, on the window's own thread, two faults of the webview layer
// before the page's first message: see the C comments. From then on it tells what happens
// to the page.
func hardenNative(page pageEvents) {
	C.patchbay_harden(C.CString(ownPages), C.uintptr_t(cgo.NewHandle(page)))
}

// placeNative moves the window to where it was, if that is on a screen.
func placeNative(_ system, p settings.Window) {
	C.patchbay_place(C.int(p.X), C.int(p.Y), C.int(p.Width), C.int(p.Height))
}

func (nativeShell) reload() { C.patchbay_reload() }

func (nativeShell) dismiss() { C.patchbay_dismiss() }

func (nativeShell) ask(title, text string, answered func(choice)) {
	C.patchbay_ask(C.CString(title), C.CString(text), C.uintptr_t(cgo.NewHandle(answered)))
}

// pageGarbage is how much, in bytes, a page allocates at most before its collector looks.
const pageGarbage = "16777216"

// tameWebKit sets, unless the person decided otherwise, what WebKit's processes read from
// their environment. It comes after the sessions took theirs, so that no server gets it.
func tameWebKit() {
	// By default the heap of a page grows with the machine's memory before it is collected: a
	// long conversation scrolled through held 160 MiB of garbage. A window is no browser.
	setDefault("JSC_gcMaxHeapSize", pageGarbage)
	// WebKit's DMABUF renderer gives a blank window on NVIDIA's driver (wails issue 2977), and
	// GDK looks through the visuals of OpenGL when it starts. Both are for windows that draw
	// by GPU: without them it opens sooner.
	setDefault("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
	setDefault("GDK_GL", "disable")
	C.patchbay_without_egl()
}

func setDefault(name, value string) {
	if _, set := os.LookupEnv(name); !set {
		os.Setenv(name, value)
	}
}
