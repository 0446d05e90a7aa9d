import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from './service.ts'

// Holds (Platforms): adapters read what platforms really send

// Takes seconds: every recorded item is collected and searched.

// Recorded answers of the platforms, served to the running service: job, stored requests and search, end to end.

const shared = process.env.WISHWELL_SHARED ?? resolve(import.meta.dirname, '../../shared')
const recorded = join(shared, 'recorded')
const isPresent = existsSync(recorded)
if (!isPresent) console.log(`skipped: no recordings in ${recorded} (set WISHWELL_SHARED to the folder that holds them)`)

// biome-ignore lint/suspicious/noExplicitAny: a recording has whatever its platform sent.
type Raw = any

const hopByHop = new Set(['content-length', 'content-encoding', 'connection', 'transfer-encoding', 'keep-alive'])

const topic = 'recorded topic'

/** The same body, with the words of the topic in every item: other items are not stored. */
function aboutTheTopic(text: string): string {
  const body = JSON.parse(text) as Raw
  for (const item of body.items ?? body.hits) {
    const field = ['title', 'story_title', 'body'].find((name) => item[name])
    if (field !== undefined) item[field] += ` ${topic}`
  }
  return JSON.stringify(body)
}

/** The recorded successes of a platform, in the order of their names. */
function successes(platform: string) {
  const folder = join(recorded, platform)
  const names = readdirSync(folder).filter((name) => /^(search|questions).*(?<!\.headers)\.json$/.test(name))
  return names.sort().map((name) => {
    const text = aboutTheTopic(readFileSync(join(folder, name), 'utf8'))
    const headersFile = join(folder, name.replace('.json', '.headers.json'))
    const headers = existsSync(headersFile) ? JSON.parse(readFileSync(headersFile, 'utf8')).headers : {}
    return {
      name,
      text,
      headers: Object.fromEntries(Object.entries(headers).filter(([key]) => !hopByHop.has(key.toLowerCase()))),
    }
  })
}

/** Serves the n-th recording of a platform to its n-th call, and what ends a search after the last. */
function startReplay(): Promise<Server> {
  const calls = { github: 0, hackernews: 0, stackexchange: 0 }
  const ends = {
    github: '{"total_count":0,"items":[]}',
    hackernews: '{"hits":[],"nbPages":0,"page":0}',
    stackexchange: '{"items":[],"has_more":false}',
  }
  const answer = (platform: keyof typeof calls, response: ServerResponse) => {
    const recording = successes(platform)[calls[platform]++]
    // Whatever the recording says, there is a next page as long as there is a recording for it.
    const more = successes(platform).length > calls[platform]
    const link =
      platform === 'github' && more ? { link: '<https://api.github.com/search/issues?page=2>; rel="next"' } : {}
    response.writeHead(200, {
      'content-type': 'application/json',
      ...recording?.headers,
      ...link,
      'content-encoding': 'gzip',
    })
    response.end(gzipSync(recording?.text ?? ends[platform]))
  }
  const server = createServer((request, response) => answer(request.url?.split('/')[1] as keyof typeof calls, response))
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)))
}

const iso = (date: string | number) => new Date(typeof date === 'number' ? date * 1000 : date).toISOString()
const decode = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
/** Hacker News shows long addresses cut short; they are stored whole. */
const withWholeLinks = (html: string) =>
  html.replace(/<a href="([^"]*)"[^>]*>[^<]*\.\.\.<\/a>/g, (_, address) => ` ${address} `)
/** White space reads as single spaces in a title. */
const oneLine = (title: string) => title.replace(/\s+/g, ' ').trim()
const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** What each recorded item must have become, computed from the raw answer alone. */
function expectedRecords(): { raw: Raw; body: string; record: Record<string, unknown> }[] {
  const items = (platform: string, list: string) =>
    successes(platform).flatMap(({ text }) => JSON.parse(text)[list] as Raw[])
  const isIssue = (raw: Raw) => !Object.values(raw.pull_request ?? {}).some((value) => value !== null)
  const github = items('github', 'items')
    .filter(isIssue)
    .map((raw) => ({
      raw,
      body: raw.body ?? '',
      record: {
        sourcePlatform: 'github',
        sourceUrl: raw.html_url,
        title: oneLine(raw.title),
        votes: raw.reactions?.['+1'] ?? 0,
        tags: raw.labels.map((label: Raw) => label.name),
        commentCount: raw.comments,
        authorName: null,
        authorHandle: raw.user?.login ?? null,
        authorProfileUrl: raw.user?.html_url ?? null,
        license: null,
        originalCreatedAt: iso(raw.created_at),
      },
    }))
  const hackernews = items('hackernews', 'hits').map((raw) => ({
    raw,
    body: withWholeLinks(raw.story_text ?? raw.comment_text ?? ''),
    record: {
      sourcePlatform: 'hackernews',
      sourceUrl: `https://news.ycombinator.com/item?id=${raw.objectID}`,
      title: oneLine(raw.title ?? raw.story_title),
      votes: raw.points ?? 0,
      commentCount: raw.num_comments ?? null,
      tags: raw._tags.filter((tag: string) => /^(ask|show)_hn$/.test(tag)),
      ...{
        authorHandle: raw.author,
        authorProfileUrl: `https://news.ycombinator.com/user?id=${raw.author}`,
        license: null,
      },
      originalCreatedAt: iso(raw.created_at),
    },
  }))
  const stackexchange = items('stackexchange', 'items').map((raw) => ({
    raw,
    body: raw.body ?? '',
    record: {
      sourcePlatform: 'stackexchange',
      votes: raw.score,
      tags: raw.tags,
      license: raw.content_license ?? null,
      // An anonymised recording has no real address; ours is made from the site and the id then.
      ...(/^https?:/.test(raw.link ?? '') ? { sourceUrl: raw.link } : {}),
      ...(raw.title ? { title: oneLine(decode(raw.title)) } : {}),
      ...(raw.owner?.display_name ? { authorName: decode(raw.owner.display_name) } : {}),
      commentCount: raw.comment_count ?? raw.answer_count ?? null,
      originalCreatedAt: iso(raw.creation_date),
    },
  }))
  // An item with neither title nor text, as anonymised recordings have, is not stored.
  const hasText = ({ body, record }: { body: string; record: { title?: string } }) => (record.title ?? '') + body !== ''
  return [...github, ...hackernews, ...stackexchange].filter(hasText)
}

describe.skipIf(!isPresent)('recorded answers, end to end', () => {
  let service: TestService
  let replay: Server
  let results: Raw[]
  let job: Raw
  beforeAll(async () => {
    replay = await startReplay()
    const base = `http://127.0.0.1:${(replay.address() as AddressInfo).port}`
    service = await startTestService({
      environment: {
        GITHUB_API_URL: `${base}/github`,
        HACKERNEWS_API_URL: `${base}/hackernews`,
        STACKEXCHANGE_API_URL: `${base}/stackexchange`,
      },
    })
    const { body } = await service.client.scrape({ topic, depth: 8 })
    job = await service.client.waitForJob(body.data.jobId)
    results = (await service.client.get(`/api/v1/requests?jobId=${job.jobId}&limit=100&fullText=true&include=all`)).body
      .data.results
  })
  afterAll(async () => {
    await service.stop()
    replay.close()
  })

  it('every platform is done, and every item is stored once', () => {
    expect(job).toMatchObject({
      status: 'completed',
      progress: { github: 'done', hackernews: 'done', stackexchange: 'done' },
    })
    const expected = new Set(expectedRecords().map(({ raw }) => raw.html_url ?? raw.objectID ?? raw.question_id))
    // It counts the likely ones.
    expect(job.requestsCreated).toBe(results.filter(({ likelihood }: Raw) => likelihood === 'likely').length)
    expect(results).toHaveLength(expected.size)
  })

  it('every field is as in the recording, and the search finds each by its title', async () => {
    for (const { record, body } of expectedRecords()) {
      const url = record.sourceUrl ?? expect.anything()
      const stored = results.find((result) =>
        record.sourceUrl ? result.sourceUrl === url : result.originalCreatedAt === record.originalCreatedAt,
      )
      expect(stored).toMatchObject({ ...record, topic, topics: [topic] })
      const bodyWords = new Set(words(decode(body.replace(/&#x27;/g, "'").replace(/&#x2F;/g, '/'))))
      const unknown = words(stored.description).filter((word) => !bodyWords.has(word))
      expect(unknown).toEqual([])
      // Addresses of links and images, and the names of tags, are not text; everything else is.
      const text = body
        .replace(/```\w*/g, ' ')
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, ' $1 ')
        .replace(/<[^>]*>/g, ' ')
        .replace(/<!--.*?-->/gs, ' ')
      const storedWords = new Set(words(stored.description))
      const missing = words(decode(text.replace(/&#x27;/g, "'").replace(/&#x2F;/g, '/'))).filter(
        (word) => !storedWords.has(word),
      )
      expect(missing).toEqual([])
      expect(stored.description === '').toBe(words(body.replace(/<[^>]*>/g, '')).length === 0)
      if (words(stored.title).length === 0) continue
      const { body: answer } = await service.client.search(stored.title.slice(0, 500), {
        limit: 100,
        fullText: true,
        filters: { include: 'all' },
      })
      expect(answer.data.results).toContainEqual(stored)
    }
  })
})
