import type { Transaction } from '../../database/open.ts'
import { createTopicTest } from '../../platforms/about-topic.ts'
import { type FoundPage, prepareRequest } from './prepared-page.ts'

/** The descriptions of these requests that are stored whole. */
async function readWholeTexts(transaction: Transaction, platform: string, sourceIds: readonly string[]) {
  const rows = await transaction
    .selectFrom('requests')
    .select(['source_id', 'description'])
    .where('platform', '=', platform)
    .where('source_id', 'in', [...sourceIds])
    .where('excerpt', '=', false)
    .where('description', '<>', '')
    .execute()
  return new Map(rows.map(({ source_id, description }) => [source_id, description]))
}

/**
 * The page where no excerpt replaces a whole text: a search shows another part of the text for each topic. An incomplete request whose
 * stored text has the words of the topic is on topic.
 */
export async function withStoredTexts(transaction: Transaction, page: FoundPage): Promise<FoundPage> {
  const { platform, requests } = page
  const excerpts = requests.filter(({ request }) => request.excerpt).map(({ request }) => request.sourceId)
  if (excerpts.length === 0) return page
  const wholeTexts = await readWholeTexts(transaction, platform, excerpts)
  const isAbout = createTopicTest(page.topic)
  const completed = requests.map((prepared) => {
    const { request, relevance } = prepared
    const description = request.excerpt ? wholeTexts.get(request.sourceId) : undefined
    if (description === undefined) return prepared
    const whole = { ...request, description, excerpt: false }
    return prepareRequest(platform, whole, relevance === 'incomplete' && isAbout(whole) ? 'onTopic' : relevance)
  })
  return { ...page, requests: completed }
}
