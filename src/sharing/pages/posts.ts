import type { PlatformName } from '../../database/column-types.ts'
import { type Html, html } from '../../http/html.ts'
import { publicPagesOf } from '../../platforms/registry.ts'
import { platformTitle } from '../../platforms/titles.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { bounded, nothing, titled } from './bounded.ts'
import type { Texts } from './texts.ts'

/** Texts are quoted up to this length, with a link to the whole. */
const maxText = 600

const isWebAddress = (text: string | null): text is string => /^https?:$/.test(URL.parse(text ?? '')?.protocol ?? '')

/** An external link; `nofollow`, unless the platform's attribution demands a plain one. */
export function link(url: string | null, text: string | Html, platform: PlatformName): Html {
  if (!isWebAddress(url)) return html`<span dir="auto">${text}</span>`
  const rel = publicPagesOf(platform).hasPlainLinks ? 'noopener' : 'noopener nofollow ugc'
  return html`<a href="${url}" rel="${rel}" dir="auto">${text}</a>`
}

function licenceUrl(licence: string): string | null {
  const [, kind, version] = /^CC (BY(?:-(?:SA|NC|ND))*) (\d\.\d)$/.exec(licence) ?? []
  return kind === undefined ? null : `https://creativecommons.org/licenses/${kind.toLowerCase()}/${version}/`
}

/** Joins parts of a line with dots, skipping null. */
export const separated = (parts: readonly (Html | string | null)[]): Html[] =>
  parts.filter((part) => part !== null).map((part, at) => html`${at === 0 ? '' : ' · '}${part}`)

/** Author, time and place, which every platform requires of whoever shows its texts. */
export function origin(record: RequestRecord, texts: Texts): Html[] {
  const platform = record.sourcePlatform as PlatformName
  const { authorName, authorHandle, authorProfileUrl, originalCreatedAt, sourceName, sourceUrl, license } = record
  const author = titled(authorName ?? authorHandle ?? '') || texts.unknownAuthor
  return separated([
    link(authorProfileUrl, author, platform),
    originalCreatedAt === null
      ? null
      : html`<time datetime="${originalCreatedAt}">${texts.date(originalCreatedAt)}</time>`,
    sourceName === null ? null : html`<bdi>${titled(sourceName)}</bdi>`,
    license === null ? null : link(licenceUrl(license), titled(license), platform),
    link(sourceUrl, texts.source(platformTitle(platform)), platform),
  ])
}

function requestItem(record: RequestRecord, texts: Texts): Html {
  const { text, isShortened } = bounded(record.description, maxText)
  const stars = record.stars === null ? null : texts.stars(record.stars)
  const facts = separated([texts.votes(record.votes), stars, record.status && texts.status(record.status)])
  const isWhole = !isShortened && !record.descriptionTruncated
  return html`<li><article><h3 dir="auto">${titled(record.title) || nothing}</h3>
${text === '' ? null : html`<p class="text" dir="auto">${text}${isWhole ? '' : html` <small>${texts.beginning}</small>`}</p>`}
<p class="origin">${facts} · ${origin(record, texts)}</p></article></li>
`
}

/** The requests of a shared wish on one platform. */
export interface SharedRequests {
  platform: PlatformName
  requests: number
  votes: number
  votesAre: string | null
  /** Those of the most voted ones that are here. */
  shown: RequestRecord[]
}

/** One platform's part of a page: its texts or, if its terms forbid that, links. */
export function platformSection({ platform, requests, votes, votesAre, shown }: SharedRequests, texts: Texts): Html {
  const { show, termsUrl } = publicPagesOf(platform)
  const title = platformTitle(platform)
  const facts = separated([
    texts.requests(requests),
    votesAre === null ? texts.votes(votes) : texts.votesOf(votes, votesAre),
    termsUrl === undefined ? null : link(termsUrl, texts.terms(title), platform),
  ])
  const items =
    show === 'texts'
      ? html`<ol>${shown.map((record) => requestItem(record, texts))}</ol>`
      : html`<p class="facts">${texts.onlyLinks(title)}</p>
<ol class="links">${shown.map(({ sourceUrl }, at) => html`<li>${link(sourceUrl, texts.post(at + 1), platform)}</li>`)}</ol>`
  return html`<section><h2>${title}</h2>
<p class="facts">${facts}</p>
${items}</section>
`
}
