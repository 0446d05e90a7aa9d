import { openDatabase } from '../../src/database/open.ts'
import { parseMailAddress } from '../../src/notifications/mail/address.ts'
import { sendConfirmations } from '../../src/notifications/mail/confirmations.ts'
import { createMailer } from '../../src/notifications/mail/mailer.ts'
import type { MailConfig } from '../../src/notifications/mail/settings.ts'

// Sends what confirmations are due, and kills itself after a number of statements, or once the server has accepted a mail. Started by
// mail.nightly.test.ts.

export interface ConfirmationOrder {
  databaseUrl: string | undefined
  dataDir: string
  /** After so many statements of the sending; `accepted`: after the reply of the server, before anything of it is stored. */
  dieAfter: number | 'accepted'
  now: string
  channelId: string
  address: string
  config: MailConfig
}

const die = () => process.kill(process.pid, 'SIGKILL')

async function run({ dieAfter, now, channelId, address, config, ...options }: ConfirmationOrder): Promise<void> {
  let statements = 0
  let isSending = false
  const { database, close } = await openDatabase({
    ...options,
    onCrash: (error) => {
      throw error
    },
    onStatement: () => {
      if (isSending && ++statements === dieAfter) die()
    },
  })
  const to = parseMailAddress(address)
  if (to === null) throw new Error('no address')
  const mailer = createMailer({ config })
  isSending = true
  await sendConfirmations(
    {
      database,
      mailer: {
        send: async (mail) => {
          const result = await mailer.send(mail)
          if (dieAfter === 'accepted') die()
          return result
        },
      },
      publicUrl: () => 'https://wishwell.example',
      addressOf: async () => ({ channelId, address: to }),
      onBounce: async () => {},
      log: { warn: () => {} },
    },
    new Date(now),
  )
  await close()
}

process.once('message', (order: ConfirmationOrder) => {
  void run(order).then(() => process.exit(0))
})
