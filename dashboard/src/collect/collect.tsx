import { isFree } from '../api/pricing.ts'
import { importAddress } from '../shell/addresses.ts'
import { Page } from '../shell/page.tsx'
import { Link, useAddress } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { History } from './history.tsx'
import { StartForm } from './start-form.tsx'

/** The form of a new collection, and the earlier ones. A link may fill in the form. */
export function CollectPage() {
  const { search } = useAddress()
  return (
    <Page
      title={texts.title}
      intro={texts.intro(isFree())}
      actions={
        <Link href={importAddress} className="button">
          {texts.toImport}
        </Link>
      }
    >
      <StartForm key={search} prefilled={new URLSearchParams(search)} />
      <History />
    </Page>
  )
}
