import { collectAddress, newWatch, wishesAddress } from '../shell/addresses.ts'
import { Link } from '../shell/router.tsx'
import { homeTexts as texts } from '../texts/home.ts'

/** What to do while nothing was collected yet. */
export const FirstSteps = () => (
  <section className="empty first-steps" aria-labelledby="first-steps">
    <h2 id="first-steps">{texts.firstTitle}</h2>
    <ol>
      <li>
        <strong>{texts.firstCollect}</strong> {texts.firstCollectWhy}{' '}
        <Link className="button primary" href={collectAddress}>
          {texts.toCollect}
        </Link>
      </li>
      <li>
        <strong>{texts.firstLook}</strong> {texts.firstLookWhy} <Link href={wishesAddress}>{texts.toWishes}</Link>
      </li>
      <li>
        <strong>{texts.firstWatch}</strong> {texts.firstWatchWhy} <Link href={newWatch()}>{texts.toWatch}</Link>
      </li>
    </ol>
    <p className="note">{texts.sample}</p>
  </section>
)
