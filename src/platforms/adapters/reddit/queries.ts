import { asFields, asString, type Fields } from '../../content/fields.ts'
import { quotedWords } from '../../topic-words.ts'
import { wishPhrases } from '../wish-phrases.ts'

/** Of `q`, in characters (reddit.com/dev/api, "search"). */
const queryLimit = 512
const flairOperator = 'flair:"feature request"'
/** A flair is a community's label of a post; in communities without one for wishes, people use these phrases. */
const wishes = `(${flairOperator} OR ${wishPhrases.map((phrase) => `"${phrase}"`).join(' OR ')})`
const wishFlair = /feature|request|suggestion|idea|wish|feedback/i
/** Fewer posts prove nothing. */
const provingPosts = 5

/**
 * How a search is written: `grouped` is one query with operators. Whether Reddit's present search obeys `flair:` and OR in
 * parentheses is not known (both are fields of the search of 2017), so there is one plain query for the flair and for each
 * phrase too.
 */
export const groupedForm = 'grouped'
export const flairForm = 'flair'
export const plainForms: readonly string[] = [wishPhrases[0], flairForm, ...wishPhrases.slice(1)]

/** The query of the grouped form. @returns null when the topic has no words to search for. */
export const redditQuery = (topic: string): string | null => redditQueryOf(groupedForm, topic)

/** @returns null when the topic has no words to search for. */
export function redditQueryOf(form: string, topic: string): string | null {
  const wish = form === groupedForm ? wishes : form === flairForm ? flairOperator : `"${form}"`
  const words = quotedWords(topic, queryLimit - wish.length - 1)
  return words === '' ? null : `${words} ${wish}`
}

/**
 * Whether the posts of a page show that the operators of its query were read as text: most of them have neither a flair of
 * wishes nor one of the phrases. Of the flair's own query every post must have such a flair.
 */
export function ignoresOperators(form: string, children: unknown[]): boolean {
  const posts = children.map((child) => asFields(asFields(child)?.data)).filter((post) => post !== null)
  const fitting = posts.filter((post) =>
    form === flairForm ? hasWishFlair(post) : hasWishFlair(post) || hasPhrase(post),
  )
  return posts.length >= provingPosts && fitting.length * 2 < posts.length
}

/** Whether a page has a post that the grouped form should have found. */
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
