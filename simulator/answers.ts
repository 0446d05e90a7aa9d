import { fillText, readForm, type Values } from './forms.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** An answer as the file of a platform has it: a JSON `body` or, with its type among the headers, a `text`. */
interface WrittenAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
  text?: string
}

/** An answer that is filled with values, beside whose own headers others may stand. */
export type AnswerForm = (values?: Values, headers?: Record<string, string>) => Answer

/** A JSON answer as all these platforms label it. */
export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

function readAnswer({ status, headers: own, body, text }: WrittenAnswer): AnswerForm {
  if (text !== undefined) {
    return (values = {}, headers = {}) => ({ status, headers: { ...own, ...headers }, body: fillText(text, values) })
  }
  const form = readForm(body)
  return (values, headers) => jsonAnswer(status, form(values), { ...own, ...headers })
}

/** The fixed answers of a platform, most of them refusals, by their names. */
export const readAnswers = <Name extends string>(written: Record<Name, WrittenAnswer>): Record<Name, AnswerForm> =>
  Object.fromEntries(
    Object.entries<WrittenAnswer>(written).map(([name, answer]) => [name, readAnswer(answer)]),
  ) as Record<Name, AnswerForm>

/** The same answer with a changed JSON body. */
export function changeBody(answer: Answer, change: (body: Record<string, unknown>) => object): Answer {
  const body = JSON.parse(answer.body) as Record<string, unknown>
  return { ...answer, body: JSON.stringify({ ...body, ...change(body) }) }
}
