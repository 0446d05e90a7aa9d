import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/service.ts'
import { readDatabaseState } from './database-state.ts'

// A process of the service for bench/mixed-load.ts, with the limits of the plans and with budgets that never wait: the simulated platforms
// have no limits. Every message is answered with the state of the database, which the embedded one shows to its process only.

const onCrash = (error: Error) => {
  throw error
}
const config = readConfig()
const service = await startService(config, pino({ level: config.logLevel }), onCrash, { platformTimeScale: 1_000_000 })

process.on('message', () => {
  readDatabaseState(service.database.database).then(
    (state) => process.send?.(state),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send?.({ url: service.address })
