import type { AccountsTables } from './tables/accounts.ts'
import type { ChannelsTables } from './tables/channels.ts'
import type { CreditsTables } from './tables/credits.ts'
import type { EventsTables } from './tables/events.ts'
import type { HttpTables } from './tables/http.ts'
import type { MailTables } from './tables/mail.ts'
import type { FeedsTables, NewsTables } from './tables/news.ts'
import type { PlatformsTables } from './tables/platforms.ts'
import type { RequestsTables } from './tables/requests.ts'
import type { ScrapingTables } from './tables/scraping.ts'
import type { SearchTables } from './tables/search.ts'
import type { TopicsTables } from './tables/topics.ts'
import type { WatchesTables } from './tables/watches.ts'
import type { WishesTables } from './tables/wishes.ts'

/** Every table of Wishwell, by domain; `migrations/` holds their definitions. (pg-boss keeps its own schema, `pgboss`.) */
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
    WatchesTables,
    WishesTables {}
