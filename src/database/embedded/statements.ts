import { LRUCache } from 'lru-cache'
import { serialize } from 'pg-protocol'

/** After so many runs a statement is kept: most that come twice come again and again. */
const runsBeforeKept = 2
/**
 * After so many more it is planned anew: a plan from when a table was small is a scan of it, and nothing says how much it has
 * grown until it is analysed.
 */
const runsOfPlan = 200
/** So many are kept, those that were run last. */
const mostKept = 200
/** Of so many it is known how often they were run. */
const maxCounted = 1_000
/** Longer ones are made for one call. */
const longestText = 10_000

interface Kept {
  name: string
  runs: number
  /** Whether Postgres has it: until the run that brings it there has ended well, others go without. */
  isThere: boolean
}

/**
 * The statements that the database keeps as it has understood them ("prepared"), so that those that are run again and again
 * are not parsed and planned each time: that is half of what a short one takes. Postgres chooses by itself whether a plan for
 * any parameters is as good as one for these.
 */
export interface PreparedStatements {
  /** How a run of a statement begins: what is said before its parameters are, and under which name the statement is then known. */
  begin(text: string): { name: string; before: Buffer[] }
  /** To be told of each run how it ended. @param code the SQLSTATE of its failure; null when it was done. */
  ended(text: string, name: string, code: string | null): void
  /** To be told of several statements that are sent at once, as a script. */
  seeScript(script: string): void
}

/** What changes a table makes the kept statements over it useless: their rows would have other columns. */
const changesTables = /\b(?:alter|create|drop)\b/i
/** A kept statement is not there (any more), or its table is another now. */
const isUseless = (code: string) => code === '26000' || code === '0A000'

export function createPreparedStatements(): PreparedStatements {
  const runsOf = new LRUCache<string, number>({ max: maxCounted })
  let names = 0
  let dropped: string[] = []
  const kept = new LRUCache<string, Kept>({ max: mostKept, dispose: ({ name }) => void dropped.push(name) })

  const keep = (text: string): string => {
    const name = `kept_${++names}`
    kept.set(text, { name, runs: 0, isThere: false })
    return name
  }
  const parse = (name: string, text: string) => {
    const before = [
      ...dropped.map((gone) => serialize.close({ type: 'S', name: gone })),
      serialize.parse({ name, text }),
    ]
    dropped = []
    return { name, before }
  }
  const count = (text: string) => {
    // What changes tables is never counted, so that it is looked at each time.
    if (text.length > longestText || changesTables.test(text)) return
    runsOf.set(text, (runsOf.get(text) ?? 0) + 1)
  }
  return {
    begin: (text) => {
      const runs = runsOf.get(text)
      if (runs === undefined && changesTables.test(text)) kept.clear()
      const statement = kept.get(text)
      if (statement !== undefined && !statement.isThere) return parse('', text)
      if (statement !== undefined && statement.runs < runsOfPlan) {
        statement.runs++
        return { name: statement.name, before: [] }
      }
      kept.delete(text)
      return parse((runs ?? 0) < runsBeforeKept ? '' : keep(text), text)
    },
    ended: (text, name, code) => {
      if (code === null) count(text)
      const statement = kept.get(text)
      if (statement === undefined || statement.name !== name) return
      if (code === null) statement.isThere = true
      else if (!statement.isThere || isUseless(code)) kept.delete(text)
    },
    seeScript: (script) => {
      if (changesTables.test(script)) kept.clear()
    },
  }
}
