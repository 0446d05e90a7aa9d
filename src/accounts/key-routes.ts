import type { App } from '../http/app-type.ts'
import { registerAdminKeyRoutes } from './admin-key-routes.ts'
import { registerOwnKeyRoutes } from './own-key-routes.ts'
import type { AccountDependencies } from './routes.ts'

/** The routes of accounts for their own keys, and those of the operator for all keys. */
export function registerKeyRoutes(app: App, dependencies: AccountDependencies): void {
  registerOwnKeyRoutes(app, dependencies)
  registerAdminKeyRoutes(app, dependencies)
}
