import { type ReactNode, useEffect } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

/** The frame of one address: its title in the tab and as the heading that gets the focus when the page turns to it. */
export function Page({ title, actions, intro, children }: PageProps) {
  useEffect(() => {
    document.title = texts.tabTitle(title)
  }, [title])
  return (
    <>
      <div className="page-head">
        <h1 id="heading" tabIndex={-1} dir="auto">
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

/** What says that something is on its way; told politely to who cannot see it. */
export const Loading = ({ what = texts.loading }: { what?: string }) => (
  <p className="loading" role="status">
    {what}
  </p>
)

/** A list that is empty says why, and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)
