import { describe, expect, it } from 'vitest'
import { detect } from '../src/requests/detection/detect.ts'
import { createCorpus } from './corpus.ts'
import { canonicalText } from './query.ts'
import { generateRecord, nastyIndexes } from './records.ts'
import { requestPhrases } from './vocabulary.ts'

const places = ['github', 'hackernews', 'stackexchange/meta', 'stackexchange/softwarerecs']
const indexes = Array.from({ length: 300 }, (_, index) => index)

function generate(place: string, topic: string, seed = 1) {
  return indexes.map((index) => generateRecord({ seed, place, topic, index }))
}

describe('generated records', () => {
  it('are the same for the same seed, place, topic and index', () => {
    expect(generate('github', 'dark mode')).toEqual(generate('github', 'dark mode'))
    expect(generate('github', 'dark mode', 2)).not.toEqual(generate('github', 'dark mode', 1))
  })

  it('have ids that are unique over places and topics', () => {
    const ids = places.flatMap((place) =>
      ['dark mode', 'offline', 'c++', '暗い'].flatMap((topic) => generate(place, topic).map((record) => record.id)),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.max(...ids)).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })

  it.each(places)('of %s all hold the topic and exactly one phrase of wishing', (place) => {
    for (const topic of ['dark mode', 'c++', 'node.js plugin', '暗い', '🎉']) {
      generate(place, topic).forEach((record, index) => {
        const text = canonicalText(`${record.title}\n${record.body ?? ''}`)
        expect(text).toContain(topic)
        const held = requestPhrases.filter((phrase) => text.includes(phrase.toLowerCase()))
        expect(held).toEqual([requestPhrases[index % requestPhrases.length]])
      })
    }
  })

  it.each([...places, 'lemmy', 'reddit', 'bluesky', 'youtube'])(
    'of %s are likely requests by their own texts',
    (place) => {
      for (const topic of ['dark mode', 'birds', 'c++', 'node.js plugin']) {
        for (const record of generate(place, topic).filter(({ kind }) => kind !== 'pull_request')) {
          const text = { title: record.title, description: record.body ?? '', platform: place, tags: [] }
          expect({ ...text, wish: detect(text).wish }).toEqual({ ...text, wish: 'likely' })
        }
      }
    },
  )

  it('hide what breaks naive parsers at fixed indexes', () => {
    const at = (index: number) => generateRecord({ seed: 1, place: 'github', topic: 'dark mode', index })
    expect(at(nastyIndexes.nullBody).body).toBeNull()
    expect(at(nastyIndexes.emptyBody).body).toBe('')
    expect(at(nastyIndexes.ghostAuthor).author).toBeNull()
    expect(at(nastyIndexes.pullRequest).kind).toBe('pull_request')
    expect(at(nastyIndexes.nul).body).toContain('\u0000')
    expect(at(nastyIndexes.loneSurrogate).body?.isWellFormed()).toBe(false)
    expect(Buffer.byteLength(at(nastyIndexes.veryLongBody).body ?? '')).toBeGreaterThan(64 * 1024)
    expect(at(nastyIndexes.negativeVotes).votes).toBeLessThan(0)
  })
})

describe('the corpus', () => {
  const options = { seed: 1, sizeOf: () => 20, given: () => undefined }

  it('gives the same records in whatever order topics are asked for', () => {
    const first = createCorpus(options)
    const second = createCorpus(options)
    second.records('github', 'offline')
    expect(first.records('github', 'dark mode')).toEqual(second.records('github', 'dark mode'))
  })

  it('raises all votes and nothing else', () => {
    const corpus = createCorpus(options)
    const before = corpus.records('github', 'dark mode')
    corpus.bumpVotes(5)
    const after = corpus.records('github', 'dark mode')
    expect(after).toEqual(before.map((record) => ({ ...record, votes: record.votes + 5 })))
  })
})
