import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'

/** A text with the label that a person gave it: a line of the export, and of the input of `bench/detection.ts --labelled`. */
export interface LabelledText {
  title: string
  description: string
  platform: PlatformName
  tags: string[]
  /** Whether it is a feature request. */
  label: boolean
  by: 'operator' | 'account'
  /** By detection. */
  confidence: number
}

interface Row extends LabelledText {
  sourceHash: string
  owner: string
}

/** How many texts are read at once: other statements run between two such pages. */
const pageSize = 100
/** Sorts the operator's correction of a request behind those of accounts, as the index does with null. */
const operator = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Every correction whose request is stored, as JSON Lines, a page after the other. The order is that of the hashes of their requests: the
 * same corrections give the same lines. No line says which account made it.
 */
export async function* exportLabelledTexts(executor: Executor): AsyncGenerator<string> {
  for (let after = { sourceHash: '', owner: operator }; ; ) {
    const { rows } = await sql<Row>`
      select source_hash as "sourceHash", coalesce(account_id, ${operator}) as owner, title, description,
        requests.platform, tags, is_request as label, case when account_id is null then 'operator' else 'account' end as by,
        confidence
      from request_corrections join requests on requests.id = request_id
      where source_hash >= ${after.sourceHash}
        and (source_hash, coalesce(account_id, ${operator})) > (${after.sourceHash}, ${after.owner}::uuid)
      order by source_hash, account_id limit ${pageSize}`.execute(executor)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ sourceHash: _, owner: __, ...text }) => `${JSON.stringify(text)}\n`).join('')
    if (rows.length < pageSize) return
    after = last
  }
}
