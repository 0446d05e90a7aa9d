import { type Answer, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, mostFirst, votes } from '../finding.ts'
import nearMisses from '../near-misses.json' with { type: 'json' }
import { bearer, withParameter } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { canonicalText } from '../query.ts'
import written from './rss.json' with { type: 'json' }
import { type FeedForm, feedItem, itemUrl } from './rss-item.ts'

const answers = readAnswers(written.answers)

/** Each is a feed of its own, in a form of its own. */
const feeds: Record<string, FeedForm> = { '/news.xml': 'rss', '/ideas.atom': 'atom', '/log.json': 'json' }
const forms = Object.values(feeds)

/** A feed has no search: it has the wishes of these topics, one after the other. */
const topics = ['dark mode', 'quokka wallet']

/** Of a corpus that has what is beside a topic, a feed has every topic that has something beside it. */
const topicsOf = (corpus: Corpus): readonly string[] =>
  corpus.nearMissesBeside === undefined ? topics : nearMisses.map(({ topic }) => topic)

/** The wishes of a topic in all feeds, or in one; without a topic of every topic. */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const topic = parameters.get('topic')
  const form = parameters.get('feed')
  const wanted = topic === null ? topicsOf(corpus) : [topic]
  const found = (form === null ? forms : [form]).flatMap((one) =>
    wanted.flatMap((text) => corpus.records(`rss/${one}`, canonicalText(text))),
  )
  // Given records are of no topic.
  const each = [...new Map(found.map((record) => [record.id, record])).values()]
  return each.sort(mostFirst(parameters.get('sort') === 'top' ? votes : created))
}

function search({ parameters, path }: SearchRequest, { corpus }: SearchContext): Answer {
  const form = feeds[path]
  if (path === '/members.xml') return answers.page()
  if (path === '/ended.xml') return answers.ended()
  if (form === undefined) return answers.absent()
  const items = find(withParameter(parameters, 'feed', form), corpus).map((record) => feedItem(record, form))
  return answers[form]({ items: form === 'json' ? items : items.join('\n') })
}

export const rss: SimulatedPlatform = {
  environment: (url) => ({
    RSS_URLS: Object.keys(feeds)
      .map((path) => `${url}${path}`)
      .join(','),
  }),
  announces: 'nothing',
  credential: bearer,
  // Of a proxy that takes a reader for a robot.
  limit: ({ path }) => ({ bucket: path, limit: 60, windowMs: 60_000 }),
  page: () => 1,
  find,
  search,
  refuse: ({ form, seconds }) => answers.rateLimited({}, form === 'silent' ? {} : { 'retry-after': String(seconds) }),
  // It has nothing to say it by that a reader follows.
  sayMore: (answer) => answer,
  ignoring: {
    since: (request) => request,
    order: (request) => ({ ...request, parameters: withParameter(request.parameters, 'sort', 'top') }),
  },
  answers,
  plainSearch: (topic) => ({ topic }),
  sourceId: ({ id }) => `wish-${id}`,
  sourceUrl: (record) => itemUrl(record, 'rss'),
}
