import type { Budget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asId, asInteger, asName, type Fields } from '../../content/fields.ts'
import { requiredList } from '../../content/items.ts'
import { type PlatformError, SourceRefusedError } from '../../platform.ts'
import type { App } from './source.ts'

/** Searches for apps are known to allow about 20 calls a minute; the limit for reviews is unknown. */
export const storeWindows = [{ limit: 20, windowMs: 60_000 }]

export interface AppFacts {
  /** A job's source, such as `us/839285684`. */
  source: string
  name: string | null
  seller: string | null
  /** Ratings in this country, with or without a review. */
  ratings: number
}

export interface AppstoreCall {
  client: PlatformClient
  budget: Budget
  baseUrl: string
  signal: AbortSignal
}

const isApp = (item: Fields): boolean =>
  item.wrapperType === 'software' || /(?:^|-)software$/.test(String(item.kind ?? ''))

function factsOf(item: Fields, country: string): AppFacts {
  return {
    source: `${country}/${asId(item.trackId)}`,
    name: asName(item.trackName),
    seller: asName(item.sellerName) ?? asName(item.artistName),
    ratings: Math.max(0, asInteger(item.userRatingCount) ?? 0),
  }
}

/** Both endpoints of Apple's iTunes Search API answer `{resultCount, results}`, or 400 for an unknown country. */
async function ask(
  call: AppstoreCall,
  path: '/lookup' | '/search',
  query: Record<string, string | number>,
  readError: (answer: Answer) => PlatformError | null,
): Promise<Fields[]> {
  const { client, budget, baseUrl, signal } = call
  const url = endpointUrl(baseUrl, path, query)
  const { body } = await client.getJson({ platform: 'appstore', url, budget, signal, readError })
  const list = requiredList(asFields(body)?.results, {
    label: 'appstore',
    items: 'apps',
    variable: 'APPSTORE_API_URL',
  })
  return list.map(asFields).filter((item) => item !== null && isApp(item)) as Fields[]
}

/** Looks an app up. @param advice what to do if it is not there @throws SourceRefusedError if that country lacks it */
export async function lookUp(call: AppstoreCall, { country, id }: App, advice: string): Promise<AppFacts> {
  const absent = () => new SourceRefusedError(`appstore has no app ${id} in the country ${country}. ${advice}`)
  const isAbsent = ({ status }: Answer) => (status === 400 || status === 404 ? absent() : null)
  const apps = await ask(call, '/lookup', { id, country }, isAbsent)
  const found = apps.find(({ trackId }) => asId(trackId) === id) ?? apps[0]
  if (found === undefined) throw absent()
  return { ...factsOf(found, country), source: `${country}/${id}` }
}

/** Finds apps by words in name and seller, best match first. @param country two letters @param limit 1 to 200 */
export async function searchApps(
  call: AppstoreCall,
  { term, country, limit }: { term: string; country: string; limit: number },
): Promise<AppFacts[]> {
  const refused = ({ status }: Answer) =>
    status === 400 ? new SourceRefusedError(`appstore knows no country ${country}.`) : null
  const apps = await ask(call, '/search', { term, country, entity: 'software', limit }, refused)
  return apps.filter(({ trackId }) => asId(trackId) !== null).map((item) => factsOf(item, country))
}
