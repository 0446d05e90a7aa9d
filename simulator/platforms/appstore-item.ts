import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import appstore from './appstore.json' with { type: 'json' }
import { escaped } from './rss-item.ts'

const forms = readForms(appstore.forms)

/** An app of the simulated store, in one country. */
export interface SimulatedApp {
  country: string
  id: number
  name: string
}

export const appUrl = ({ country, id }: SimulatedApp): string => `https://apps.apple.com/${country}/app/id${id}`

/** The page of the reviews of an app; a review has none of its own. */
export const reviewUrl = ({ country, id }: SimulatedApp): string =>
  `https://itunes.apple.com/${country}/review?id=${id}&type=Purple%20Software`

/** In the time of California, as all dates of the feed. */
const storeTime = (date: Date): string => `${new Date(date.getTime() - 7 * 3_600_000).toISOString().slice(0, 19)}-07:00`

function reviewValues(record: SimulatedRecord, app: SimulatedApp) {
  const { id, author, createdAt } = record
  return {
    ...valuesOf(record),
    reviewId: String(id),
    body: record.body ?? '',
    upvotes: String(Math.max(0, record.votes)),
    author: author?.name ?? '',
    authorUrl: `https://itunes.apple.com/${app.country}/reviews/id${author?.id ?? 0}`,
    updated: storeTime(createdAt),
    rating: String((id % 5) + 1),
    version: `${(id % 3) + 1}.0`,
    link: reviewUrl(app),
    name: app.name,
  }
}

export const jsonReview = (record: SimulatedRecord, app: SimulatedApp): unknown =>
  forms.review(reviewValues(record, app))

export function xmlReview(record: SimulatedRecord, app: SimulatedApp): unknown {
  const values = Object.entries(reviewValues(record, app))
  return forms.xmlReview(Object.fromEntries(values.map(([name, value]) => [name, escaped(String(value))])))
}

/** What a first page had before its reviews for years. */
export const jsonApp = (app: SimulatedApp): unknown =>
  forms.app({ name: app.name, address: appUrl(app), number: String(app.id) })

export const foundApp = (app: SimulatedApp, ratings: number): unknown =>
  forms.found({ trackId: app.id, name: app.name, ratings, address: appUrl(app) })
