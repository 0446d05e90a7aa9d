import { createTopicTest } from '../../src/platforms/about-topic.ts'
import placesOfPlatforms from './places.json' with { type: 'json' }

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
const places: readonly DemoPlace[] = placesOfPlatforms
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
