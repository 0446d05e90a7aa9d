import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { guides } from './guides.ts'
import { messages } from './messages.ts'
import { apiReference } from './reference.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Packs each file once, as well as can be; the service sends what the browser can read. Small files are not worth it. */
const packed = (): Plugin => ({
  name: 'packed',
  apply: 'build',
  // What is written: other plugins change chunks until then.
  writeBundle({ dir = '.' }, bundle) {
    for (const fileName of Object.keys(bundle)) {
      const path = join(dir, fileName)
      const content = readFileSync(path)
      if (content.length < 1024 || fileName.startsWith('docs/') || !/\.(js|css)$/.test(fileName)) continue
      const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
      writeFileSync(`${path}.br`, brotliCompressSync(content, brotli))
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    }
  },
})

const appChunk = 'app'

/**
 * Puts the page's own script after the one in `index.html`, which is small and runs while this one is still loaded. Both in
 * `index.html`, they would be bundled into one.
 */
const afterBoot = (): Plugin => ({
  name: 'after-boot',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const app = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === appChunk)
      const src = app === undefined ? '/src/main.tsx' : `/${app.fileName}`
      return [{ tag: 'script', injectTo: 'head', attrs: { type: 'module', crossorigin: true, src } }]
    },
  },
})

// Also where a test runner, which has a NODE_ENV of its own, builds it: that would be the slow React.
if (process.argv.some((word) => /(^build|build-dashboard\.mjs)$/.test(word))) process.env.NODE_ENV = 'production'

/** The page is files only, without inline script or style: the service serves it under a strict Content-Security-Policy. */
export default defineConfig({
  root: folder('.'),
  base: '/',
  publicDir: false,
  cacheDir: folder('../node_modules/.vite/web'),
  // Preact stands in for React, and is a quarter of its size.
  resolve: {
    alias: {
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react/jsx-dev-runtime': 'preact/jsx-dev-runtime',
      react: 'preact/compat',
    },
  },
  plugins: [messages(), packed(), afterBoot(), apiReference(), guides()],
  build: {
    outDir: folder('dist'),
    emptyOutDir: true,
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    // It would be an inline script in old browsers, and both scripts are in the head.
    modulePreload: false,
    // With the first script, not when the rest is there.
    cssCodeSplit: false,
    target: 'es2024',
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: folder('index.html'), main: folder('src/main.tsx') },
      // Two scripts, each with all that it needs: what is split in many is packed worse.
      output: {
        codeSplitting: {
          groups: [
            { name: 'boot', test: /\/src\/boot\.ts$/, priority: 2 },
            { name: appChunk, test: /\/src\/main\.tsx$/, priority: 1 },
          ],
        },
      },
      // React Query is marked for servers that render, and we have none; packing well takes its time.
      onLog: (level, log, tell) =>
        ['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS'].includes(log.code ?? '') || tell(level, log),
    },
  },
  // `npx vite web` while working on the page: everything but the page itself comes from a running service.
  server: { proxy: { '^/(api|openapi\\.json|readyz|docs)': process.env.WISHWELL_URL ?? 'http://127.0.0.1:4680' } },
})
