// Preloaded into the unmodified program, it makes the webview that Wails creates one that
// WebKitWebDriver may drive, and prints the page's console to stdout. It is linked to no
// library, so that other programs started with it in their environment are not changed.
#include <webkit2/webkit2.h>

static GtkWidget *shown;

static WebKitWebView *create_view(WebKitAutomationSession *session, gpointer data) {
	(void)session; (void)data;
	return WEBKIT_WEB_VIEW(shown);
}

static void started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer data) {
	(void)context; (void)data;
	g_signal_connect(session, "create-web-view", G_CALLBACK(create_view), NULL);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
	WebKitWebContext *context = webkit_web_context_get_default();
	webkit_web_context_set_automation_allowed(context, TRUE);
	g_signal_connect(context, "automation-started", G_CALLBACK(started), NULL);
	shown = GTK_WIDGET(g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context,
		"user-content-manager", manager, "is-controlled-by-automation", TRUE, NULL));
	webkit_settings_set_enable_write_console_messages_to_stdout(
		webkit_web_view_get_settings(WEBKIT_WEB_VIEW(shown)), TRUE);
	return shown;
}
