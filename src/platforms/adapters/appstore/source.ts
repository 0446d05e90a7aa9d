import type { SourceKind } from '../../definition.ts'

/** The App Store's API host. */
export const storeUrl = 'https://itunes.apple.com'

/** An app in a country's store; each country has its own reviews. */
export interface App {
  /** ISO 3166-1 alpha-2, lower case. */
  country: string
  /** The app's number, equal in every country. */
  id: string
}

const short = /^([a-z]{2})\/(?:id)?([1-9]\d{0,17})$/i
const hosts = /^(?:apps|itunes)\.apple\.com$/i

/** In an address, the app's number ends the path; the app's name before it is optional. */
function shortened(text: string): string {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  if (address.length > 2_000 || !URL.canParse(address)) return text
  const { hostname, pathname } = new URL(address)
  const [, country, number] = /^\/([a-z]{2})\/app\/(?:[^/]+\/)?id(\d+)\/?$/i.exec(pathname) ?? []
  return hosts.test(hostname) ? `${country}/${number}` : text
}

/** Country and number of an app: without a country, each reader would see another store. */
export const appstoreSources: SourceKind = {
  form: 'a country and the number of an app, or its address in the App Store',
  example: 'us/839285684',
  normalise(text) {
    const [, country, id] = short.exec(shortened(text.trim())) ?? []
    return country === undefined ? null : `${country.toLowerCase()}/${id}`
  },
}

/** @param source normalized */
export function appOf(source: string): App {
  const [country = '', id = ''] = source.split('/')
  return { country, id }
}
