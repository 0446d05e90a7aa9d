import { ensurePage } from '../../scripts/build-web.mjs'
import { chromiumPath } from './chromium.ts'

/** Builds the page once for all browser tests. */
export default async function setup(): Promise<void> {
  if (chromiumPath === null) {
    console.log(
      'The browser tests are skipped: there is no Chromium at any of the usual places, and CHROMIUM_PATH is not set.',
    )
    return
  }
  if (!ensurePage()) throw new Error('The page could not be built; the reason is above.')
}
