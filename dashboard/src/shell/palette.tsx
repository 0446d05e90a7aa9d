import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { addressOf, everything, withQuery } from '../search/view.ts'
import { shellTexts as texts } from '../texts/shell.ts'
import { watchTexts } from '../texts/watches.ts'
import { useSavedViews } from '../wishes/saved-views.ts'
import { standingViews } from '../wishes/views.ts'
import {
  briefsAddress,
  channelsAddress,
  collectAddress,
  homeAddress,
  importAddress,
  newWatch,
  settingsAddress,
  topicAddress,
  topicsAddress,
  watchesAddress,
} from './addresses.ts'
import { Modal } from './modal.tsx'
import { navigate } from './router.tsx'

const pages: readonly [name: string, address: string][] = [
  [texts.home, homeAddress],
  [texts.topics, topicsAddress],
  [texts.watches, watchesAddress],
  [watchTexts.make, newWatch()],
  [texts.briefs, briefsAddress],
  [texts.collect, collectAddress],
  [texts.importFeedback, importAddress],
  [texts.settings, settingsAddress],
  [texts.channels, channelsAddress],
]

/** Goes anywhere by a few letters: pages, views, topics, or a search for what was typed. */
export default function Palette({ close }: { close: () => void }) {
  const owner = useOwner()
  const [text, setText] = useState('')
  const saved = useSavedViews()
  const { data } = useQuery({
    queryKey: [owner, 'topics', 'palette'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/topics', { params: { query: { limit: 100, sortBy: 'votes' } }, signal })),
  })
  const go = (address: string) => {
    close()
    navigate(address)
  }
  const query = text.trim()
  return (
    <Modal title={texts.palette} close={close} isTitleUnseen>
      <Command label={texts.palette} className="palette" loop>
        <Command.Input value={text} onValueChange={setText} placeholder={texts.palettePlaceholder} />
        <Command.List>
          <Command.Empty>{texts.paletteEmpty}</Command.Empty>
          {query !== '' && (
            <Command.Item
              forceMount
              value={`search ${query}`}
              onSelect={() => go(addressOf(withQuery(everything, query)))}
            >
              {texts.searchFor(query)}
            </Command.Item>
          )}
          <Command.Group heading={texts.wishes}>
            {standingViews.map(({ name, view }) => (
              <Command.Item key={name} value={`${texts.wishes} ${name}`} onSelect={() => go(addressOf(view))}>
                {name}
              </Command.Item>
            ))}
            {saved.map(({ viewId, name, address }) => (
              <Command.Item key={viewId} value={`${texts.wishes} ${name} ${viewId}`} onSelect={() => go(address)}>
                <bdi>{name}</bdi>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading={texts.navigation}>
            {pages.map(([name, address]) => (
              <Command.Item key={address} value={name} onSelect={() => go(address)}>
                {name}
              </Command.Item>
            ))}
          </Command.Group>
          {data && data.results.length > 0 && (
            <Command.Group heading={texts.topics}>
              {data.results.map(({ topic }) => (
                <Command.Item key={topic} value={`topic ${topic}`} onSelect={() => go(topicAddress(topic))}>
                  <bdi>{topic}</bdi>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Modal>
  )
}
