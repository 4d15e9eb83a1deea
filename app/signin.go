package app

import "context"

// SignInCommands sign in to servers of the shown session, and out.
type SignInCommands interface {
	// SignIn begins a sign-in, or queues it behind the one that is under way; its course is
	// in the server's row. Without a keyring, and before anybody said where sign-ins are to
	// be kept then, it fails with code no_keyring and nothing is begun.
	SignIn(ctx context.Context, name string, keep SignInKeep) error
	CancelSignIn(ctx context.Context, name string) error // one that is over is no error
	SignOut(ctx context.Context, name string) error
	// BrowseWith says how an address is opened in the system's browser. Until then a
	// sign-in only shows its address.
	BrowseWith(open func(address string) error)
}

// SignIn begins the sign-in to a server in the system's browser. keep says where sign-ins
// are kept on a machine without a keyring: "" what was chosen before (none: rejected with
// code no_keyring), file, or memory.
func (m *MCP) SignIn(name string, keep SignInKeep) error {
	return do(m.core, "SignIn", func(ctx context.Context) error { return m.core.backend.SignIn(ctx, name, keep) })
}

// CancelSignIn ends a sign-in that waits for the person or for its turn.
func (m *MCP) CancelSignIn(name string) error {
	return m.named("CancelSignIn", name, m.core.backend.CancelSignIn)
}

// SignOut revokes what the server's sign-in gave, where its issuer offers that, and forgets
// it.
func (m *MCP) SignOut(name string) error {
	return m.named("SignOut", name, m.core.backend.SignOut)
}
