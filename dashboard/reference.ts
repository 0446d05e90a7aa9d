import { brotliCompressSync, constants } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'
import type { Plugin } from 'vite'

/** Examples are in curl, JavaScript and Python: one client of each. */
const hiddenClients = {
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http java kotlin node objc ocaml php powershell r ruby rust swift'
      .split(' ')
      .map((language) => [language, true]),
  ),
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  shell: ['httpie', 'wget'],
}

/**
 * How the reference is shown: with nothing from another site, and calls go to the address at which it was opened. The names are those of
 * https://github.com/scalar/scalar/blob/main/documentation/configuration.md.
 */
const configuration = `{
  url: '/openapi.json',
  servers: [{ url: location.origin }],
  authentication: { preferredSecurityScheme: 'apiKey' },
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: ${JSON.stringify(hiddenClients)},
}`

/** The script of Scalar, as its plugin for Fastify serves it: its package for the browser alone would install 230 others. */
async function readScalar(): Promise<string> {
  const app = fastify()
  await app.register(scalar, { configuration: { url: '/' } })
  const { statusCode, body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`Scalar's script was not found: ${statusCode}`)
  // The map is in neither the page nor the package.
  return body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '')
}

/** Makes `docs/reference.js.br`, the script of `/docs/reference`: without compression it is half of the package. Above quality 9 it takes a quarter of a minute. */
export const apiReference = (): Plugin => ({
  name: 'api-reference',
  apply: 'build',
  async generateBundle() {
    const source = `${await readScalar()}\nScalar.createApiReference('#reference', ${configuration})\n`
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
    const packed = brotliCompressSync(source, { params })
    this.emitFile({ type: 'asset', fileName: 'docs/reference.js.br', source: packed })
  },
})
