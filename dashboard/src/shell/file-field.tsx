import { type DragEvent, type ReactNode, useState } from 'react'

interface FileFieldProps {
  id: string
  title: string
  intro: ReactNode
  label: string
  /** What the system's dialog offers, as of an `input`. */
  accept: string
  onFile: (file: File) => void
  children: ReactNode
}

/** A section in which a file is chosen, or onto which it is dropped. */
export function FileField({ id, title, intro, label, accept, onFile, children }: FileFieldProps) {
  const [isOver, setOver] = useState(false)
  const take = (file: File | undefined) => {
    if (file !== undefined) onFile(file)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer?.files[0])
  }
  return (
    <section
      className="verify"
      aria-labelledby={id}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2 id={id}>{title}</h2>
      <p className="note">{intro}</p>
      <label>
        <span>{label}</span>
        <input
          type="file"
          accept={accept}
          onChange={({ target }) => {
            take(target.files?.[0])
            // The same file can be chosen again after it was mended.
            target.value = ''
          }}
        />
      </label>
      {children}
    </section>
  )
}
