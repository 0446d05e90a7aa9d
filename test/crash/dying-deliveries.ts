import { openDatabase } from '../../src/database/open.ts'
import { type Deliveries, deliverAll } from './delivering.ts'

// Notes events and tells them on all channels, and kills itself after so many statements. Started by deliveries.service.test.ts.

export interface DeliveriesOrder extends Deliveries {
  databaseUrl: string | undefined
  dataDir: string
  /** Null: lives to the end, or until it is killed. */
  dieAfter: number | null
}

async function run({ dieAfter, databaseUrl, dataDir, ...deliveries }: DeliveriesOrder): Promise<void> {
  let left = Number.POSITIVE_INFINITY
  const opened = await openDatabase({
    databaseUrl,
    dataDir,
    onCrash: (error) => {
      throw error
    },
    onStatement: () => {
      if (--left <= 0) process.kill(process.pid, 'SIGKILL')
    },
  })
  const isDone = await deliverAll(opened, deliveries, () => {
    left = dieAfter ?? Number.POSITIVE_INFINITY
  })
  await opened.close()
  // 3: something waits still.
  process.exitCode = isDone ? 0 : 3
  process.disconnect()
}

process.once('message', (order: DeliveriesOrder) => void run(order))
