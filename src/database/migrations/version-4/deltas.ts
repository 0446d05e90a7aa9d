import { topicDeltas } from './topic-deltas.ts'
import { wakeUps } from './wake-ups.ts'
import { wishCommits } from './wish-commits.ts'
import { wordDeltas } from './word-deltas.ts'

/** Append-only changes of shared counts, and what is counted when a transaction commits. */
export const deltas: readonly string[] = [topicDeltas, wordDeltas, wishCommits, wakeUps].flat()
