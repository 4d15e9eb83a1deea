package app

// SignInState says where the sign-in to a server is.
type SignInState string

// SignInKeep says where sign-ins are kept when this machine has no keyring.
type SignInKeep string

// The values of the enums above.
const (
	SignInQueued  SignInState = "queued"    // another sign-in is before it
	SignInWaiting SignInState = "waiting"   // for the person, in the browser
	SignInDone    SignInState = "signed_in" // requests carry its token
	SignInFailed  SignInState = "failed"    // Message says why

	KeepUnknown SignInKeep = ""       // what was chosen before; where nothing was, the command says no_keyring
	KeepFile    SignInKeep = "file"   // that only the person can read, from now on
	KeepMemory  SignInKeep = "memory" // until Patchbay closes
)

// AllSignInStates lists every SignInState.
var AllSignInStates = []EnumValue[SignInState]{
	{SignInQueued, "Queued"}, {SignInWaiting, "Waiting"}, {SignInDone, "SignedIn"}, {SignInFailed, "Failed"},
}

// SignIn is the sign-in to a server: no token, code or secret is in it.
type SignIn struct {
	State     SignInState `json:"state"`
	URL       string      `json:"url"`       // waiting: what the browser was opened at, "" before it is known
	SinceMs   int64       `json:"sinceMs"`   // of this state
	UntilMs   int64       `json:"untilMs"`   // waiting: when it gives up
	Issuer    string      `json:"issuer"`    // signed in: who vouches
	Scopes    []string    `json:"scopes"`    // signed in: what was allowed, as far as known
	ExpiresMs int64       `json:"expiresMs"` // signed in: of the token that is in use, 0 when unknown
	Renews    bool        `json:"renews"`    // signed in: the token is renewed without the person
	Kept      string      `json:"kept"`      // signed in: keyring, file or memory
	Wants     []string    `json:"wants"`     // signed in: what the server asked for beside what was allowed
	Message   string      `json:"message"`   // failed: why; waiting: why no browser opened
}
