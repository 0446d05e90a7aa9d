import { topicDeltas } from './topic-deltas.ts'
import { wakeUps } from './wake-ups.ts'
import { wordDeltas } from './word-deltas.ts'

/** Append-only changes of shared counts. */
export const deltas: readonly string[] = [topicDeltas, wordDeltas, wakeUps].flat()
