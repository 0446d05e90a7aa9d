import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import lemmy from './lemmy.json' with { type: 'json' }

const forms = readForms(lemmy.forms)
const origin = 'https://orchard.example'
const communityUrl = `${origin}/c/wishes`

/** The post at its own instance; the copies of other instances have the same address. */
export const postUrl = ({ id }: Pick<SimulatedRecord, 'id'>): string => `${origin}/post/${id}`

/** Versions whose answers have different forms: some fields have another name in the newest one. */
export type LemmyVersion = '0.18' | '0.19' | '1.0'

/** The oldest version says no time zone. */
function timeOf(date: Date, version: LemmyVersion): string {
  const time = date.toISOString().replace(/\.\d+Z$/, '.254290')
  return version === '0.18' ? time : `${time}Z`
}

/** One element of `posts`. An absent body is left out. */
export function lemmyPostView(record: SimulatedRecord, version: LemmyVersion): unknown {
  const { id, body, author, createdAt, fate } = record
  const isNew = version === '1.0'
  /** A value that has one name in the newest version, and another one in the others. */
  const named = <Value>(value: Value) => (isNew ? [undefined, value] : [value, undefined])
  const handle = author?.handle ?? 'gone'
  const [published, publishedAt] = named(timeOf(createdAt, version))
  const [founded, foundedAt] = named(timeOf(new Date(0), version))
  const [oldAuthorUrl, newAuthorUrl] = named(`${origin}/u/${handle}`)
  const [oldCommunityUrl, newCommunityUrl] = named(communityUrl)
  const values = {
    ...valuesOf(record),
    postId: (id % 100_000) + 1,
    postUrl: postUrl(record),
    shownBody: body ?? undefined,
    authorId: author?.id ?? 1,
    handle,
    displayName: author && author.id % 2 === 0 ? author.name : undefined,
    isGone: author === null,
    isRemoved: fate === 'removed',
    visibility: isNew ? (fate === 'private' ? 'Private' : 'Public') : undefined,
    ...{ published, publishedAt, founded, foundedAt },
    ...{ oldAuthorUrl, newAuthorUrl, oldCommunityUrl, newCommunityUrl },
  }
  const post = forms.post(values) as object
  return forms.view({
    ...values,
    post: isNew ? { ...post, ...(forms.counts(values) as object) } : post,
    creator: forms.creator(values),
    community: forms.community(values),
    tags: isNew ? [] : undefined,
    counts: isNew ? undefined : forms.countsRow(values),
  })
}
