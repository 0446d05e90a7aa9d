import { type ReactNode, Suspense } from 'react'
import { Boundary } from './boundary.tsx'

interface AsideProps {
  /** Shown until it is loaded. */
  meanwhile?: ReactNode
  /** Shown where it cannot be loaded; by default what helps. */
  instead?: ReactNode
  children: ReactNode
}

/** What is loaded when it is shown, in the middle of a page: where it cannot be loaded, as offline, the page around it stays. */
export const Aside = ({ meanwhile = null, instead, children }: AsideProps) => (
  <Boundary name={location.pathname} instead={instead}>
    <Suspense fallback={meanwhile}>{children}</Suspense>
  </Boundary>
)
