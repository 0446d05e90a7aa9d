import type { SourceKind } from '../../definition.ts'

/** Names for many communities. */
const collections = new Set(['all', 'popular', 'friends', 'mod', 'random'])

/** A community. Reddit ignores case. */
export const redditSources: SourceKind = {
  form: 'r/name',
  example: 'r/obsidianmd',
  normalise(text) {
    const address = /^(?:(?:https?:\/\/)?(?:\w{2,3}\.)?reddit\.com)?\/?r\/([A-Za-z0-9]\w{1,20})(?:\/.*)?$/i
    const name = address.exec(text.trim())?.[1]?.toLowerCase()
    return name === undefined || collections.has(name) ? null : `r/${name}`
  },
}
