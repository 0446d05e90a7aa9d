import { demoRecords, isNoise, sections } from '../simulator/demo-corpus/index.ts'
import { repository } from '../simulator/platforms/github-item.ts'
import type { Database } from '../src/database/open.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { foundRequest } from './scripted-platform.ts'

type DemoRecord = ReturnType<typeof demoRecords>[number]

/** The names of the sources as the adapters give them. */
function sourceNameOf({ place, record }: DemoRecord): string | null {
  const [platform, ...rest] = place.split('/')
  const name = rest.join('/')
  if (platform === 'github') return repository(record)
  if (platform === 'discourse') return `${name}.localhost: Ideas`
  if (platform === 'lemmy') return `!wishes@${name}.localhost`
  return platform === 'hackernews' ? null : name
}

const lines = sections.flatMap(({ texts }) => texts)

/** Stores the wishes of the demo. @returns the ids of the requests, by the title that its section gives each. */
export async function storeDemo(database: Database): Promise<Map<string, string>> {
  const all = demoRecords(new Date('2026-06-15T12:00:00.000Z')).map((found, index) => ({
    ...found,
    line: lines[index]!,
  }))
  const wishes = all.filter(({ record }) => !isNoise(record))
  for (const [platform, found] of Map.groupBy(wishes, ({ place }) => place.split('/')[0]!)) {
    const requests = found.map((demo) => {
      const { id, title, body } = demo.record
      const rest = { description: body ?? '', tags: [], confidence: 1, sourceName: sourceNameOf(demo) }
      return foundRequest(String(id), { title, ...rest })
    })
    const page = await preparePage(platform, { requests }, null)
    const about = { platform, topic: 'demo', jobId: null, now: new Date(), markSeenBefore: null }
    await storePageAlone(database, { ...page, ...about })
  }
  const rows = await database.selectFrom('requests').select(['id', 'platform', 'source_id']).execute()
  const ids = new Map(rows.map(({ id, platform, source_id }) => [`${platform} ${source_id}`, id]))
  return new Map(
    wishes.map(({ place, record, line }) => [line.split(' | ')[0]!, ids.get(`${place.split('/')[0]} ${record.id}`)!]),
  )
}
