import type { App } from '../../../http/app-type.ts'
import { registerChannelRoutesOfOne } from './channel.ts'
import { registerCollectionRoutes } from './collection.ts'
import { registerDeliveryRoutes } from './deliveries.ts'
import type { ChannelRouteDependencies } from './dependencies.ts'

/** The routes by which an account says where it wants to be told. Reading them needs `manage`, too: they say where messages go. */
export function registerChannelRoutes(app: App, dependencies: ChannelRouteDependencies): void {
  registerCollectionRoutes(app, dependencies)
  registerChannelRoutesOfOne(app, dependencies)
  registerDeliveryRoutes(app, dependencies)
}
