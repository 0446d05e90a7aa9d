import { Component, type ReactNode } from 'react'
import { problemTexts as texts } from '../texts/problems.ts'

interface BoundaryProps {
  name: string
  /** In place of what failed. */
  instead?: ReactNode
  children: ReactNode
}

/** Shows an exception of the page instead of an empty screen. A new `name`, the address, renders again. */
export class Boundary extends Component<BoundaryProps, { failedAt: string | null }> {
  override state = { failedAt: null as string | null }

  static getDerivedStateFromError() {
    return { failedAt: '' }
  }

  override componentDidCatch() {
    this.setState({ failedAt: this.props.name })
  }

  override componentDidUpdate(before: { name: string }) {
    if (before.name !== this.props.name && this.state.failedAt !== null) this.setState({ failedAt: null })
  }

  override render() {
    if (this.state.failedAt === null) return this.props.children
    if (this.props.instead !== undefined) return this.props.instead
    return (
      <div className="problem" role="alert">
        <p>
          <strong>{texts.boundary.title}</strong> {texts.boundary.advice}
        </p>
        <button type="button" onClick={() => location.reload()}>
          {texts.reload}
        </button>
      </div>
    )
  }
}
