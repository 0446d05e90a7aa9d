import { type ReactNode, useEffect } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'
import { focusIfAwaited } from './focus.ts'

/** The frame of one address: its title in the tab and as the heading, which is focused when the address is opened. */
export function Page({ title, actions, intro, children }: PageProps) {
  useEffect(() => {
    document.title = texts.tabTitle(title)
  }, [title])
  return (
    <>
      <div className="page-head">
        <h1 id="heading" ref={focusIfAwaited} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {intro && <p className="intro">{intro}</p>}
      {children}
    </>
  )
}

export interface PageProps {
  title: string
  actions?: ReactNode
  intro?: ReactNode
  children: ReactNode
}

/** A text while data is loading; screen readers announce it politely. */
export const Loading = ({ what = texts.loading }: { what?: string }) => (
  <p className="loading" role="status">
    {what}
  </p>
)

/** The explanation of an empty list, with advice. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)
