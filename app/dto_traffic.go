package app

// FramePage is a part of a server's traffic.
type FramePage struct {
	Frames []Frame `json:"frames"` // oldest first
	Oldest uint64  `json:"oldest"` // no frame up to this number is kept any more
	Newest uint64  `json:"newest"` // of the newest frame there is
}

// Frame is one JSON-RPC message as it went over the wire, or what took its place.
type Frame struct {
	Seq     uint64 `json:"seq"` // grows within a server, never used again by a later run
	AtMs    int64  `json:"atMs"`
	Out     bool   `json:"out"`  // to the server
	Kind    string `json:"kind"` // request, response, error, notification, noise, failed
	Method  string `json:"method"`
	ID      string `json:"id"`
	Subject string `json:"subject"` // the tool, the URI or the error that it is about
	Size    int    `json:"size"`    // bytes of the whole message
	Pair    uint64 `json:"pair"`    // of the request that it answers, fails or cancels; 0 for none
	// TookMs is the time since that request, with a fraction: most answers take less than one.
	TookMs float64 `json:"tookMs"`
}

// FrameBody is what a frame holds, secrets hidden.
type FrameBody struct {
	Text string `json:"text"` // JSON, or words of noise and failures
	Size int    `json:"size"` // bytes of the whole message
	Cut  bool   `json:"cut"`
	Gone bool   `json:"gone"` // it is no longer kept
}
