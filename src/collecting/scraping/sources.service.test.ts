import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { verifyLedger } from '../../credits/verify.ts'
import { fetchRoundRobin } from '../../platforms/adapters/round-robin.ts'
import { PlatformError, SourceRefusedError } from '../../platforms/platform.ts'
import { testSourceKinds } from '../../platforms/sources/testing.ts'

// Holds (Jobs): a refused source starts, reserves and charges nothing
// Holds (Jobs): a job names the sources it did not reach, and the next one begins there
// Holds (Jobs): a job with sources makes no topic fresh, and no live call joins it
// Holds (Data): requests from unlisted sources are visible only to accounts that named them

// Takes seconds: each policy needs a service of its own.

/** What the scripted GitHub says of sources; a test may replace it. */
let verify: (source: string) => Promise<void>
const verified: string[] = []
let operatorSources = ['operator/repository']
/** What sources answer with instead of a page. */
const failing = new Map<string, PlatformError>()
const github = {
  ...scriptedPlatform('github', (_call, request) =>
    fetchRoundRobin({
      sources: request.sources ?? operatorSources,
      request,
      fetchFrom: async (source, cursor) => {
        const fault = failing.get(source)
        if (fault) throw fault
        const page = typeof cursor === 'number' ? cursor : 0
        const ownSource = request.sources ? source : null
        return {
          requests: [
            foundRequest(`${source}-${page}`, {
              ownSource,
              ...(source === 'un/dated' ? { originalCreatedAt: null } : {}),
            }),
          ],
          nextCursor: page < 2 ? page + 1 : null,
        }
      },
    }),
  ),
  verifySource: (source: string) => {
    verified.push(source)
    return verify(source)
  },
}
const hackernews = scriptedPlatform('hackernews', () => null)

let service: TestService
/** GitLab is off. */
const sourceKinds = new Map([...testSourceKinds, ['gitlab', testSourceKinds.get('github')!]])
const options = { platforms: platformMap(github, hackernews), sourceKinds }
beforeAll(async () => {
  service = await startTestService({ ...options, environment: { SOURCES: 'any' } })
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
  for (const list of [github.calls, hackernews.calls, verified]) list.length = 0
  verify = async () => {}
  operatorSources = ['operator/repository']
  failing.clear()
})
afterAll(() => service.stop())
verify = async () => {}

const scrape = (body: Record<string, unknown>, client = service.client) =>
  client.scrape({ topic: 'dark mode', ...body })
const scrapeWithKey = ({ client }: TestService, source: string) =>
  client.send('POST', '/api/v1/scrape', {
    headers: { 'content-type': 'application/json', 'idempotency-key': 'a-job-with-sources' },
    body: JSON.stringify({ topic: 'dark mode', sources: { github: [source] } }),
  })
/** Runs a job to its end. */
const collect = async (body: Record<string, unknown>, client = service.client) => {
  const { status, body: answer } = await scrape(body, client)
  expect([status, answer.error]).toEqual([200, undefined])
  return client.waitForJob(answer.data.jobId)
}
const jobCount = async () => (await service.client.get('/api/v1/scrape')).body.data.results.length
const usedCredits = async () => (await service.client.get('/api/v1/usage')).body.data.credits.used
const namedSources = async () => {
  const rows = await service.database.selectFrom('account_sources').select(['platform', 'source']).execute()
  return rows.map(({ platform, source }) => `${platform}:${source}`).sort()
}

describe('a job with sources', () => {
  it('collects from them alone, and says which it collected from', async () => {
    const { body } = await scrape({ sources: { github: ['Ada/Engine', 'ada/engine'] }, depth: 2 })
    const sources = { github: ['ada/engine'] }
    expect(body.data).toMatchObject({ platforms: ['github'], depth: 2, sources })
    expect(body.usage.credits.used).toBe(2)
    const job = await service.client.waitForJob(body.data.jobId)
    expect(job).toMatchObject({ status: 'completed', platforms: ['github'], sources })
    expect(job.sourcesNotReached).toBeUndefined()
    expect(github.calls.map((call) => call.sources)).toEqual([['ada/engine'], ['ada/engine']])
    expect(verified).toEqual(['ada/engine'])
    expect(await namedSources()).toEqual(['github:ada/engine'])
    expect((await service.client.get('/api/v1/scrape')).body.data.results[0].sources).toEqual(sources)
  })

  it('searches the sources of the operator on its other platforms', async () => {
    await collect({ sources: { github: ['ada/engine'] }, platforms: ['github', 'hackernews'] })
    expect([github.calls[0]!.sources, hackernews.calls[0]!.sources]).toEqual([['ada/engine'], undefined])
  })

  it('names the sources that its depth did not reach, and the next job of them begins there', async () => {
    const sources = { github: ['a/a', 'b/b', 'c/c'] }
    const first = await collect({ sources, depth: 2 })
    expect(first).toMatchObject({ status: 'completed', sources, sourcesNotReached: { github: ['c/c'] } })
    const second = await collect({ sources: { github: ['a/a', 'b/b', 'c/c'] }, depth: 1 })
    expect(second.sourcesNotReached).toEqual({ github: ['a/a', 'b/b'] })
    expect((await collect({ sources, depth: 3 })).sourcesNotReached).toBeUndefined()
    expect(github.calls.map((call) => call.pagesBefore)).toEqual([0, 0, 2, 3, 3, 3])
  })

  it.each([
    [3, 'its depth ends it'],
    [20, 'all others have ended'],
  ])(
    'says what some of several sources failed with, also those of the operator, when %i pages later %s',
    async (depth) => {
      operatorSources = ['a/a', 'b/b', 'c/c', 'd/d']
      failing.set('b/b', new SourceRefusedError('github (b/b) is gone. Check GITHUB_REPOSITORIES.'))
      failing.set('d/d', new SourceRefusedError('github (d/d) cannot be read.'))
      const message = 'github (b/b) is gone. Check GITHUB_REPOSITORIES. github (d/d) cannot be read.'
      for (const body of [{ platforms: ['github'] }, { sources: { github: operatorSources } }]) {
        const job = await collect({ ...body, depth })
        expect(job).toMatchObject({ status: 'completed', progress: { github: 'done' } })
        expect(job.errors).toEqual([{ platform: 'github', code: 'bad_response', message }])
      }
    },
  )

  it('counts the requests that have no date', async () => {
    const job = await collect({ sources: { github: ['un/dated', 'a/a'] }, depth: 3 })
    expect(job.tasks).toMatchObject([{ requestsFound: 3, discarded: {}, undated: 2 }])
  })

  it('does not make its topic fresh, and is counted apart from the jobs of the operator’s sources', async () => {
    await collect({ sources: { github: ['ada/engine'] } })
    expect(await service.database.selectFrom('platform_topics').selectAll().execute()).toEqual([])
    await collect({ platforms: ['github'] })
    expect(github.calls.map((call) => call.pagesBefore)).toEqual([0, 0])
    const [topic] = await service.database.selectFrom('platform_topics').select('pages').execute()
    expect(topic).toEqual({ pages: 1 })
  })

  it('is never joined by a live call, which collects from the sources of the operator', async () => {
    const gate = Promise.withResolvers<void>()
    const { fetchPage } = github
    let calls = 0
    github.fetchPage = async (request) => {
      calls += 1
      if (request.sources) await gate.promise
      return fetchPage(request)
    }
    const { body } = await scrape({ sources: { github: ['ada/engine'] } })
    await expect.poll(() => calls).toBe(1)
    const list = await service.client.get('/api/v1/requests?topic=dark+mode&source=realtime&platforms=github')
    gate.resolve()
    await service.client.waitForJob(body.data.jobId)
    github.fetchPage = fetchPage
    expect(list.status).toBe(200)
    expect(github.calls.map((call) => call.sources).sort()).toEqual([['ada/engine'], undefined])
  })

  it('belongs to its account: another one gets a 404', async () => {
    const other = await service.createAccount()
    const { jobId } = await collect({ sources: { github: ['ada/engine'] } })
    expect((await other.client.get(`/api/v1/scrape/${jobId}`)).status).toBe(404)
  })

  it('is repeated by its Idempotency-Key, which is free again after a refusal, and differs by its sources', async () => {
    const post = (source: string) => scrapeWithKey(service, source)
    verify = () => Promise.reject(new SourceRefusedError('Not yet.'))
    expect((await post('ada/late')).body.error.message).toBe('sources.github[0]: Not yet.')
    verify = async () => {}
    const first = await post('ada/key')
    expect(first.status).toBe(200)
    await service.client.waitForJob(first.body.data.jobId)
    expect((await post('ada/key')).text).toBe(first.text)
    expect((await post('ada/other')).status).toBe(422)
    expect(await jobCount()).toBe(1)
  })
})

describe('a refused source', () => {
  it.each([
    [{ hackernews: ['ask'] }, 'sources.hackernews'],
    [{ nowhere: ['x'] }, 'sources.nowhere'],
    [{ github: ['no repository'] }, 'sources.github[0]'],
    [{ github: [] }, 'sources.github'],
    [{ github: Array.from({ length: 11 }, (_, index) => `a/${index}`) }, 'sources.github'],
    [{ github: [`a/${'x'.repeat(300)}`] }, 'sources.github.0'],
    [{ github: 'ada/engine' }, 'sources.github'],
    [{}, 'sources'],
    [['ada/engine'], 'sources'],
  ])('is a 400 that says where: %j', async (sources, path) => {
    const { status, body } = await scrape({ sources })
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'INVALID_REQUEST', path])
    expect(verified).toEqual([])
  })

  it('starts, reserves and records nothing', async () => {
    verify = (source) =>
      source === 'a/public' ? Promise.resolve() : Promise.reject(new SourceRefusedError('Private.'))
    const { status, body } = await scrape({ sources: { github: ['a/public', 'a/private'] } })
    expect([status, body.error.details]).toEqual([400, [{ path: 'sources.github[1]', message: 'Private' }]])
    expect([await jobCount(), await usedCredits(), await namedSources()]).toEqual([0, 0, []])
  })

  it('is not charged either when the platform cannot answer now', async () => {
    verify = () => Promise.reject(new PlatformError('unavailable', 'GitHub answered 503.'))
    const { status, body } = await scrape({ sources: { github: ['a/silent'] } })
    expect([status, body.error.code, body.error.message]).toEqual([
      503,
      'UNAVAILABLE',
      'github cannot check a/silent now: GitHub answered 503. Try again later.',
    ])
    expect([await jobCount(), await usedCredits()]).toEqual([0, 0])
  })

  it('reserves nothing while it is being checked, and blocks no other call', async () => {
    const gate = Promise.withResolvers<void>()
    verify = () => gate.promise
    const call = scrape({ sources: { github: ['a/slow'] } })
    await expect.poll(() => verified).toEqual(['a/slow'])
    expect(await usedCredits()).toBe(0)
    gate.resolve()
    expect((await call).status).toBe(200)
    await expect
      .poll(async () => (await service.client.get('/api/v1/scrape?status=completed')).body.data.results)
      .toHaveLength(1)
  })

  it('on a platform that is off is not checked: the platform is skipped', async () => {
    const { body } = await scrape({ sources: { gitlab: ['ada/off'], github: ['ada/on'] } })
    const job = await service.client.waitForJob(body.data.jobId)
    expect(job.progress).toEqual({ gitlab: 'skipped', github: 'done' })
    expect([verified, await namedSources()]).toEqual([['ada/on'], ['github:ada/on']])
  })
})

describe('SOURCES', () => {
  const refusedAs = (source: string, platform: string, listed: string) =>
    `sources.${platform}[0]: ${source} is not listed: SOURCES=listed allows only sources of the operator, who lists ${listed} for ${platform}.`

  it('allows any source while there is one account, and only listed ones while there are several', async () => {
    const own = await startTestService(options)
    try {
      const start = (source: string) => own.client.scrape({ topic: 'dark mode', sources: { github: [source] } })
      const first = await scrapeWithKey(own, 'ada/one')
      expect(first.status).toBe(200)
      const { accountId } = await own.createAccount()
      const { status, body } = await start('ada/two')
      expect([status, body.error.message]).toEqual([400, refusedAs('ada/two', 'github', 'none')])
      // A repeated call gets the answer of the first one, although a new one would be refused.
      expect((await scrapeWithKey(own, 'ada/one')).text).toBe(first.text)
      const admin = own.clientFor(own.adminKey)
      expect((await admin.send('DELETE', `/api/admin/accounts/${accountId}`)).status).toBe(200)
      expect((await start('ada/two')).status).toBe(200)
    } finally {
      await own.stop()
    }
  })

  it('accepts listed sources without a check, and their requests are visible to all', async () => {
    const stackexchange = scriptedPlatform('stackexchange', (_call, { sources }) => ({
      requests: [foundRequest('7', { ownSource: sources![0]! })],
      nextCursor: null,
    }))
    const environment = { SOURCES: 'listed', STACKEXCHANGE_SITES: 'ux,meta' }
    const platforms = platformMap(github, hackernews, stackexchange)
    const own = await startTestService({ ...options, platforms, environment })
    try {
      const start = (site: string) => own.client.scrape({ topic: 'dark mode', sources: { stackexchange: [site] } })
      const { body } = await start('ux')
      await own.client.waitForJob(body.data.jobId)
      const rows = await own.database.selectFrom('requests').select('standing').execute()
      expect(rows).toEqual([{ standing: 2 }])
      expect((await start('superuser')).body.error.message).toBe(refusedAs('superuser', 'stackexchange', 'ux, meta'))
    } finally {
      await own.stop()
    }
  })
})

/** Stores unlisted requests of a source of GitHub, as a page of an account's source does. */
async function storeUnlisted(source: string, ids: readonly string[]): Promise<void> {
  await changeRequests(
    service.database,
    sql`
    with stored as (
      insert into requests (platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, confidence, standing)
      select 'github', id, id, '', 0, '{}', 'https://example.org/' || id, 'dark mode', now(), now(), 1, -1
      from unnest(${ids}::text[]) as id returning id)
    insert into request_sources (platform, source, request_id) select 'github', ${source}, id from stored`,
  )
}

/** What an account sees that others do not: the source ids of requests. */
async function ownViewOf(accountId: string): Promise<string[]> {
  const { rows } = await sql<{ source_id: string }>`
    select source_id from account_requests join requests on requests.id = request_id
    where account_id = ${accountId}::uuid order by source_id`.execute(service.database)
  return rows.map(({ source_id }) => source_id)
}

describe('unlisted requests', () => {
  it('become visible at once to an account that names their source, and to no other', async () => {
    const [naming, other] = [await service.createAccount(), await service.createAccount()]
    await storeUnlisted('ada/engine', ['1', '2'])
    await storeUnlisted('ada/secret-plans', ['3'])
    await collect({ sources: { github: ['ada/engine'] } }, naming.client)
    expect(await ownViewOf(naming.accountId)).toEqual(expect.arrayContaining(['1', '2']))
    expect(await ownViewOf(naming.accountId)).not.toContain('3')
    expect(await ownViewOf(other.accountId)).toEqual([])
    const shared = await service.database
      .selectFrom('requests')
      .select('standing')
      .where('source_id', 'in', ['1', '2', '3'])
    expect(await shared.distinct().execute()).toEqual([{ standing: -1 }])
  })

  it('of a large source become visible in slices', async () => {
    const { accountId, client } = await service.createAccount()
    const ids = Array.from({ length: 600 }, (_, index) => `many-${String(index).padStart(4, '0')}`)
    await storeUnlisted('ada/large', ids)
    await collect({ sources: { github: ['ada/large'] } }, client)
    expect((await ownViewOf(accountId)).length).toBeGreaterThanOrEqual(500)
    expect((await ownViewOf(accountId)).length).toBeLessThan(600)
    await service.runMaintenance()
    expect(await ownViewOf(accountId)).toEqual(expect.arrayContaining(ids))
  })

  it('are not visible by the sources of a deleted account', async () => {
    const { accountId, client } = await service.createAccount()
    await collect({ sources: { github: ['ada/engine'] } }, client)
    expect(await namedSources()).toEqual(['github:ada/engine'])
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${accountId}`)
    expect(await namedSources()).toEqual([])
  })
})
