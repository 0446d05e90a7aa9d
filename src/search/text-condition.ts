import { type RawBuilder, sql } from 'kysely'
import { all } from '../requests/filters/conditions.ts'
import type { Phrase } from './query.ts'

/** Whether a normalised text has a phrase; both are words with single spaces between them. */
const hasPhrase = (forms: Phrase) =>
  sql<boolean>`(${sql.join(
    forms.map((form) => sql`position(${` ${form} `}::text in padded.text) > 0`),
    sql` or `,
  )})`

/** The condition on `padded.text`, the normalised text between two spaces; null without phrases and exclusions. */
export function textCondition({
  phrases,
  excluded,
}: Record<'phrases' | 'excluded', readonly Phrase[]>): RawBuilder<boolean> | null {
  if (phrases.length + excluded.length === 0) return null
  return all([...phrases.map(hasPhrase), ...excluded.map((forms) => sql`not ${hasPhrase(forms)}`)])
}
