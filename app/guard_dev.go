//go:build linux && dev && !production

package app

// ownPages is wider than in a release: Vite's page has a host and port of its own.
const ownPages = "wails://"
