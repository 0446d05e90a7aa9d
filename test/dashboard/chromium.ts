import { existsSync } from 'node:fs'

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** @returns the browser that the tests of the page use; null where there is none. */
export const findChromium = (): string | null =>
  [process.env.CHROMIUM_PATH ?? '', ...usualPlaces].find(existsSync) ?? null

export const chromiumPath = findChromium()

/** Nothing but the page: no sandbox in a container, no calls of its own. */
export const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
