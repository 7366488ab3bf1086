// A view that fails says so in its place; the frame and the ways to other views stay.

import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.js'

interface ViewBoundaryProps {
  /** Another path is another attempt. */
  readonly path: string
  readonly children: ReactNode
}

export class ViewBoundary extends Component<ViewBoundaryProps, { readonly failure: Error | null }> {
  override state: { readonly failure: Error | null } = { failure: null }

  static getDerivedStateFromError(failure: Error) {
    return { failure }
  }

  override componentDidUpdate({ path }: ViewBoundaryProps) {
    if (path !== this.props.path && this.state.failure !== null) this.setState({ failure: null })
  }

  override render() {
    const { failure } = this.state
    if (failure === null) return this.props.children
    return (
      <div className="note bad" role="alert">
        <p>This view could not be shown: {failure.message}. The rest of the page works.</p>
        <Button small onClick={() => location.reload()}>
          Load it again
        </Button>
      </div>
    )
  }
}
