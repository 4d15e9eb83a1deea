package authtest

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// unattendedLocked answers the grants that need no person; it reports whether it was one.
func (s *Server) unattendedLocked(w http.ResponseWriter, r *http.Request, id, secret string) bool {
	grantType := r.Form.Get("grant_type")
	if grantType != "client_credentials" && grantType != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return false
	}
	known := id == s.o.ClientID && (s.o.Key == nil && secret == s.o.ClientSecret || s.o.Key != nil && s.proves(r))
	vouched := grantType == "client_credentials" || r.Form.Get("assertion") == "assertion-for-"+s.URL
	if !known || !vouched || r.Form.Get("resource") != s.resource() {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return true
	}
	s.counts["unattended"]++
	access := s.nextLocked("planted-access")
	s.tokens[access] = grant{client: id, scopes: strings.Fields(r.Form.Get("scope")), expires: time.Now().Add(s.o.Life)}
	writeJSON(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(s.o.Life.Seconds())})
	return true
}

// proves reports whether a request holds an assertion of the client (RFC 7523, 3).
func (s *Server) proves(r *http.Request) bool {
	if r.Form.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		return false
	}
	_, err := jwt.Parse(r.Form.Get("client_assertion"), func(*jwt.Token) (any, error) { return s.o.Key, nil },
		jwt.WithIssuer(s.o.ClientID), jwt.WithSubject(s.o.ClientID), jwt.WithAudience(s.at.URL), jwt.WithExpirationRequired())
	return err == nil
}

// vouch is the employer's server (RFC 8693).
func (s *Server) vouch(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || s.o.Identity == "" || r.Form.Get("subject_token") != s.o.Identity ||
		r.Form.Get("subject_token_type") != "urn:ietf:params:oauth:token-type:id_token" ||
		r.Form.Get("requested_token_type") != "urn:ietf:params:oauth:token-type:id-jag" || r.Form.Get("audience") != s.at.URL {
		refuse(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"access_token": "assertion-for-" + r.Form.Get("resource"), "token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"})
}
