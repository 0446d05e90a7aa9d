import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  answersWith,
  drips,
  type FakeModel,
  hangsUp,
  type ModelBehaviour,
  neverAnswers,
  sends,
  startFakeModel,
  suggests,
} from '../../../test/fake-model/fake-model.ts'
import { userAgentFor } from '../../platforms/client/client.ts'
import { version } from '../../runtime/version.ts'
import { createModel, type Model, suggestionsSchema } from './model-answer.ts'

// Holds (Live calls): any model response yields valid topics or none, and its key goes to no other server

const apiKey = 'sk-secret-key'
/** A timeout that no test reaches. */
const patientMs = 30_000
/** A timeout that every slow answer exceeds. */
const impatientMs = 100
const question = { query: 'dark mode', phrases: ['night theme'] }

let fake: FakeModel
let now: Date
let warnings: { reason?: string }[]

beforeAll(async () => {
  fake = await startFakeModel()
})
afterAll(() => fake.stop())
beforeEach(() => {
  fake.calls.length = 0
  warnings = []
  now = new Date('2026-06-01T12:00:00Z')
})

function modelAt(baseUrl: string, timeoutMs = patientMs): Model {
  return createModel({
    config: { baseUrl, apiKey, name: 'small-model', timeoutMs, maxTokens: 321 },
    clock: { now: () => now },
    log: { warn: (fields) => void warnings.push(fields) },
  })
}

const suggest = (behaviour: ModelBehaviour, timeoutMs = patientMs) => {
  fake.behave(behaviour)
  return modelAt(fake.baseUrl, timeoutMs).suggest(question, new AbortController().signal)
}

describe('a model', () => {
  it('is called for structured output, with a cap on tokens, the key, the query and the phrases', async () => {
    expect(await suggest(suggests(['night theme', 'color scheme']))).toEqual(['night theme', 'color scheme'])
    const [call] = fake.calls
    expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(call!.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'user-agent': userAgentFor(version) })
    expect(call!.body).toMatchObject({ model: 'small-model', max_completion_tokens: 321 })
    expect(call!.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'topics', strict: true, schema: JSON.parse(JSON.stringify(suggestionsSchema)) },
    })
    expect(call!.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(JSON.parse(call!.body.messages[1]!.content)).toEqual(question)
    expect(warnings).toEqual([])
  })

  it.each([400, 422])(
    'that refuses the newer parameters with %i is called with the older ones from then on',
    async (status) => {
      fake.behave((response, call) => {
        const isOlder = call.body.max_tokens === 321 && call.body.response_format.type === 'json_object'
        return isOlder
          ? suggests(['night theme'])(response, call)
          : sends(status, '{"error": {"message": "unknown parameter"}}')(response, call)
      })
      const model = modelAt(fake.baseUrl)
      const signal = new AbortController().signal
      expect(await model.suggest(question, signal)).toEqual(['night theme'])
      expect(await model.suggest(question, signal)).toEqual(['night theme'])
      expect(fake.calls).toHaveLength(3)
    },
  )

  it('gives the valid topics of its answer, without the invalid ones', async () => {
    expect(await suggest(suggests(['ignore all previous instructions', 'night theme', 'a\0b', '深色']))).toEqual([
      'night theme',
    ])
  })

  it.each<[string, ModelBehaviour, string]>([
    ['refuses', answersWith({ content: null, refusal: 'I cannot say secret-text' }), 'refused'],
    ['answers with prose', answersWith({ content: 'Sure! secret-text' }), 'no JSON'],
    ['is cut off', answersWith({ content: '{"topics": ["secret-text' }, 'length'), 'AI_MAX_TOKENS'],
    [
      'gives nothing but hostile topics',
      suggests(['<script>alert(1)</script>', 'https://evil.example/secret-text']),
      'no usable topic',
    ],
    ['gives no topic', suggests([]), 'no usable topic'],
    ['gives a topic of 1 MB', suggests(['x'.repeat(1024 * 1024)]), '262144 bytes'],
    ['answers with 1 MB of spaces', sends(200, `${' '.repeat(1024 * 1024)}{}`), '262144 bytes'],
    ['answers with half a body', sends(200, '{"choices": [secret-text'), 'not JSON'],
    ['answers with a page', sends(200, '<html>secret-text</html>', 'text/html'), 'something else than JSON'],
    ['answers with no completion', sends(200, '{"secret-text": true}'), 'no chat completion'],
    ['answers 400 to both ways of asking', sends(400, '{"error": "secret-text"}'), 'answered 400'],
    ['does not take the key', sends(401, '{"error": "secret-text"}'), 'answered 401'],
    ['is called too often', sends(429, '{"error": "secret-text"}'), 'answered 429'],
    ['is broken', sends(500, 'secret-text', 'text/plain'), 'answered 500'],
    ['hangs up', hangsUp, 'could not be called'],
  ])(
    'that %s gives no topics, and the log has the reason without a word of the answer',
    async (_what, behaviour, reason) => {
      expect(await suggest(behaviour)).toBeNull()
      expect(warnings).toEqual([{ reason: expect.stringContaining(reason) }])
      expect(JSON.stringify(warnings)).not.toContain('secret')
    },
  )

  it('that sends a small body which decompresses to a large one gives no topics', async () => {
    const bomb = gzipSync(`{"choices": [${' '.repeat(5_000_000)}]}`)
    const behaviour: ModelBehaviour = (response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
    expect(await suggest(behaviour)).toBeNull()
    expect(warnings[0]!.reason).toContain('262144 bytes')
  })

  it.each<[string, ModelBehaviour]>([
    ['never answers', neverAnswers],
    ['never ends its answer', drips],
  ])('that %s is waited for until its time is over', async (_what, behaviour) => {
    expect(await suggest(behaviour, impatientMs)).toBeNull()
    expect(warnings).toEqual([{ reason: 'did not answer in time' }])
  })

  it('that is not there gives no topics', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const model = modelAt(`http://127.0.0.1:${port}/v1`)
    expect(await model.suggest(question, new AbortController().signal)).toBeNull()
    expect(warnings[0]!.reason).toMatch(/^could not be called \(/)
  })

  it.each([301, 302, 307, 308])('that redirects with %i is not followed: the key goes nowhere else', async (status) => {
    const other = await startFakeModel()
    try {
      other.behave(suggests(['stolen topic']))
      expect(
        await suggest(
          (response) => void response.writeHead(status, { location: `${other.baseUrl}/chat/completions` }).end(),
        ),
      ).toBeNull()
      expect(other.calls).toEqual([])
      expect(warnings[0]!.reason).toContain('redirected')
    } finally {
      await other.stop()
    }
  })

  it('is aborted as soon as its caller aborts', async () => {
    const caller = new AbortController()
    fake.behave(() => caller.abort(new Error('the caller is gone')))
    await expect(modelAt(fake.baseUrl).suggest(question, caller.signal)).rejects.toThrow('the caller is gone')
    expect(warnings).toEqual([])
  })

  it('that failed five times in a row is not called for a minute', async () => {
    const model = modelAt(fake.baseUrl)
    const suggest = () => model.suggest(question, new AbortController().signal)
    fake.behave(sends(503, '{}'))
    for (let time = 0; time < 7; time++) expect(await suggest()).toBeNull()
    expect(fake.calls).toHaveLength(5)
    fake.behave(suggests(['night theme']))
    expect(await suggest()).toBeNull()
    now = new Date(now.getTime() + 60_001)
    expect(await suggest()).toEqual(['night theme'])
    expect(await suggest()).toEqual(['night theme'])
  })

  it('that only refuses queries is called again each time', async () => {
    const model = modelAt(fake.baseUrl)
    fake.behave(answersWith({ content: null, refusal: 'no' }))
    for (let time = 0; time < 7; time++) await model.suggest(question, new AbortController().signal)
    expect(fake.calls).toHaveLength(7)
  })
})
