import { type ComponentType, lazy } from 'react'

/** A component of a module that is loaded when it is shown. */
export const later = <Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }))
