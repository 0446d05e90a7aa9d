import { type Answer, changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, mostFirst, votes } from '../finding.ts'
import nearMisses from '../near-misses.json' with { type: 'json' }
import { bearer, withParameter } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { canonicalText } from '../query.ts'
import written from './appstore.json' with { type: 'json' }
import { foundApp, jsonApp, jsonReview, reviewUrl, type SimulatedApp, xmlReview } from './appstore-item.ts'

const answers = readAnswers(written.answers)
const pageSize = 50
const maximumPages = 10

const apps: readonly SimulatedApp[] = [
  { country: 'us', id: 900000001, name: 'Larkspur Notes' },
  { country: 'de', id: 900000002, name: 'Larkspur Karten' },
]

/** A feed has no search: it has the reviews of these topics, the newest first. */
const topics = ['dark mode', 'quokka wallet']
const topicsOf = (corpus: Corpus): readonly string[] =>
  corpus.nearMissesBeside === undefined ? topics : nearMisses.map(({ topic }) => topic)

const recordsOf = ({ id }: SimulatedApp, topic: string, corpus: Corpus) =>
  corpus.records(`appstore/${id}`, canonicalText(topic))

/** All that the feed of an app has. What a test's corpus has beside a topic is the newest, so that a first page has it. */
function feedOf(app: SimulatedApp, parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const found = topicsOf(corpus).flatMap((topic) => recordsOf(app, topic, corpus))
  // Given records are of no topic.
  const each = [...new Map(found.map((record) => [record.id, record])).values()]
  const ordered = each.sort(mostFirst(parameters.get('sort') === 'top' ? votes : created))
  const isBeside = ({ isFoundByAnyWords = false }: CorpusRecord) => isFoundByAnyWords
  return [...ordered.filter(isBeside), ...ordered.filter((one) => !isBeside(one))].slice(0, pageSize * maximumPages)
}

/** The reviews of a topic, or of every one, that all feeds have. */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const topic = parameters.get('topic')
  return apps.flatMap((app) => {
    const ids = topic === null ? null : new Set(recordsOf(app, topic, corpus).map(({ id }) => id))
    return feedOf(app, parameters, corpus).filter(({ id }) => ids?.has(id) ?? true)
  })
}

const address =
  /^\/([a-z]{2})\/rss\/customerreviews\/(?:page=(\d+)\/id=(\d+)\/sortby=mostrecent|id=(\d+)\/sortby=mostrecent\/page=(\d+))\/(json|xml)$/i

/** What a page of reviews is asked for by; null for another address. */
function readAddress(path: string) {
  const [, country, page, id, otherId, otherPage, form] = address.exec(path) ?? []
  if (country === undefined) return null
  const isOther = otherPage !== undefined
  return { country, id: Number(id ?? otherId), page: Number(page ?? otherPage), isXml: form === 'xml', isOther }
}

const appOf = (country: string, id: number) => apps.find((app) => app.country === country && app.id === id)

/** Where the links around a page lead; the last page calls itself the next one. */
function linksOf(path: string, page: number, last: number): { rel: string; href: string }[] {
  const at = (number: number) => `https://itunes.apple.com${path.replace(/page=\d+/, `page=${number}`)}`
  const rels = { self: page, first: 1, last, previous: Math.max(1, page - 1), next: Math.min(page + 1, last) }
  return Object.entries(rels).map(([rel, number]) => ({ rel, href: at(number) }))
}

function reviews({ path, parameters }: SearchRequest, { corpus, behaviours }: SearchContext): Answer {
  const asked = readAddress(path)
  if (asked === null || asked.page < 1 || asked.page > maximumPages) return answers.refused()
  const { page, isXml, isOther } = asked
  const { empty } = behaviours.appstore
  const isEmpty = empty === 'all' || (empty === 'json' && !isXml) || (empty === 'usual' && !isXml && !isOther)
  const app = appOf(asked.country, asked.id)
  const all = app === undefined || isEmpty ? [] : feedOf(app, parameters, corpus)
  const found = all.slice((page - 1) * pageSize, page * pageSize)
  const links = linksOf(path, page, Math.max(1, Math.ceil(all.length / pageSize)))
  const self = links[0]!.href
  if (isXml) {
    const elements = links.map(({ rel, href }) => `<link rel="${rel}" href="${href}"/>`).join('')
    return answers.xml({ address: self, links: elements, entries: found.map((one) => xmlReview(one, app!)).join('') })
  }
  const entries = found.map((one) => jsonReview(one, app!))
  if (page === 1 && app?.country === 'de' && entries.length > 0) entries.unshift(jsonApp(app))
  // It is made of XML, where nobody knows that one element is a list.
  const entry = entries.length > 1 ? entries : entries[0]
  return answers.json({ entry, address: self, links: links.map((attributes) => ({ attributes })) })
}

/** `/lookup` and `/search`. */
function findApps({ path, parameters }: SearchRequest, { corpus }: SearchContext): Answer {
  const country = parameters.get('country') ?? 'us'
  if (!/^[a-z]{2}$/i.test(country)) return answers.wrongCountry()
  const term = canonicalText(parameters.get('term') ?? '')
  const isWanted = ({ id, name }: SimulatedApp) =>
    path === '/lookup' ? String(id) === parameters.get('id') : term !== '' && canonicalText(name).includes(term)
  const results = apps
    .filter((app) => app.country === country.toLowerCase() && isWanted(app))
    .map((app) => foundApp(app, feedOf(app, new URLSearchParams(), corpus).length))
  return answers.apps({ resultCount: results.length, results })
}

const isOfApps = ({ path }: SearchRequest): boolean => path === '/lookup' || path === '/search'

export const appstore: SimulatedPlatform = {
  environment: (url) => ({
    APPSTORE_API_URL: url,
    APPSTORE_APPS: apps.map(({ country, id }) => `${country}/${id}`).join(','),
  }),
  announces: 'nothing',
  credential: bearer,
  isAside: isOfApps,
  limit: () => ({ bucket: 'reviews', limit: 20, windowMs: 60_000 }),
  page: ({ path }) => readAddress(path)?.page ?? 0,
  find,
  search: (request, context) => (isOfApps(request) ? findApps(request, context) : reviews(request, context)),
  refuse: ({ form, seconds }) => answers.rateLimited({}, form === 'silent' ? {} : { 'retry-after': String(seconds) }),
  sayMore: (answer, { path }) => {
    const page = readAddress(path)?.page ?? 0
    const next = { rel: 'next', href: `https://itunes.apple.com${path.replace(/page=\d+/, `page=${page + 1}`)}` }
    if (!answer.body.startsWith('{')) return answer
    return changeBody(answer, ({ feed }) => ({ feed: { ...(feed as object), link: [{ attributes: next }] } }))
  },
  ignoring: {
    since: (request) => request,
    order: (request) => ({ ...request, parameters: withParameter(request.parameters, 'sort', 'top') }),
  },
  answers,
  plainSearch: (topic) => ({ topic }),
  sourceId: ({ id }) => String(id),
  sourceUrl: () => reviewUrl(apps[0]!),
}
