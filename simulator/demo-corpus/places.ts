import { createTopicTest } from '../../src/platforms/about-topic.ts'

export interface DemoPlace {
  place: string
  share: number
  product?: string
  label?: string
}

/**
 * Where a wish can stand, how much of the whole is there, whose product it is about, and how a project labels wishes; the
 * names are those of the platforms here.
 */
const places: readonly DemoPlace[] = [
  { place: 'github', share: 7 },
  { place: 'hackernews', share: 3 },
  { place: 'stackexchange/meta', share: 2 },
  { place: 'stackexchange/meta.stackoverflow', share: 1 },
  { place: 'stackexchange/softwarerecs', share: 1 },
  { place: 'discourse/harbour', share: 2, product: 'Saltmarsh' },
  { place: 'discourse/meadow', share: 2, product: 'Larkspur Notes' },
  { place: 'discourse/quarry', share: 2, product: 'Kestrel Monitor' },
  { place: 'lemmy/orchard', share: 2 },
  { place: 'gitlab/quillbox/desk', share: 1, product: 'Quillbox', label: 'type::feature' },
  { place: 'gitlab/halfmoon/editor', share: 1, product: 'Halfmoon Editor', label: 'enhancement' },
  { place: 'gitlab/granary/granary', share: 1, product: 'Granary', label: 'feature' },
]

const weightedPlaces = places.flatMap((place) => Array.from({ length: place.share }, () => place))
const hasLabels = ({ place }: DemoPlace) => !/^(?:hackernews|lemmy)/.test(place)
/** There a text need name neither the topic nor that it is a wish. */
const labelledPlaces = weightedPlaces.filter(hasLabels)
const unlabelledPlaces = weightedPlaces.filter((place) => !hasLabels(place))
/** Texts that do can stand anywhere. */
const anyPlaces = [...weightedPlaces, ...unlabelledPlaces]

const wishPhrase = /\b(?:please|wish|would (?:be|love|like)|could you|feature request|add|let (?:me|us|people))\b/i

/** Where a text can stand. Noise beside the topic is found where no label keeps it out of a search. */
export function placesOf(
  [title, description]: [string, string],
  topic: string,
  isNoise: boolean,
): readonly DemoPlace[] {
  const isAbout = createTopicTest(topic)({ title, description, tags: [], sourceName: null })
  if (isNoise) return isAbout ? weightedPlaces : unlabelledPlaces
  return isAbout && wishPhrase.test(`${title}\n${description}`) ? anyPlaces : labelledPlaces
}
