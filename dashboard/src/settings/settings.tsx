import { AccountPage } from '../account/account.tsx'
import { Keys } from '../account/keys.tsx'
import { ChannelsPage } from '../channels/channels.tsx'
import { PeoplePage } from '../people/people.tsx'
import { SharesPage } from '../shares/share-list.tsx'
import { channelsAddress, collectAddress, peopleAddress, settingsAddress, sharingAddress } from '../shell/addresses.ts'
import { SignOut } from '../shell/header.tsx'
import { LanguageChoice } from '../shell/language-choice.tsx'
import { Empty, Page } from '../shell/page.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { channelTexts } from '../texts/later/channels.ts'
import { collectTexts } from '../texts/later/collect.ts'
import { peopleTexts } from '../texts/later/people.ts'
import { shareTexts } from '../texts/later/shares.ts'
import { shellTexts as texts } from '../texts/shell.ts'

const keysAddress = `${settingsAddress}/keys`

const parts = [
  [settingsAddress, accountTexts.title],
  [keysAddress, accountTexts.keys],
  [channelsAddress, channelTexts.title],
  [sharingAddress, shareTexts.list],
  [peopleAddress, peopleTexts.title],
  [collectAddress, collectTexts.history],
] as const

/** What belongs to the account: credits, keys, channels and feeds. */
export function SettingsPages({ part }: { part: string | undefined }) {
  return (
    <>
      <nav className="views" aria-label={texts.settings}>
        {parts.map(([address, name]) => (
          <Link
            key={address}
            href={address}
            aria-current={
              address === (part === undefined ? settingsAddress : `${settingsAddress}/${part}`) ? 'page' : undefined
            }
          >
            {name}
          </Link>
        ))}
        <LanguageChoice />
        <SignOut />
      </nav>
      <Part part={part} />
    </>
  )
}

function Part({ part }: { part: string | undefined }) {
  if (part === undefined) return <AccountPage />
  if (part === 'channels') return <ChannelsPage />
  if (part === 'sharing') return <SharesPage />
  if (part === 'people') return <PeoplePage />
  if (part === 'keys') {
    return (
      <Page title={accountTexts.keys}>
        <Keys />
      </Page>
    )
  }
  return (
    <Page title={texts.notFoundTitle}>
      <Empty title={texts.notFound} />
    </Page>
  )
}
