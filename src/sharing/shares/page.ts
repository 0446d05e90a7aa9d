import { type Html, html } from '../../http/html.ts'
import { platformTitle } from '../../platforms/titles.ts'
import type { Period } from '../../requests/timeline.ts'
import type { RemovalContact } from '../../runtime/removal-contact.ts'
import { blocksOf } from '../briefs/blocks.ts'
import { briefBody, titleOf } from '../briefs/html.ts'
import { bounded, nothing, titled } from '../pages/bounded.ts'
import { htmlDocument } from '../pages/document.ts'
import { link, origin, platformSection, separated } from '../pages/posts.ts'
import { type Texts, textsFor } from '../pages/texts.ts'
import type { SharedContent, SharedWish } from './content.ts'

const wishTitle = ({ titleFrom, platforms }: SharedWish, texts: Texts): string =>
  titleFrom === null ? texts.untitled(platforms.map(platformTitle).join(', ')) : titled(titleFrom.title) || nothing

const wishFacts = ({ votes, requestCount, voices, platforms, status }: SharedWish, texts: Texts): Html[] =>
  separated([
    texts.votes(votes),
    texts.requests(requestCount),
    voices < requestCount ? texts.voices(voices) : null,
    platforms.map(platformTitle).join(', '),
    status === null ? null : texts.status(status),
  ])

const markOf = ({ mark, note }: SharedWish, texts: Texts): Html =>
  html`${mark === null ? null : html`<p class="mark">${texts.mark(mark)}</p>`}
${note === '' ? null : html`<p class="note" dir="auto"><small>${texts.note}</small><br>${bounded(note, 2_000).text}</p>`}`

/** The origin of a wish's title or, without one, a link to what is asked. */
const titleOrigin = (
  { titleFrom, topPost: { sourceUrl, sourcePlatform: platform } }: SharedWish,
  texts: Texts,
): Html =>
  titleFrom === null
    ? html`<p class="origin">${link(sourceUrl, texts.source(platformTitle(platform)), platform)}</p>`
    : html`<p class="origin">${texts.titleFrom} ${origin(titleFrom, texts)}</p>`

type Heading = 'h2' | 'h3'

const wishItem = (wish: SharedWish, heading: Heading, texts: Texts): Html =>
  html`<li><article><${heading} dir="auto">${wishTitle(wish, texts)}</${heading}>
<p class="facts">${wishFacts(wish, texts)}</p>
${markOf(wish, texts)}
${titleOrigin(wish, texts)}</article></li>
`

const wishList = (wishes: readonly SharedWish[], heading: Heading, texts: Texts): Html =>
  wishes.length === 0
    ? html`<p>${texts.noWishes}</p>`
    : html`<ol>${wishes.map((wish) => wishItem(wish, heading, texts))}</ol>`

const maxHeight = 56

/** Bars of the periods, unless there is only one. */
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
  const shown = platforms.flatMap((one) => one.shown)
  // Else nothing below names its origin.
  const isTitleShown = wish.titleFrom === null || shown.some(({ _id }) => _id === wish.titleFrom?._id)
  const counts = statuses.map(
    ({ status, requests }) =>
      html`${texts.requests(requests)} ${status === null ? texts.withoutStatus : texts.status(status)}`,
  )
  const body = html`<h1 dir="auto">${title}</h1>
<p class="facts">${wishFacts(wish, texts)}</p>
<p>${texts.asked(wish.firstAskedAt, wish.lastAskedAt)}</p>
${statuses.length > 1 ? html`<p class="facts">${separated(counts)}</p>` : null}
${isTitleShown ? null : titleOrigin(wish, texts)}
${markOf(wish, texts)}
${timelineOf(timeline, texts)}
${platforms.map((one) => platformSection(one, texts))}
${hasMore ? html`<p class="facts">${texts.mostVoted(shown.length)}</p>` : null}`
  return { title, body }
}

function topicPage({ topic, wishes }: Extract<SharedContent, { kind: 'topic' }>, texts: Texts): Page {
  const title = titled(topic.topic)
  const platforms = topic.platforms.map(
    ({ platform, requests }) => `${platformTitle(platform)}: ${texts.requests(requests)}`,
  )
  const body = html`<p class="label">${texts.topic}</p><h1 dir="auto">${title}</h1>
<p class="facts">${separated([texts.votes(topic.votes), texts.requests(topic.requests)])}</p>
<p>${texts.posted(topic.growth)}</p>
<p class="facts">${separated(platforms)}</p>
${timelineOf(topic.timeline, texts)}
<h2>${texts.mostWanted}</h2>
${wishList(wishes, 'h3', texts)}`
  return { title, body }
}

function listPage({ query, inPart, wishes, hasMore }: Extract<SharedContent, { kind: 'view' }>, texts: Texts): Page {
  const title = query === null ? texts.list : texts.search(titled(query))
  return {
    title,
    body: html`<h1 dir="auto">${title}</h1>
${wishList(wishes, 'h2', texts)}
${hasMore ? html`<p class="facts">${texts.firstWishes(wishes.length)}</p>` : null}
${inPart !== null && inPart.total > 0 ? html`<p class="facts">${texts.inPart(inPart.total, inPart.totalIsExact)}</p>` : null}`,
  }
}

function briefPage({ brief }: Extract<SharedContent, { kind: 'brief' }>): Page {
  const blocks = blocksOf(brief, { isShared: true })
  return { title: titleOf(blocks), body: briefBody(blocks) }
}

function pageOf(content: SharedContent, texts: Texts): Page {
  if (content.kind === 'brief') return briefPage(content)
  if (content.kind === 'wish') return wishPage(content, texts)
  return content.kind === 'topic' ? topicPage(content, texts) : listPage(content, texts)
}

const document = ({ title, body }: Page, footer: Html, { language }: Texts): string =>
  htmlDocument({
    title,
    language,
    body: html`<header><p class="brand">Wishwell</p></header>
<main>
${body}
</main>
${footer}`,
  })

interface Shown {
  content: SharedContent
  title: string | null
  expiresAt: Date
  removalContact: RemovalContact | undefined
}

/** Renders the page of a share. */
export function renderShare({ content, title, expiresAt, removalContact }: Shown, asked: Texts): string {
  const texts = content.kind === 'brief' ? textsFor('en') : asked
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
