import type { Corpus } from './corpus.ts'
import type { SimulatedPlatform } from './platform-shape.ts'
import { type SimulatedPlatformName, simulatedPlatforms } from './platforms/index.ts'
import type { SimulatedRecord } from './records.ts'

export interface ExpectedRecord {
  /** As the platform writes it, without any prefix for the site. */
  sourceId: string
  sourceUrl: string
  record: SimulatedRecord
}

const isShown = ({ fate }: SimulatedRecord) => fate === undefined || fate === 'archived'

/** Everything that these searches can page to, once each, without pull requests. */
export function expectRecords(
  corpus: Corpus,
  name: SimulatedPlatformName,
  topic: string,
  searches: readonly Record<string, string>[],
): ExpectedRecord[] {
  const platform: SimulatedPlatform = simulatedPlatforms[name]
  const expected = new Map<string, ExpectedRecord>()
  for (const search of searches.length > 0 ? searches : [platform.plainSearch(topic)]) {
    const parameters = new URLSearchParams(search)
    for (const record of platform.find(parameters, corpus)) {
      if (record.kind === 'pull_request' || !isShown(record)) continue
      const sourceId = platform.sourceId(record)
      expected.set(sourceId, { sourceId, sourceUrl: platform.sourceUrl(record, parameters), record })
    }
  }
  return [...expected.values()]
}
