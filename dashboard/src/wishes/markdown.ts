import type { WishDetail } from '../api/types.ts'
import { wishAddress } from '../shell/addresses.ts'
import { date, platformTitle } from '../shell/format.ts'
import { counts } from '../texts/counts.ts'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import type { IssueTracker } from './issue-trackers.ts'

/** Text of strangers as Markdown: nothing in it is markup, and no name notifies anybody. */
const plain = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/\s+/g, ' ')

/** Enough of a text to know what it asks for. */
const quotedLength = 500
const shownRequests = 20

function quote(text: string): string {
  const characters = [...text.trim()]
  return plain(characters.slice(0, quotedLength).join('')) + (characters.length > quotedLength ? ' …' : '')
}

/** A wish as Markdown, to be passed on: its public numbers, and who asks for it with where and in which words. What was imported is one's own. */
export function toMarkdown(wish: WishDetail): string {
  const { title, votes, requestCount, voices, status, firstAskedAt, lastAskedAt, members, wishId } = wish
  const facts = [
    counts.votes(votes),
    counts.requests(requestCount),
    ...(voices < requestCount ? [counts.voices(voices)] : []),
    ...(status === null ? [] : [texts.statusOf(status)]),
    texts.askedFromTo(date(firstAskedAt.slice(0, 10)), date(lastAskedAt.slice(0, 10))),
  ]
  const requests = members.results
    .filter(({ sourcePlatform }) => sourcePlatform !== 'import')
    .slice(0, shownRequests)
    .map((request) => {
      const { sourceUrl, sourcePlatform, authorName, authorHandle, license, description } = request
      const author = authorName ?? authorHandle
      const origin = [
        platformTitle(sourcePlatform),
        ...(author ? [plain(author)] : []),
        ...(request.originalCreatedAt ? [date(request.originalCreatedAt.slice(0, 10))] : []),
        counts.votes(request.votes),
        ...(license ? [license] : []),
      ]
      const link = /^https?:\/\/[^\s()<>]+$/i.test(sourceUrl)
        ? `[${plain(request.title)}](${sourceUrl})`
        : plain(request.title)
      return [`- ${link} (${origin.join(', ')})`, ...(description === '' ? [] : [`  > ${quote(description)}`])].join(
        '\n',
      )
    })
  const left = requestCount - requests.length
  return [
    `## ${plain(title)}`,
    '',
    facts.join(' · '),
    '',
    ...requests,
    ...(left > 0 ? ['', texts.andMore(left)] : []),
    '',
    `${location.origin}${wishAddress(wishId)}`,
    '',
  ].join('\n')
}

/** Browsers and servers refuse much longer addresses. */
const maxBody = 4_000

/**
 * The address of the form of a new issue, filled in; null while the project is not one.
 * Sources: docs.github.com "Creating an issue from a URL query", docs.gitlab.com "Create an issue using a URL with prefilled
 * values", linear.app/docs "Create issues: URL parameters".
 */
export function issueAddress(tracker: IssueTracker, project: string, wish: WishDetail): string | null {
  const name = project.trim()
  const body = [...toMarkdown(wish)].slice(0, maxBody).join('')
  const { title } = wish
  if (tracker === 'linear') {
    if (!/^[A-Za-z0-9]{1,20}$/.test(name)) return null
    return `https://linear.app/team/${name}/new?${new URLSearchParams({ title, description: body })}`
  }
  if (tracker === 'github') {
    if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name)) return null
    return `https://github.com/${name}/issues/new?${new URLSearchParams({ title, body })}`
  }
  // A group may be nested, and an instance of one's own begins with https.
  const match = /^(https:\/\/[\w.-]+(?::\d+)?\/)?([\w.-]+(?:\/[\w.-]+)+)$/.exec(name)
  if (match === null) return null
  const query = new URLSearchParams({ 'issue[title]': title, 'issue[description]': body })
  return `${match[1] ?? 'https://gitlab.com/'}${match[2]}/-/issues/new?${query}`
}
