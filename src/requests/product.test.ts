import { expect, it } from 'vitest'
import { productOf } from './product.ts'

it.each([
  ['github', 'Acme/App', 'acme/app'],
  ['gitlab', 'acme/mobile/app', 'acme/mobile/app'],
  ['reddit', 'r/Android', 'r/android'],
  ['lemmy', '!android@lemmy.example', '!android@lemmy.example'],
  ['discourse', 'forum.acme.com: Feature requests', 'forum.acme.com'],
  ['discourse', 'acme.com/forum: Ideas: mobile', 'acme.com/forum'],
  ['discourse', 'forum.acme.com', 'forum.acme.com'],
  ['stackexchange', 'meta.stackoverflow', 'meta.stackoverflow.com'],
  ['stackexchange', 'android', 'android.stackexchange.com'],
  // Their sources are of no single product.
  ['stackexchange', 'stackoverflow', null],
  ['stackexchange', 'es.stackoverflow', null],
  ['stackexchange', 'softwarerecs', null],
  ['youtube', 'Ten tips for Acme', null],
  ['hackernews', null, null],
  ['github', null, null],
  ['github', ' ', null],
])('the product of a request of %s in %j is %j', (platform, sourceName, product) => {
  expect(productOf({ platform, sourceName })).toBe(product)
})
