/** A browser reads the address of a download some time after the click; it is revoked long after that. */
const keepMs = 60_000

/** Saves a file as a download of the browser. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), keepMs)
}
