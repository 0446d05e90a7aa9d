import { serialize } from 'pg-protocol'

/** After so many runs a statement is kept: most that come twice come again and again. */
const runsBeforeKept = 2
/** So many are kept, those that were run last; of as many more it is known how often they were run. */
const mostKept = 200
const mostCounted = 1_000
/** Longer ones are made for one call. */
const longestText = 10_000

interface Known {
  runs: number
  /** Under which Postgres keeps it; null while it does not. */
  name: string | null
}

/**
 * The statements that the database keeps as it has understood them ("prepared"), so that those that are run again and again
 * are not parsed and planned each time: that is half of what a short one takes. Postgres chooses by itself whether a plan for
 * any parameters is as good as one for these.
 */
export interface Statements {
  /** How a run of a statement begins: what is said before its parameters are, and under which name the statement is then known. */
  begin(text: string): { name: string; before: Buffer[] }
  /** To be told of each run how it ended. */
  ended(text: string, wasDone: boolean): void
  /** To be told of several statements that are sent at once, as a script. */
  seeScript(script: string): void
}

/** What changes a table makes the kept statements over it useless: their rows would have other columns. */
const changesTables = /^\s*(?:alter|create|drop)\b/i
const changesTablesSomewhere = /\b(?:alter|create|drop)\b/i

export function createStatements(): Statements {
  const known = new Map<string, Known>()
  const kept = new Map<string, string>()
  let names = 0
  let dropped: string[] = []

  const drop = (text: string) => {
    const name = kept.get(text)
    if (name === undefined) return
    kept.delete(text)
    known.delete(text)
    dropped.push(name)
  }
  const dropAll = () => {
    for (const text of [...kept.keys()]) drop(text)
  }
  const keep = (text: string, statement: Known) => {
    const [oldest] = kept.size >= mostKept ? kept.keys() : []
    if (oldest !== undefined) drop(oldest)
    statement.name = `kept_${++names}`
    kept.set(text, statement.name)
    return statement.name
  }
  return {
    begin: (text) => {
      if (changesTables.test(text)) dropAll()
      const before = dropped.map((name) => serialize.close({ type: 'S', name }))
      dropped = []
      const statement = known.get(text)
      if (statement?.name) {
        // Moved to the end: it was run last.
        kept.delete(text)
        kept.set(text, statement.name)
        return { name: statement.name, before }
      }
      const name = statement && statement.runs >= runsBeforeKept ? keep(text, statement) : ''
      return { name, before: [...before, serialize.parse({ name, text })] }
    },
    seeScript: (script) => {
      if (changesTablesSomewhere.test(script)) dropAll()
    },
    ended: (text, wasDone) => {
      if (!wasDone) {
        drop(text)
        known.delete(text)
      } else if (text.length <= longestText) {
        const statement = known.get(text)
        if (statement) statement.runs++
        else {
          if (known.size >= mostCounted) for (const [one, { name }] of known) if (name === null) known.delete(one)
          known.set(text, { runs: 1, name: null })
        }
      }
    },
  }
}
