import { type ComponentType, lazy } from 'react'

/** A component of a module that is loaded when it is shown. */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await load() }))
