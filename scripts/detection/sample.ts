import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readAllowedPosts } from '../allowed-posts.ts'
import { type Stratum, stratumOf } from './strata.ts'

// Draws forum posts for labelling, by stratum, the same ones each time: one JSON object a line with id, stratum, forum, title and text.
//   node scripts/detection/sample.ts CORPUS.jsonl.gz > posts.jsonl

interface Post {
  id: string
  subreddit: string
  title: string
  text: string
}

/** How many posts of each stratum are drawn. */
const sizes: Record<Stratum, number> = { wishNearSoftware: 800, software: 700, any: 600 }

/** The order in which posts are drawn: random to the eye, and the same each time. */
const rankOf = (id: string) => createHash('sha256').update(`wishwell admin detection ${id}`).digest('hex')

const { positionals } = parseArgs({ allowPositionals: true })
const [corpus] = positionals
if (corpus === undefined) throw new Error('Name the corpus: node scripts/detection/sample.ts reddit-posts.jsonl.gz')

const drawn: Record<Stratum, { rank: string; post: Post }[]> = { wishNearSoftware: [], software: [], any: [] }
for (const line of readAllowedPosts(corpus)) {
  const { id, subreddit, title, text } = JSON.parse(line) as Post
  drawn[stratumOf(`${title}\n${text}`)].push({ rank: rankOf(id), post: { id, subreddit, title, text } })
}
for (const [stratum, size] of Object.entries(sizes) as [Stratum, number][]) {
  const chosen = drawn[stratum].sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, size)
  for (const { post } of chosen) console.log(JSON.stringify({ stratum, ...post }))
}
