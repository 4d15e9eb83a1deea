//go:build linux && (production || dev)

package app

/*
#cgo pkg-config: webkit2gtk-4.1 javascriptcoregtk-4.1
#include <signal.h>
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
static gboolean patchbay_fix_signals(gpointer data) {
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGCHLD,
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGURG, SIGXCPU, SIGXFSZ};
	(void)data;
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
	return G_SOURCE_REMOVE;
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

static gboolean patchbay_guard(gpointer own) {
	GtkWidget *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w != NULL; w = w->next) patchbay_find(GTK_WIDGET(w->data), &view);
	g_list_free(windows);
	if (view == NULL) return G_SOURCE_CONTINUE;
	g_signal_connect(view, "decide-policy", G_CALLBACK(patchbay_decide), own);
	g_signal_connect(view, "permission-request", G_CALLBACK(patchbay_deny), NULL);
	return G_SOURCE_REMOVE;
}

// own is kept for the life of the program.
static void patchbay_harden(char *own) {
	g_idle_add_full(G_PRIORITY_HIGH, patchbay_fix_signals, NULL, NULL);
	g_timeout_add_full(G_PRIORITY_HIGH, 1, patchbay_guard, own, NULL);
}
*/
import "C"

import "os"

// hardenNative puts right, on the window's own thread, two faults of the webview layer
// before the page's first message: see the C comments.
func hardenNative() { C.patchbay_harden(C.CString(ownPages)) }

// quietGPU avoids the blank window that WebKit's DMABUF renderer gives on NVIDIA's driver
// (wails issue 2977), unless the person decided otherwise.
func quietGPU() {
	const name = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if _, set := os.LookupEnv(name); set {
		return
	}
	if _, err := os.Stat("/sys/module/nvidia"); err == nil {
		os.Setenv(name, "1")
	}
}
