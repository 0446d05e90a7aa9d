import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { readAllowedPosts } from '../allowed-posts.ts'
import { type Stratum, stratumOf } from './strata.ts'

/** Where the corpora are, and whether they are there. */
export const corpora = join(
  process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url)),
  'corpora',
)
export const hasCorpora: boolean = existsSync(corpora)

const labelsFile = fileURLToPath(new URL('forum-labels.jsonl', import.meta.url))

/**
 * `selected`: a post that was labelled because a model was unsure of it or took it for a wish, which no figure is taken from; `form`: a text of the
 * others in a form of an issue tracker (`forms.ts`); `written`: a text of this project (`written.ts`); corrections are those of people who use a
 * service (`labelled.ts`).
 */
export type Origin =
  | 'titanium'
  | 'chat'
  | 'forum'
  | 'selected'
  | 'unlabelled'
  | 'form'
  | 'writtenIssue'
  | 'writtenPost'
  | 'trackerCorrection'
  | 'socialCorrection'

/** A text with its label. */
export interface Example {
  origin: Origin
  /** A project, a chat channel or a subreddit: no group is in two folds. */
  group: string
  stratum: Stratum | undefined
  title: string
  text: string
  label: boolean
}

export interface ForumLabel {
  id: string
  stratum: Stratum
  first: boolean
  /** What the second reader said: only the posts of `sample.ts` have two. */
  second?: boolean
  label: boolean
}

// Never `readline`, which also ends a line at U+2028.
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const compressedText = (name: string) => gunzipSync(readFileSync(join(corpora, name))).toString('utf8')

export const readForumLabels = (): ForumLabel[] =>
  lines(readFileSync(labelsFile, 'utf8')).map((line) => JSON.parse(line))

const wishTypes = new Set(['New Feature', 'Improvement'])

/** Issues that are a wish or a bug report by their type. Stories, epics and parts of tasks are the team's own plans and are left out. */
export function readTitanium(): Example[] {
  const examples: Example[] = []
  for (const line of lines(compressedText('titanium-issues.jsonl.gz'))) {
    const { id, type, title, description } = JSON.parse(line)
    if (type !== 'Bug' && !wishTypes.has(type)) continue
    examples.push({
      origin: 'titanium',
      group: id.split('-')[0],
      stratum: undefined,
      title: title ?? '',
      text: description ?? '',
      label: wishTypes.has(type),
    })
  }
  return examples
}

/** Dialogues of chats: the first message is the title. */
export function readChats(): Example[] {
  const examples: Example[] = []
  for (const file of readdirSync(join(corpora, 'frminer')).sort()) {
    for (const line of lines(readFileSync(join(corpora, 'frminer', file), 'utf8'))) {
      const { comments, label } = JSON.parse(line) as { comments: { body: string }[]; label: string }
      const [first = '', ...more] = comments.map(({ body }) => body)
      const group = file.split('_')[0]!
      examples.push({
        origin: 'chat',
        group,
        stratum: undefined,
        title: first,
        text: more.join('\n'),
        label: label === 'feature',
      })
    }
  }
  return examples
}

function originOf(label: ForumLabel | undefined): Origin {
  if (label === undefined) return 'unlabelled'
  return label.second === undefined ? 'selected' : 'forum'
}

/** Labelled posts, and of the others those that are not reserved, with `label: false` for want of one. */
export function readForum(): Example[] {
  const labels = new Map(readForumLabels().map((label) => [label.id, label]))
  const examples: Example[] = []
  for (const line of readAllowedPosts(join(corpora, 'reddit-posts.jsonl.gz'))) {
    const { id, subreddit, title, text } = JSON.parse(line)
    const label = labels.get(id)
    examples.push({
      origin: originOf(label),
      group: subreddit,
      stratum: stratumOf(`${title}\n${text}`),
      title,
      text,
      label: label?.label ?? false,
    })
  }
  return examples
}
