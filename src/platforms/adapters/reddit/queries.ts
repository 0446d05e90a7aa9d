import { asFields, asString, type Fields } from '../../content/fields.ts'
import { quotedWords } from '../../topic-words.ts'
import { wishPhrases } from '../wish-phrases.ts'

/** Maximum characters of `q` (reddit.com/dev/api, "search"). */
const queryLimit = 512
const flairOperator = 'flair:"feature request"'
/** A flair is a community's label for a post. Communities without a wish flair are searched by these phrases. */
const wishes = `(${flairOperator} OR ${wishPhrases.map((phrase) => `"${phrase}"`).join(' OR ')})`
const wishFlair = /feature|request|suggestion|idea|wish|feedback/i
/** Fewer posts prove nothing. */
const provingPosts = 5

/**
 * `grouped` is one query with operators. Whether today's search obeys `flair:` and OR in parentheses (fields of 2017)
 * is unknown, so there are plain queries too.
 */
export const groupedForm = 'grouped'
export const flairForm = 'flair'
export const plainForms: readonly string[] = [wishPhrases[0], flairForm, ...wishPhrases.slice(1)]

/** Builds the grouped query. @returns null if the topic has no words */
export const redditQuery = (topic: string): string | null => redditQueryOf(groupedForm, topic)

/** @returns null if the topic has no words */
export function redditQueryOf(form: string, topic: string): string | null {
  const wish = form === groupedForm ? wishes : form === flairForm ? flairOperator : `"${form}"`
  const words = quotedWords(topic, queryLimit - wish.length - 1)
  return words === '' ? null : `${words} ${wish}`
}

/** Whether Reddit read operators as text: most posts have no wish flair, nor, except for the flair query, a phrase. */
export function ignoresOperators(form: string, children: unknown[]): boolean {
  const posts = children.map((child) => asFields(asFields(child)?.data)).filter((post) => post !== null)
  const fitting = posts.filter((post) =>
    form === flairForm ? hasWishFlair(post) : hasWishFlair(post) || hasPhrase(post),
  )
  return posts.length >= provingPosts && fitting.length * 2 < posts.length
}

/** Whether a page has a post the grouped form should find. */
export const hasWish = (children: unknown[]): boolean =>
  children.some((child) => {
    const post = asFields(asFields(child)?.data)
    return post !== null && (hasWishFlair(post) || hasPhrase(post))
  })

const hasWishFlair = (post: Fields): boolean => wishFlair.test(asString(post.link_flair_text) ?? '')

function hasPhrase(post: Fields): boolean {
  const text = `${asString(post.title) ?? ''}\n${asString(post.selftext) ?? ''}`.toLowerCase()
  return wishPhrases.some((phrase) => text.includes(phrase.toLowerCase()))
}
