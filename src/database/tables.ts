import type { AccountsTables, HttpTables } from './tables/accounts.ts'
import type { PlatformsTables, ScrapingTables } from './tables/collecting.ts'
import type { CreditsTables } from './tables/credits.ts'
import type { ChannelsTables, EventsTables, MailTables, TrackersTables } from './tables/notifications.ts'
import type { RequestsTables, SearchTables } from './tables/requests.ts'
import type { FeedsTables, NewsTables, WatchesTables } from './tables/watches.ts'
import type { TopicsTables, WishesTables } from './tables/wishes.ts'

/** Every table of Wishwell, by domain, defined in `migrations/`. (pg-boss has its own schema, `pgboss`.) */
export interface Tables
  extends AccountsTables,
    ChannelsTables,
    CreditsTables,
    EventsTables,
    FeedsTables,
    HttpTables,
    MailTables,
    NewsTables,
    PlatformsTables,
    RequestsTables,
    ScrapingTables,
    SearchTables,
    TopicsTables,
    TrackersTables,
    WatchesTables,
    WishesTables {}
