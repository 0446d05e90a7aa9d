import { LRUCache } from 'lru-cache'
import { serialize } from 'pg-protocol'

/** Runs before a statement is prepared: most that run twice run often. */
const runsBeforePrepared = 2
/** Replan after this many runs: a small table's plan is a scan, and only ANALYZE updates its statistics. */
const runsOfPlan = 200
/** Maximum prepared statements; the most recent ones stay. */
const maxPrepared = 200
/** Maximum statements whose runs are counted. */
const maxCounted = 1_000
/** Longer statements are built for a single call. */
const maxTextLength = 10_000

interface Prepared {
  name: string
  runs: number
  /** Whether Postgres has it: until the preparing run has succeeded, other runs go unprepared. */
  isReady: boolean
}

/** Prepared statements save parsing and planning, half the cost of a short one. Postgres chooses generic plans. */
export interface PreparedStatements {
  /** Begins a run. @returns messages to send before its parameters, and the statement's name ('' if unprepared) */
  begin(text: string): { name: string; before: Buffer[] }
  /** Call at the end of every run. @param code SQLSTATE of the failure; null on success */
  ended(text: string, name: string, code: string | null): void
  /** Call before sending a script of several statements. */
  seeScript(script: string): void
}

/** Changing a table invalidates its prepared statements: their rows would have other columns. */
const changesTables = /\b(?:alter|create|drop)\b/i
/** The prepared statement is missing, or its table changed. */
const isUseless = (code: string) => code === '26000' || code === '0A000'

export function createPreparedStatements(): PreparedStatements {
  const runsOf = new LRUCache<string, number>({ max: maxCounted })
  let names = 0
  let dropped: string[] = []
  const prepared = new LRUCache<string, Prepared>({ max: maxPrepared, dispose: ({ name }) => void dropped.push(name) })

  const addStatement = (text: string): string => {
    const name = `statement_${++names}`
    prepared.set(text, { name, runs: 0, isReady: false })
    return name
  }
  const parse = (name: string, text: string) => {
    const before = [
      ...dropped.map((unused) => serialize.close({ type: 'S', name: unused })),
      serialize.parse({ name, text }),
    ]
    dropped = []
    return { name, before }
  }
  const count = (text: string) => {
    // Never counted: `begin` must see every statement that changes tables.
    if (text.length > maxTextLength || changesTables.test(text)) return
    runsOf.set(text, (runsOf.get(text) ?? 0) + 1)
  }
  return {
    begin: (text) => {
      const runs = runsOf.get(text)
      if (runs === undefined && changesTables.test(text)) prepared.clear()
      const statement = prepared.get(text)
      if (statement !== undefined && !statement.isReady) return parse('', text)
      if (statement !== undefined && statement.runs < runsOfPlan) {
        statement.runs++
        return { name: statement.name, before: [] }
      }
      prepared.delete(text)
      return parse((runs ?? 0) < runsBeforePrepared ? '' : addStatement(text), text)
    },
    ended: (text, name, code) => {
      if (code === null) count(text)
      const statement = prepared.get(text)
      if (statement === undefined || statement.name !== name) return
      if (code === null) statement.isReady = true
      else if (!statement.isReady || isUseless(code)) prepared.delete(text)
    },
    seeScript: (script) => {
      if (changesTables.test(script)) prepared.clear()
    },
  }
}
