import type { Database } from '../database/open.ts'
import { hasLinksForOthers } from '../http/addresses.ts'
import { createOutbound } from '../http/outbound/outbound.ts'
import { createAdapters } from '../notifications/channels/adapters/adapters.ts'
import { createEmailAdapter } from '../notifications/channels/adapters/email.ts'
import { createRenderer } from '../notifications/channels/messages/render.ts'
import { type RenderEvent, withoutLinks } from '../notifications/channels/messages/renderer.ts'
import { createMailer } from '../notifications/mail/mailer.ts'
import { createTrackers } from '../notifications/trackers/adapters/adapters.ts'
import { userAgentFor } from '../platforms/client/client.ts'
import type { Clock } from '../runtime/clock.ts'
import { version } from '../runtime/version.ts'
import { readReport } from '../watches/news/read-report.ts'
import type { Config } from './config.ts'

/** Composes the types of channels and trackers, their connections, and what renders events for them. */
export function composeChannels({ config, database, clock }: { config: Config; database: Database; clock: Clock }) {
  const userAgent = userAgentFor(version, config.removalContact?.text)
  const { proxies } = config
  const outbound = createOutbound({
    allowPrivateTargets: config.sources.allowPrivateTargets,
    proxies,
    userAgent,
    clock,
  })
  const operatorOutbound = createOutbound({ allowPrivateTargets: true, proxies, userAgent, clock })
  const mailer = config.mail === null ? null : createMailer({ config: config.mail })
  const email = createEmailAdapter({ database, mailer })
  const { apprise } = config.channels
  const render = createRenderer({ readReport, comparesGoals: config.news !== null })
  const renderWithoutLinks: RenderEvent = async (input) => {
    const message = await render(input)
    return message && withoutLinks(message)
  }
  return {
    mailer,
    channelAdapters: createAdapters({ outbound, operatorOutbound, apprise, others: [email] }),
    trackers: createTrackers(outbound, clock),
    renderEvent: hasLinksForOthers(config) ? render : renderWithoutLinks,
    closeOutbound: async () => {
      await Promise.all([outbound.close(), operatorOutbound.close()])
    },
  }
}
