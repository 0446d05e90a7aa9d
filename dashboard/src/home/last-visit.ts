import { useState } from 'react'
import { useOwner } from '../api/session-store.ts'

// When somebody was here last, as this browser knows it: nothing is stored for that on the service, and two people of one account
// have a visit each.

/** A pause after which the next look is a new visit. */
const pauseMs = 30 * 60_000
/** What a first visit begins with. */
const firstMs = 7 * 86_400_000

interface Visits {
  /** When the visit before this one ended. */
  before: string | null
  /** The last moment of this one. */
  last: string
}

function read(key: string): Visits | null {
  try {
    const { before, last } = JSON.parse(localStorage.getItem(key) ?? 'null') ?? {}
    const isMoment = (text: unknown) => typeof text === 'string' && !Number.isNaN(Date.parse(text))
    return isMoment(last) ? { before: isMoment(before) ? before : null, last } : null
  } catch {
    return null
  }
}

/** Notes a visit. @returns when the one before it ended; null for the first one in this browser. */
function visit(key: string): string | null {
  const now = new Date().toISOString()
  const known = read(key)
  const isNew = known === null || Date.parse(now) - Date.parse(known.last) > pauseMs
  const before = isNew ? (known?.last ?? null) : known.before
  try {
    localStorage.setItem(key, JSON.stringify({ before, last: now }))
  } catch {
    // A browser that stores nothing shows the last week each time.
  }
  return before
}

export interface LastVisit {
  since: string
  /** This browser has never been here before. */
  isFirst: boolean
}

/** When the account was looked at last in this browser; a week ago for a first visit. */
export function useLastVisit(): LastVisit {
  const owner = useOwner()
  const [before] = useState(() => visit(`wishwell.visit.${owner}`))
  const [first] = useState(() => new Date(Date.now() - firstMs).toISOString())
  return { since: before ?? first, isFirst: before === null }
}
