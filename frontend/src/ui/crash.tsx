import { Component, type ErrorInfo, type ReactNode } from "react";

interface Props {
  children: ReactNode;
  onCopy: (text: string) => Promise<void>;
  /** The children are gone and what stands instead is shown. */
  onCrash?: () => void;
  onReload?: () => void;
}

interface State {
  failed: boolean;
  message: string;
  details: string;
  copied: string;
}

/** Stands in for what threw while it was drawn. */
export class Crash extends Component<Props, State> {
  override state: State = { failed: false, message: "", details: "", copied: "" };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: true, message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    this.setState({ details: [`${error}`, stack, info.componentStack ?? ""].filter((each) => each !== "").join("\n") });
    this.props.onCrash?.();
  }

  copy = (): void => {
    this.props.onCopy(this.state.details).then(
      () => this.setState({ copied: "Copied" }),
      () => this.setState({ copied: "Not copied: mark the details below and copy them by hand" }),
    );
  };

  override render(): ReactNode {
    const { failed, message, details, copied } = this.state;
    if (!failed) return this.props.children;
    return (
      <main className="crash">
        <h1>This part of the window stopped working</h1>
        <p role="alert" className="crash-message">{message || "It did not say why"}</p>
        <p className="muted">Servers, sessions and a running turn go on. Reload shows them again.</p>
        <div className="crash-actions">
          <button type="button" className="btn primary" onClick={this.props.onReload ?? (() => window.location.reload())}>Reload</button>
          <button type="button" className="btn" onClick={this.copy}>Copy details</button>
          <span role="status" className="muted">{copied}</span>
        </div>
        <details>
          <summary>Details</summary>
          <pre tabIndex={0} aria-label="Details of the failure">{details}</pre>
        </details>
      </main>
    );
  }
}
