import { defaultPathSerializer } from 'openapi-fetch'

/** A UUID, or the hash that is the id of a correction of a request. */
const id = /^(?:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$/i

/**
 * Makes the paths of calls. A text that is no id would be a path of its own: `export` that of another call, `..` the list above (RFC 3986, 5.2.4). The
 * service answers an unknown id as this does.
 * @param refuse the error NOT_FOUND of a client
 */
export const pathsWithIds =
  (refuse: (message: string) => Error) =>
  (path: string, parameters: Record<string, unknown>): string => {
    for (const [name, value] of Object.entries(parameters)) {
      const text = String(value)
      if (name.endsWith('Id') ? id.test(text) : !/^\.{0,2}$/.test(text)) continue
      const thing = name.replace(/Id$/, '').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      throw refuse(`${thing[0]!.toUpperCase()}${thing.slice(1)} not found.`)
    }
    return defaultPathSerializer(path, parameters)
  }
