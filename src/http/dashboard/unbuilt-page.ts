/** The answer of `/` without a built page. */
export const unbuiltPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Wishwell</title>
</head>
<body>
<main>
<h1>Wishwell</h1>
<p>This service collects feature requests from public platforms, lets people search them, and meters live
collection with credits.</p>
<p>Its page is not built here. <code>npm start</code> builds it; <code>npm run build:dashboard</code> does so without
starting anything. Then start the service again.</p>
<p>The API works without it: <a href="/openapi.json">the API document</a> (OpenAPI 3.1) describes every call.
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
