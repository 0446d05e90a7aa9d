import { sections } from '../../../simulator/demo-corpus/index.ts'

export interface DemoAddresses {
  url: string
  apiKey: string
  adminKey: string
  signInUrl: string
  /** Null where the mails go to a server of the caller. */
  mailboxUrl: string | null
}

const mailboxLines = (url: string | null) =>
  url === null
    ? ''
    : `
  Every mail that it sends, also those of the watch:
    ${url}
`

/** Printed when the demo is ready. */
export const instructions = ({ url, apiKey, adminKey, signInUrl, mailboxUrl }: DemoAddresses) => `
The service goes on at ${url} (max plan, simulated platforms) until you press Ctrl-C.

  Its page (the link works once):
    ${signInUrl}
${mailboxLines(mailboxUrl)}
  The operator's page: sign in with this admin key, in another browser or a private window
    ${url}/sign-in
    ${adminKey}

  Topics of the simulated platforms:
    ${sections
      .map(({ topic }) => topic)
      .join(', ')
      .replace(/(.{1,72})(?:, |$)/g, '$1,\n    ')
      .trimEnd()
      .replace(/,$/, '')}

In another terminal:

  export WISHWELL_URL=${url} WISHWELL_API_KEY=${apiKey}
  export ADMIN_API_KEY=${adminKey}

  curl -H "Authorization: Bearer $WISHWELL_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"topic":"offline mode","platforms":["github","hackernews"],"depth":2}' $WISHWELL_URL/api/v1/scrape
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" $WISHWELL_URL/api/v1/scrape/<jobId>
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"query":"dark mode","limit":3}' $WISHWELL_URL/api/v1/requests/search
  curl -H "Authorization: Bearer $WISHWELL_API_KEY" "$WISHWELL_URL/api/v1/requests?topic=dark+mode&sortBy=top&limit=3"

  npx wishwell scrape "bulk edit" --depth 3
  npx wishwell search offline mode
  npx wishwell topics --sort top
  npx wishwell admin accounts link`
