//go:build linux && production

package app

// ownPages is what every address that the window may show begins with.
const ownPages = "wails://wails/"
