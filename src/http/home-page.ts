import type { App } from '../app.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wishwell</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem }
h1 { line-height: 1.2 }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .5rem }
</style>
</head>
<body>
<main>
<h1>Wishwell</h1>
<p>This service collects feature requests from public platforms, lets people search them, and meters live
collection with credits.</p>
<p>It is spoken to over HTTP: <a href="/openapi.json">the API document</a> (OpenAPI 3.1) describes every call.
<a href="/readyz">Its state</a> says what it runs on.</p>
<p>Start a collection, with the API key that the service printed at its first start:</p>
<pre>curl -X POST "$WISHWELL_URL/api/v1/scrape" \\
  -H "Authorization: Bearer $WISHWELL_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"topic": "dark mode"}'</pre>
</main>
</body>
</html>
`

/** Until there is a dashboard: a plain page that says what this is. */
export function registerHomePage(app: App): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .header('x-content-type-options', 'nosniff')
      .send(page),
  )
}
