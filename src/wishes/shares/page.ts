import type { PlatformName } from '../../database/column-types.ts'
import { Html, html } from '../../http/html.ts'
import { publicPagesOf, titleOf } from '../../platforms/registry.ts'
import type { RequestRecord } from '../../requests/record.ts'
import type { Period } from '../../requests/timeline.ts'
import type { RemovalContact } from '../../runtime/removal-contact.ts'
import { withoutUnseen } from '../../runtime/text/unseen.ts'
import type { SharedContent, SharedWish } from './content.ts'
import { style } from './style.ts'
import type { Texts } from './texts.ts'

/** So much of a text is shown: a quotation, with the way to the whole. */
const maxText = 600
const maxTitle = 300

const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu
/** More marks on one letter than any script needs, which would grow over the lines above. */
const markTowers = /(\p{M}{3})\p{M}+/gu

/** A text of anybody: nothing unseen, lines kept, at most so many characters. */
function bounded(text: string, maxLength: number): { text: string; isShortened: boolean } {
  // Cut first, since the rest may be long; with room for what is removed.
  const head = withoutUnseen(text.slice(0, maxLength * 4).toWellFormed())
    .replace(controls, (sign) => (sign === '\n' ? sign : ' '))
    .replace(/\n\s*\n/g, '\n\n')
    .replace(markTowers, '$1')
    .trim()
  const characters = [...head]
  const isShortened = characters.length > maxLength || text.length > maxLength * 4
  return { text: isShortened ? `${characters.slice(0, maxLength).join('').trimEnd()}…` : head, isShortened }
}

const titled = (text: string): string => bounded(text.replace(/\s+/g, ' '), maxTitle).text

const isWebAddress = (text: string | null): text is string => /^https?:$/.test(URL.parse(text ?? '')?.protocol ?? '')

/** A link away: its page does not learn from where, and search engines do not take it for a recommendation, unless the platform's attribution demands it. */
function link(url: string | null, text: string | Html, platform: PlatformName): Html {
  if (!isWebAddress(url)) return html`<span dir="auto">${text}</span>`
  const rel = publicPagesOf(platform).hasPlainLinks ? 'noopener' : 'noopener nofollow ugc'
  return html`<a href="${url}" rel="${rel}" dir="auto">${text}</a>`
}

/** The address of a licence of Creative Commons. */
function licenceUrl(licence: string): string | null {
  const [, kind, version] = /^CC (BY(?:-(?:SA|NC|ND))*) (\d\.\d)$/.exec(licence) ?? []
  return kind === undefined ? null : `https://creativecommons.org/licenses/${kind.toLowerCase()}/${version}/`
}

const separated = (parts: readonly (Html | string | null)[]): Html[] =>
  parts.filter((part) => part !== null).map((part, at) => html`${at === 0 ? '' : ' · '}${part}`)

const platformTitle = (platform: string): string => {
  try {
    return titleOf(platform)
  } catch {
    return platform
  }
}

/** Whose text it is, from when and where: what every platform asks of who shows it. */
function origin(record: RequestRecord, texts: Texts): Html[] {
  const platform = record.sourcePlatform as PlatformName
  const { authorName, authorHandle, authorProfileUrl, originalCreatedAt, sourceName, sourceUrl, license } = record
  const author = titled(authorName ?? authorHandle ?? texts.unknownAuthor)
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
  const facts = separated([texts.votes(record.votes), record.status === null ? null : texts.status(record.status)])
  const isWhole = !isShortened && !record.descriptionTruncated
  return html`<li><article><h3 dir="auto">${titled(record.title)}</h3>
${text === '' ? null : html`<p class="text" dir="auto">${text}${isWhole ? '' : html` <small>${texts.beginning}</small>`}</p>`}
<p class="origin">${facts} · ${origin(record, texts)}</p></article></li>
`
}

type SharedRequests = Extract<SharedContent, { kind: 'wish' }>['platforms'][number]

function platformSection({ platform, requests, votes, votesAre, shown }: SharedRequests, texts: Texts): Html {
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

const wishTitle = ({ titleFrom, platforms }: SharedWish, texts: Texts): string =>
  titleFrom === null ? texts.untitled(platforms.map(platformTitle).join(', ')) : titled(titleFrom.title)

const wishFacts = ({ votes, requestCount, platforms, status }: SharedWish, texts: Texts): Html[] =>
  separated([
    texts.votes(votes),
    texts.requests(requestCount),
    platforms.map(platformTitle).join(', '),
    status === null ? null : texts.status(status),
  ])

const markOf = ({ mark, note }: SharedWish, texts: Texts): Html =>
  html`${mark === null ? null : html`<p class="mark">${texts.mark(mark)}</p>`}
${note === '' ? null : html`<p class="note" dir="auto"><small>${texts.note}</small><br>${bounded(note, 2_000).text}</p>`}`

const wishItem = (
  wish: SharedWish,
  texts: Texts,
): Html => html`<li><article><h3 dir="auto">${wishTitle(wish, texts)}</h3>
<p class="facts">${wishFacts(wish, texts)}</p>
${markOf(wish, texts)}
${wish.titleFrom === null ? null : html`<p class="origin">${texts.titleFrom} ${origin(wish.titleFrom, texts)}</p>`}</article></li>
`

const wishList = (wishes: readonly SharedWish[], texts: Texts): Html =>
  wishes.length === 0 ? html`<p>${texts.noWishes}</p>` : html`<ol>${wishes.map((wish) => wishItem(wish, texts))}</ol>`

const maxHeight = 56

/** Bars of the periods. A single one says nothing that the dates do not. */
function timelineOf(periods: readonly Period[], texts: Texts): Html | null {
  if (periods.length < 2) return null
  const most = Math.max(...periods.map(({ requests }) => requests))
  const bars = periods.map(({ requests }, at) => {
    const height = Math.round((requests / most) * maxHeight)
    return html`<rect x="${at * 4}" y="${maxHeight - height}" width="3" height="${height}"/>`
  })
  const words = texts.timeline(periods[0]!.from, periods.at(-1)!.from, most)
  return html`<figure><svg role="img" aria-label="${words}" viewBox="0 0 ${periods.length * 4} ${maxHeight}" preserveAspectRatio="none">${bars}</svg>
<figcaption class="facts">${words}</figcaption></figure>`
}

interface Page {
  title: string
  body: Html
}

function wishPage(content: Extract<SharedContent, { kind: 'wish' }>, texts: Texts): Page {
  const { wish, statuses, timeline, platforms, hasMore } = content
  const title = wishTitle(wish, texts)
  const shown = platforms.reduce((sum, one) => sum + one.shown.length, 0)
  const counts = statuses.map(
    ({ status, requests }) =>
      html`${texts.requests(requests)} ${status === null ? texts.withoutStatus : texts.status(status)}`,
  )
  const body = html`<h1 dir="auto">${title}</h1>
<p class="facts">${wishFacts(wish, texts)}</p>
<p>${texts.asked(wish.firstAskedAt, wish.lastAskedAt)}</p>
${statuses.length > 1 ? html`<p class="facts">${separated(counts)}</p>` : null}
${markOf(wish, texts)}
${timelineOf(timeline, texts)}
${platforms.map((one) => platformSection(one, texts))}
${hasMore ? html`<p class="facts">${texts.mostVoted(shown)}</p>` : null}`
  return { title, body }
}

function topicPage({ topic, wishes }: Extract<SharedContent, { kind: 'topic' }>, texts: Texts): Page {
  const title = titled(topic.topic)
  const platforms = topic.platforms.map(
    ({ platform, requests }) => `${platformTitle(platform)} ${texts.requests(requests)}`,
  )
  const body = html`<p class="label">${texts.topic}</p><h1 dir="auto">${title}</h1>
<p class="facts">${separated([texts.votes(topic.votes), texts.requests(topic.requests)])}</p>
<p>${texts.posted(topic.growth)}</p>
<p class="facts">${separated(platforms)}</p>
${timelineOf(topic.timeline, texts)}
<h2>${texts.mostWanted}</h2>
${wishList(wishes, texts)}`
  return { title, body }
}

function listPage({ query, wishes }: Extract<SharedContent, { kind: 'view' }>, texts: Texts): Page {
  const title = query === null ? texts.list : texts.search(titled(query))
  return {
    title,
    body: html`<h1 dir="auto">${title}</h1>
${wishList(wishes, texts)}`,
  }
}

const pageOf = (content: SharedContent, texts: Texts): Page =>
  content.kind === 'wish'
    ? wishPage(content, texts)
    : content.kind === 'topic'
      ? topicPage(content, texts)
      : listPage(content, texts)

/** A whole document. */
const document = ({ title, body }: Page, footer: Html, { language }: Texts): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${title} · Wishwell</title>
<style>${new Html(style)}</style>
</head>
<body>
<header><p class="brand">Wishwell</p></header>
<main>
${body}
</main>
${footer}
</body>
</html>
`.text

interface Shown {
  content: SharedContent
  /** What its maker calls it. */
  title: string | null
  expiresAt: Date
  removalContact: RemovalContact | undefined
}

/** The page of a share. */
export function renderShare({ content, title, expiresAt, removalContact }: Shown, texts: Texts): string {
  const page = pageOf(content, texts)
  const named = title === null ? null : titled(title)
  const body = named === null ? page.body : html`<p class="label" dir="auto">${named}</p>${page.body}`
  const contact =
    removalContact === undefined
      ? null
      : html`<p>${texts.removal} <a href="${removalContact.href}">${removalContact.text}</a></p>`
  const footer = html`<footer><p>${texts.made}</p>
<p>${texts.until(expiresAt)}</p>${contact}</footer>`
  return document({ title: named ?? page.title, body }, footer, texts)
}

/** A page that says why nothing is shown. */
export const renderNotice = (notice: { title: string; sentence: string }, texts: Texts): string =>
  document({ title: notice.title, body: html`<h1>${notice.title}</h1><p>${notice.sentence}</p>` }, html``, texts)
