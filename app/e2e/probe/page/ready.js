window.go.app.App.Ready();
