import { createTestClient, type TestClient } from '../test/client.ts'
import { createRandom } from './engines/corpus.ts'

/** A caller pauses so long after a call: an account may make 240 calls in any minute. */
const pauseMs = 260

export interface MixedLoad {
  url: string
  adminKey: string
  callers: number
  seconds: number
  /** The words of the searches. */
  words: readonly string[]
}

/** Accounts that make calls of every kind at the same time. @returns the number of successful calls of each kind, and the failures. */
export async function runMixedLoad({ url, adminKey, callers, seconds, words }: MixedLoad) {
  const calls = new Map<string, number>()
  const failed = new Map<string, number>()
  const admin = createTestClient(() => url, adminKey)
  const until = performance.now() + seconds * 1_000
  const caller = async (number: number) => {
    const { body } = await admin.post('/api/admin/accounts', { name: `caller ${number}`, tier: 'max' })
    const client = createTestClient(() => url, body.data.apiKey)
    const random = createRandom(number + 1)
    while (performance.now() < until) {
      const [kind, call] = nextCall(client, words, random)
      const { status } = await call
      const [counts, name] = status === 200 ? [calls, kind] : [failed, `${kind} ${status}`]
      counts.set(name, (counts.get(name) ?? 0) + 1)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)))
  return { calls: Object.fromEntries(calls), failed: Object.fromEntries(failed) }
}

/** Of a hundred calls 45 are searches, 25 lists, 14 of topics, 8 of usage, 5 exports and 3 start a job. */
function nextCall(
  client: TestClient,
  words: readonly string[],
  random: () => number,
): [string, ReturnType<TestClient['get']>] {
  const below = (count: number) => Math.floor(random() * count)
  const word = () => words[below(words.length)] ?? 'mode'
  const topic = () => encodeURIComponent(`topic ${below(500)}`)
  const share = below(100)
  if (share < 25) return ['search', client.search(word())]
  if (share < 35) return ['search', client.search(`${word()} ${word()} ${word()}`, { highlight: true })]
  if (share < 40) return ['search', client.search(word().slice(0, 3), { prefix: true, limit: 50 })]
  if (share < 45) return ['search', client.search(`${word()} ${word()}`, { sortBy: 'votes' })]
  if (share < 58) return ['list', client.get(`/api/v1/requests?limit=100&topic=${topic()}`)]
  if (share < 70) return ['list', client.get(`/api/v1/requests?limit=50&minVotes=${below(60)}&sortBy=votes`)]
  if (share < 78) return ['topics', client.get(`/api/v1/topics?query=${encodeURIComponent(word().slice(0, 2))}`)]
  if (share < 84) return ['topics', client.get(`/api/v1/topics/${topic()}`).then(allowMissing)]
  if (share < 92) return ['usage', client.get('/api/v1/usage?days=30')]
  if (share < 97) return ['export', client.get(`/api/v1/requests/export?format=csv&topic=${topic()}`)]
  // Few topics: once each was collected the database keeps its size.
  return ['scrape', client.scrape({ topic: words[below(20)] ?? 'mode', depth: 2 })]
}

/** A fresh database has no such topic. */
const allowMissing = <T extends { status: number }>(answer: T): T => ({
  ...answer,
  status: answer.status === 404 ? 200 : answer.status,
})
