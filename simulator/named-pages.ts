import type { Corpus, KnownRecord } from './corpus.ts'
import { forumNames } from './platforms/discourse-query.ts'
import { issueNumber } from './platforms/github-item.ts'
import { resolvedAt } from './records.ts'
import { escapeHtml } from './wire-text.ts'

// Under a name for each site, people read what the simulated platforms hold: `http://github.localhost:4681/…`. Names below `localhost` are
// this machine's (RFC 6761, 6.3), in browsers without any setting.

const escaped = (text: string) => escapeHtml(text, 'stackexchange')

/** The address of a site here. @param site its name without the top-level domain, as `github` or `meta.stackexchange`. */
export const siteUrl = (site: string, port: number): string => `http://${site}.localhost:${port}`

/** The site that a request names as its host; null for any other host. */
export const siteOf = (host: string | undefined): string | null =>
  /^([a-z0-9.-]+)\.localhost(?::\d+)?$/.exec(host ?? '')?.[1] ?? null

/** Whether the site has its API at its own address, as forums have. */
export const isForum = (site: string): boolean => (forumNames as readonly string[]).includes(site)

/** What the environment of the simulated platforms says otherwise: the addresses of sites that are no part of an answer. */
export const namedEnvironment = ({ DISCOURSE_URLS = '' }: Record<string, string>, port: number) => ({
  DISCOURSE_URLS: DISCOURSE_URLS.replace(/http:\/\/[^/]+\/discourse\/([a-z]+)/g, (_url, site) => siteUrl(site, port)),
  HACKERNEWS_WEB_URL: siteUrl('hackernews', port),
})

/** The sites of a body get their addresses here. Sites of the simulator end with `.com` and `.example`. */
export const withNames = (body: string, port: number): string =>
  body.replace(/https:\/\/([a-z0-9.-]+)\.(?:com|example)(?=[/"\\])/g, (_address, site: string) => siteUrl(site, port))

function platformOf(site: string): string {
  if (isForum(site)) return 'discourse'
  if (site === 'orchard') return 'lemmy'
  return /stack(?:exchange|overflow)$/.test(site) ? 'stackexchange' : site
}

/** Whether a number of an address is a record's: platforms number in their own ways. */
const hasNumber = ({ record }: KnownRecord, number: number) => [record.id, issueNumber(record)].includes(number)

const outcome = { completed: 'Done', not_planned: 'Declined', duplicate: 'Duplicate', stale: 'Closed', moved: 'Moved' }
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

function statusOf({ record }: KnownRecord): string {
  if (record.resolution === undefined) return record.tags.includes('planned') ? 'Planned' : 'Open'
  return `${outcome[record.resolution]}, ${dayOf(resolvedAt(record))}`
}

const frame = (site: string, title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
.note{opacity:.7;font-size:.875rem}
</style></head><body><p class="note">${escaped(site)}, simulated: this page belongs to the demo of Wishwell, and nobody wrote it.</p>${content}</body></html>`

/** The page of a record, or one that says that there is none. */
export function namedPage(corpus: Corpus, site: string, url: URL): { status: number; body: string } {
  const numbers = new Set((url.pathname + url.search).match(/\d+/g)?.map(Number) ?? [])
  const known = corpus.known(platformOf(site)).find((one) => [...numbers].some((number) => hasNumber(one, number)))
  if (known === undefined) return { status: 404, body: frame(site, 'Nothing here', '<h1>Nothing here</h1>') }
  const { title, body, author, votes, commentCount, createdAt, tags, product } = known.record
  const paragraphs = (body ?? '').split('\n\n').map((text) => `<p>${escaped(text)}</p>`)
  const facts = [
    `<dt>Status</dt><dd>${statusOf(known)}</dd>`,
    `<dt>Votes</dt><dd>${votes}</dd>`,
    `<dt>Comments</dt><dd>${commentCount}</dd>`,
    `<dt>Tags</dt><dd>${escaped(tags.join(', '))}</dd>`,
  ]
  const by = `<p class="note">${escaped(author?.name ?? 'somebody')}, ${dayOf(createdAt)}, about ${escaped(product)}</p>`
  const content = `<h1>${escaped(title)}</h1>${by}${paragraphs.join('')}<dl>${facts.join('')}</dl>`
  return { status: 200, body: frame(site, escaped(title), content) }
}
