package app

import (
	"net/http"
	"strings"
)

// contentPolicy lets the page run its own scripts and load its own files, nothing else:
// what a model, a tool or a server says stays text. Styles may be inline because the
// virtual list and the highlighter write style attributes; recordings play from memory
// (blob:), as the window's media element does not read the page's own scheme.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-src 'none'; frame-ancestors 'none'; object-src 'none'"

// protect sets the headers of every answer. A meta tag would come after the two scripts
// that Wails injects into the page.
func protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// media serves what is no file of the page. It only reads: a foreign page's POST that got
// through would change nothing.
func (w *window) media() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, "/media/") || w.core.backend == nil {
			http.NotFound(rw, r)
			return
		}
		h := w.core.backend.Media()
		if h == nil {
			http.NotFound(rw, r)
			return
		}
		h.ServeHTTP(rw, r)
	})
}
