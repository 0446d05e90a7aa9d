import type { SourceKind } from '../../definition.ts'

const siteForm = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+){0,3}$/
const ownDomains = /(^|\.)(stackoverflow|serverfault|superuser|askubuntu|stackapps)$/

/** Maps a site name to its host: `meta.stackoverflow`, `softwarerecs`, `mathoverflow.net`. */
export function siteHost(site: string): string {
  if (site.endsWith('.net')) return site
  return ownDomains.test(site) ? `${site}.com` : `${site}.stackexchange.com`
}

/** A site by its API name, which derives from its host: `meta` for meta.stackexchange.com. */
export const stackexchangeSource: SourceKind = {
  form: 'the name of a site',
  example: 'softwarerecs',
  normalise(text) {
    const trimmed = text.trim().toLowerCase()
    const named = trimmed.replace(/^https?:\/\//, '').replace(/[/?#].*$/, '')
    const isAddress = named !== trimmed
    const host = named.replace(/^www\./, '')
    const site = siteOfHost(host)
    if (site !== null) return siteForm.test(site) ? site : null
    // A site name is no address: `example.com` is another host.
    return isAddress || /\.(?:com|org|net|io)$/.test(host) || !siteForm.test(host) ? null : host
  },
}

function siteOfHost(host: string): string | null {
  if (/^(?:meta\.)?mathoverflow\.net$/.test(host)) return host
  const ownDomain = host.replace(/\.com$/, '')
  if (host.endsWith('.com') && ownDomains.test(ownDomain)) return ownDomain
  const community = /^(.+)\.stackexchange\.com$/.exec(host)?.[1]
  return community ?? null
}
