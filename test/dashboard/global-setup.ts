import { ensurePage } from '../../scripts/build-dashboard.mjs'
import { chromiumPath } from './chromium.ts'

/** Builds the page, once for all browser tests, when it is not up to date. */
export default async function setup(): Promise<void> {
  if (chromiumPath === null) {
    console.log('The browser tests are skipped: no Chromium at the usual places, and CHROMIUM_PATH is not set.')
    return
  }
  if (!ensurePage()) throw new Error('The page could not be built; the reason is above.')
}
