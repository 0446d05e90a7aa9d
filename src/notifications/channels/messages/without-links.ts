import type { Message } from '../../../accounts/events/message.ts'

/** What programs get, with null for each `url`: all of them are of our own page. */
function withoutUrls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === 'url' ? null : withoutUrls(one)]),
  )
}

/** A message without links, for a service that does not know the address at which its readers reach it. */
export const withoutLinks = (message: Message): Message => ({
  ...message,
  link: null,
  sections: message.sections.map((section) => ({
    ...section,
    items: section.items.map((item) => ({ ...item, url: null })),
  })),
  data: withoutUrls(message.data) as Message['data'],
})
